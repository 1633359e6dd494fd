// NAME.cpp and, for large modules, NAME_1.cpp and on: kernels, parts and, in the first, entry points and
// tables.
//
// A function runs as a sequence of parts of at most kPartCalls kernel calls each, so that no C++ function
// grows with the model. A source holds whole parts with the kernels they call; with several sources parts are
// hidden symbols.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "codegen/emit_counters.h"
#include "codegen/emit_device.h"
#include "codegen/emit_entry.h"
#include "codegen/emit_files.h"
#include "codegen/emit_kernel.h"
#include "codegen/text.h"
#include "compiler/kernel_passes/walk.h"

namespace cohort {

namespace {

constexpr std::size_t kPartCalls = 200;

std::string preamble(const EmitContext& context, const std::string& file, bool first, bool several) {
  std::string text =
      fmt::format("// {}: {} of module `{}`, made by {}.\n", file, first ? "code" : "more code",
                  comment_text(context.module().name), context.options.tool);
  text += fmt::format("#include \"{}.h\"\n\n", context.names.prefix);
  if (several) text += "#define COHORT_SEVERAL_SOURCES\n";
  if (first)
    text +=
        "#include \"cohort/call_checks.h\"\n#include \"cohort/checkpoint.h\"\n#include "
        "\"cohort/error_text.h\"\n";
  if (context.options.instrument)
    text += first ? "#include \"cohort/profile_text.h\"\n" : "#include \"cohort/profile.h\"\n";
  if (context.uses_device()) text += "#include \"cohort/device.h\"\n";
  if (aside_events(context.compiled) > 0) text += "#include \"cohort/aside.h\"\n";
  if (context.replay_bytes > 0) text += "#include \"cohort/replay.h\"\n";
  return text + "#include \"cohort/module.h\"\n#include \"cohort/prelude.h\"\n";
}

// Parts of the runtime that only some code needs, by what that code names.
std::string extra_headers(const std::string& body) {
  struct Part {
    std::string_view header;
    std::vector<std::string_view> names;
  };
  static const Part parts[] = {
      {"accumulator.h", {"rt_accumulator<"}},
      {"parallel.h",
       {"rt_parallel_for(", "rt_gemm_shared(", "rt_gemm_pack_shared(", "rt_gemm_packed_shared("}},
      {"factor.h",
       {"rt_cholesky(", "rt_solve_triangular(", "rt_solve(", "rt_lu(", "rt_inv(", "rt_det(", "rt_slogdet("}},
      {"orthogonal.h", {"rt_qr(", "rt_eigh(", "rt_svd("}},
  };
  std::string text;
  for (const Part& part : parts) {
    const bool named = std::any_of(part.names.begin(), part.names.end(), [&](std::string_view name) {
      return body.find(name) != std::string::npos;
    });
    if (named) text += fmt::format("#include \"cohort/{}\"\n", part.header);
  }
  return text;
}

// The sources under construction.
class SourceWriter {
 public:
  explicit SourceWriter(EmitContext& context) : context_(context), counters_(context) {
    const std::string& prefix = context.names.prefix;
    for (const char* name :
         {"init", "reset", "get", "set", "save", "load", "set_print", "set_parallel", "error", "error_text",
          "weights", "attach", "detach", "set_stream", "wait", "device"})
      file_names_.reserve(prefix + "_" + name);
    for (const FunctionNames& function : context.names.functions) {
      file_names_.reserve(prefix + "_" + function.identifier);
      file_names_.reserve(prefix + "_" + function.identifier + "_args");
      file_names_.reserve(prefix + "_" + function.identifier + "_async");
    }
    file_names_.reserve("this_module");
    file_names_.reserve("states");
    for (const char* name : {"this_device", "device_state", "device_checks", "mark_buffers"})
      file_names_.reserve(name);
    file_names_.reserve("state_shapes");
    if (context.options.instrument) {
      file_names_.reserve(prefix + "_profile");
      file_names_.reserve("counted");
    }
    customs_.emplace(context.compiled, file_names_);
  }

  void function(std::size_t index) {
    EntryPlan plan;
    plan.function = index;
    if (context_.options.instrument) counters_.begin_function(index);
    plan.parts = parts(index, context_.compiled.functions[index], "");
    for (const SpecialisedFunction& copy : context_.compiled.specialised) {
      if (copy.function != index) continue;
      std::string suffix;
      for (const FixedDim& fixed : copy.dims)
        suffix += fmt::format("_{}{}", context_.module().dims[fixed.dim].name, fixed.value);
      plan.copy = &copy;
      plan.copy_parts = parts(index, copy.code, suffix);
    }
    plan.check = file_names_.unique(context_.names.prefix + "_" + context_.names.functions[index].identifier +
                                    "_check");
    if (crosses_aside(context_, index))
      plan.aside = file_names_.unique(context_.names.prefix + "_" +
                                      context_.names.functions[index].identifier + "_streams");
    if (context_.options.instrument) plan.count = counters_.count_call();
    entries_ += "\n" + emit_entry(context_, plan);
    all_parts_.insert(all_parts_.end(), plan.parts.begin(), plan.parts.end());
    all_parts_.insert(all_parts_.end(), plan.copy_parts.begin(), plan.copy_parts.end());
  }

  std::vector<Artefact> finish();

 private:
  // Kernels and parts of a function, or of its copy whose names end in `suffix`.
  std::vector<PartInfo> parts(std::size_t index, const CompiledFunction& code, const std::string& suffix) {
    const std::vector<kernel::KernelCall> calls = kernel::calls_of(code.program);
    const KernelEnvironment host{context_.compiled, index, cpp_dialect(), file_names_, code,
                                 *customs_,         suffix};
    KernelEnvironment device{context_.compiled, index,  cuda_dialect(),        file_names_, code,
                             *customs_,         suffix, context_.names.prefix, &checks_};
    kernels_.clear();
    std::vector<PartInfo> parts;
    for (std::size_t at = 0; at < calls.size(); at += kPartCalls) {
      next_source_if_full();
      const std::size_t end = std::min(at + kPartCalls, calls.size());
      std::vector<PartCall> part;
      for (std::size_t c = at; c < end; ++c) {
        const kernel::Kernel& called = code.program.kernels[calls[c].kernel];
        PartCall& call = part.emplace_back();
        call.call = calls[c];
        call.aside = aside_role(code, calls[c].kernel);
        if (is_transfer(called)) {
          call.transfer = &called.body[0];
          continue;
        }
        call.on_gpu = called.device == kernel::Device::kGpu;
        call.kernel = kernel(call.on_gpu ? device : host, called, calls[c].kernel);
        device.after_checks = device.after_checks || call.kernel.checks;
        if (context_.options.instrument) part.back().counters = counters_.kernel(part.back().kernel.name);
      }
      const std::string base =
          context_.names.functions[index].identifier + suffix + "_part" + std::to_string(at / kPartCalls);
      PartInfo info{file_names_.unique(context_.names.prefix + "_" + base), index, &code};
      bodies_.back() += "\n" + emit_part(context_, part, info);
      parts.push_back(info);
    }
    return parts;
  }

  bool several() const { return bodies_.size() > 1 || context_.options.shards > 1; }

  void next_source_if_full() {
    const std::uint64_t limit = context_.options.source_bytes;
    const bool may =
        context_.options.shards == 0 || static_cast<int>(bodies_.size()) < context_.options.shards;
    if (may && bodies_.back().size() > limit) {
      bodies_.emplace_back();
      in_source_.clear();
    }
  }

  // The kernel, emitted once in each source that calls it.
  const EmittedKernel& kernel(const KernelEnvironment& environment, const kernel::Kernel& kernel,
                              std::uint32_t id) {
    auto [found, fresh] = kernels_.try_emplace(id);
    if (fresh) {
      found->second = emit_kernel(environment, kernel);
      if (context_.options.places) add_place(environment, kernel, found->second.name);
    }
    const std::string& text = found->second.text;
    const bool on_gpu = kernel.device == kernel::Device::kGpu;
    if (fresh && on_gpu) device_body_ += "\n" + text;
    if (in_source_.insert(found->second.name).second)
      bodies_.back() += on_gpu ? found->second.declaration : "\n" + text;
    return found->second;
  }

  // Of a kernel on the GPU the name is that of its launcher.
  void add_place(const KernelEnvironment& environment, const kernel::Kernel& kernel, std::string name) {
    const std::string own = environment.prefix + "_";
    if (kernel.device == kernel::Device::kGpu && name.starts_with(own)) name.erase(0, own.size());
    context_.options.places->push_back({std::move(name), environment.function, collect_sources(kernel.body)});
  }

  EmitContext& context_;
  Identifiers file_names_;
  std::map<std::uint32_t, EmittedKernel> kernels_;  // of the current function
  std::set<std::string> in_source_;                 // kernels that the current source holds
  std::vector<std::string> bodies_{std::string()};
  std::vector<PartInfo> all_parts_;
  std::string entries_;
  std::string device_body_;  // kernels on the GPU
  std::vector<DeviceCheck> checks_;
  Counters counters_;
  std::optional<CustomNames> customs_;
};

std::vector<Artefact> SourceWriter::finish() {
  const std::string& prefix = context_.names.prefix;
  const std::size_t count =
      std::max<std::size_t>(bodies_.size(), static_cast<std::size_t>(context_.options.shards));
  bodies_.resize(count);
  std::string declarations;
  for (const PartInfo& part : all_parts_) declarations += part_declaration(context_, part);
  std::uint64_t hash = fnv1a(context_.weights);
  for (const std::string& body : bodies_) hash = fnv1a(body, hash);
  context_.counter_bytes = counters_.bytes();
  hash = fnv1a(device_body_, hash);
  hash = fnv1a(customs_->text(cpp_dialect(), kernel::Device::kCpu), hash);
  hash = fnv1a(customs_->text(cuda_dialect(), kernel::Device::kGpu), hash);
  const std::string tables = emit_state_table(context_);
  hash = fnv1a(tables, fnv1a(entries_, hash));
  context_.hash = hash;
  std::vector<Artefact> sources;
  const std::string customs = customs_->text(cpp_dialect(), kernel::Device::kCpu);
  const std::string externs = extern_declarations(context_.compiled, cpp_dialect());
  for (std::size_t k = 0; k < count; ++k) {
    std::string name = k == 0 ? prefix + ".cpp" : fmt::format("{}_{}.cpp", prefix, k);
    std::string text = preamble(context_, name, k == 0, several());
    // The functions of the user's are in every source: what one of them does not call costs nothing.
    if (!customs.empty()) text += "#include \"cohort/custom.h\"\n";
    text += extra_headers(bodies_[k]);
    text += '\n' + externs + customs;
    if (context_.uses_device())
      text += fmt::format("extern \"C\" RT_HIDDEN const rt_device_calls {}_device;\n", prefix);
    if (several()) text += declarations + "\n";
    if (k == 0) text += emit_weights(context_, several());
    if (k != 0 && !context_.weights.empty())
      text += fmt::format("extern \"C\" RT_HIDDEN const {} {}_weights[];\n",
                          context_.external_weights ? "unsigned char" : "uint64_t", prefix);
    text += bodies_[k];
    if (k == 0) {
      text += "\n" + tables + emit_module_record(context_);
      if (context_.uses_device()) text += emit_device_record(context_);
      text += entries_ + emit_fixed_entries(context_);
    }
    if (k == 0 && context_.options.instrument) text += counters_.text(file_names_);
    context_.sources.push_back(name);
    sources.push_back({std::move(name), std::move(text)});
  }
  if (context_.uses_device())
    sources.push_back(
        {context_.device_file(),
         emit_device_source(context_, customs_->text(cuda_dialect(), kernel::Device::kGpu) + device_body_,
                            checks_)});
  return sources;
}

}  // namespace

std::vector<Artefact> emit_sources(EmitContext& context) {
  SourceWriter writer(context);
  for (std::size_t f = 0; f < context.module().functions.size(); ++f) writer.function(f);
  return writer.finish();
}

}  // namespace cohort
