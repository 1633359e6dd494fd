#include "codegen/emit_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "codegen/emit_stmt.h"
#include "codegen/text.h"
#include "codegen/touched.h"
#include "compiler/kernel_passes/device_wide.h"
#include "ir/diagnostics.h"
#include "ir/ops/product_call.h"

namespace cohort {

using kernel::BufferId;
using kernel::ExprRef;
using kernel::Kernel;

namespace {

constexpr std::size_t kMostParameters = 12, kMostDeviceParameters = 64;

struct Range {
  Space space;
  std::uint64_t begin, end;
  bool written;
};
bool overlap(const Range& a, const Range& b) {
  return a.space == b.space && (a.written || b.written) && a.begin < b.end && b.begin < a.end;
}

class KernelWriter {
 public:
  KernelWriter(const KernelEnvironment& environment, const Kernel& kernel)
      : env_(environment),
        kernel_(kernel),
        compiled_(environment.code),
        program_(compiled_.program),
        graph_(*environment.compiled.module.functions[environment.function]),
        on_gpu_(kernel.device == kernel::Device::kGpu),
        locals_{"header", "workspace", "weights", "row", "at", "first_row", "row_count", "device"},
        dim_names_(environment.compiled.module.dims.size()),
        exprs_(environment.dialect, program_, dim_names_) {
    touched_.stmts(program_, kernel.body);
    exprs_.use_customs(environment.customs);
    for (const std::string& name : environment.customs.names()) locals_.reserve(name);
    if (touched_.shares) locals_.reserve("begin"), locals_.reserve("end");
    out_.rows = !kernel.rows.empty();
    out_.fails = touched_.fails;
    out_.header = touched_.fails || touched_.prints || touched_.shares;
    out_.checks = on_gpu_ && touched_.fails;
    guarded_ = on_gpu_ && (out_.checks || environment.after_checks);
    if (guarded_) locals_.reserve("failure");
    if (on_gpu_) out_.header = out_.fails = true;
  }

  EmittedKernel write();

 private:
  // A number on the CPU that a kernel of the GPU reads: passed by value.
  bool is_number(BufferId id) const { return on_gpu_ && program_.buffers[id].device == kernel::Device::kCpu; }
  std::string_view storage(BufferId id) const {
    return env_.dialect.storage_type(program_.buffers[id].dtype);
  }
  bool is_parameter(BufferId id) const {
    return std::find(kernel_.parameters.begin(), kernel_.parameters.end(), id) != kernel_.parameters.end();
  }
  Range range(BufferId id, BufferId body_id) const;
  std::set<BufferId> overlapping() const;
  void name_all();
  std::string pointer(BufferId id, const std::set<BufferId>& shared) const;
  std::string head(const std::set<BufferId>& shared) const;
  std::vector<std::string> aligned_buffers() const;
  void add_steps(std::vector<std::string>& list, const std::string& before) const;
  std::string threads_of(const kernel::Stmt& loop) const;
  std::string launcher(const std::set<BufferId>& shared);
  std::string table();
  std::string row_locals(const std::set<BufferId>& shared) const;
  std::string placed_locals(const std::set<BufferId>& shared) const;

  const KernelEnvironment& env_;
  const Kernel& kernel_;
  const CompiledFunction& compiled_;
  const kernel::Program& program_;
  const Function& graph_;
  const bool on_gpu_;
  bool guarded_ = false;  // does nothing after an error
  Identifiers locals_;
  std::vector<std::string> dim_names_;
  ExprPrinter exprs_;
  Touched touched_;
  std::string kernel_name_;                  // of the function of the kernel
  std::map<BufferId, std::string> numbers_;  // names of the arguments that are numbers
  std::vector<BufferId> placed_;             // found in the workspace or the weights by the kernel itself
  EmittedKernel out_;
};

Range KernelWriter::range(BufferId id, BufferId body_id) const {
  const kernel::Buffer& buffer = program_.buffers[id];
  const Placement& place = compiled_.placements[id];
  const auto bytes = static_cast<std::uint64_t>(max_element_count(buffer, env_.compiled.module.dims) *
                                                dtype_bytes(buffer.dtype));
  return {place.space, place.offset, place.offset + bytes, touched_.written.contains(body_id)};
}

bool has_barrier(const std::vector<kernel::Stmt>& list) {
  return std::any_of(list.begin(), list.end(), [](const kernel::Stmt& s) {
    return s.kind == kernel::StmtKind::kBarrier || has_barrier(s.body) || has_barrier(s.else_body);
  });
}

// Buffers of the body that, in some row, share bytes with another of which one is written. Arguments never
// do: the entry point has checked that.
std::set<BufferId> KernelWriter::overlapping() const {
  std::set<BufferId> out;
  // Threads tell each other by what they store; of a restricted pointer a compiler may load again, or
  // earlier, across a barrier.
  if (on_gpu_ && has_barrier(kernel_.body)) out = touched_.written;
  const std::size_t runs = std::max<std::size_t>(kernel_.rows.size(), 1);
  for (std::size_t r = 0; r < runs; ++r) {
    std::vector<std::pair<Range, BufferId>> ranges;
    for (const BufferId id : touched_.buffers) {
      BufferId actual = id;
      for (std::size_t p = 0; p < kernel_.parameters.size() && r < kernel_.rows.size(); ++p)
        if (kernel_.parameters[p] == id) actual = kernel_.rows[r].buffers[p];
      if (compiled_.placements[actual].space != Space::kArgument) ranges.emplace_back(range(actual, id), id);
    }
    std::sort(ranges.begin(), ranges.end(),
              [](const auto& a, const auto& b) { return a.first.begin < b.first.begin; });
    for (std::size_t a = 0; a < ranges.size(); ++a)
      for (std::size_t b = a + 1; b < ranges.size() && ranges[b].first.begin < ranges[a].first.end; ++b)
        if (overlap(ranges[a].first, ranges[b].first)) out.insert({ranges[a].second, ranges[b].second});
  }
  return out;
}

void KernelWriter::name_all() {
  for (const DimId d : touched_.dims) dim_names_[d] = locals_.unique(env_.compiled.module.dims[d].name);
  for (const BufferId id : touched_.buffers)
    exprs_.name_buffer(id, locals_.unique(program_.buffers[id].name));
  for (const BufferId id : touched_.buffers)
    if (is_number(id)) numbers_[id] = locals_.unique(exprs_.buffer_name(id) + "_number");
  for (const kernel::ScalarParameter& scalar : kernel_.scalars)
    exprs_.name_variable(scalar.var, on_gpu_ ? VariableName{.name = locals_.unique("step"), .natural = true}
                                             : VariableName{.name = locals_.unique("scalar")});
  out_.dims.assign(touched_.dims.begin(), touched_.dims.end());
  for (const bool written : {true, false})
    for (const BufferId id : touched_.buffers)
      if (touched_.written.contains(id) == written && !is_parameter(id)) out_.buffers.push_back(id);
  if (out_.buffers.size() > (on_gpu_ ? kMostDeviceParameters : kMostParameters)) {
    const auto own = [&](BufferId id) {
      return compiled_.placements[id].space == Space::kArgument || is_number(id);
    };
    const auto rest = std::stable_partition(out_.buffers.begin(), out_.buffers.end(), own);
    placed_.assign(rest, out_.buffers.end());
    out_.buffers.erase(rest, out_.buffers.end());
  }
  out_.bases = out_.rows || (!placed_.empty() && !on_gpu_);
}

std::string KernelWriter::pointer(BufferId id, const std::set<BufferId>& shared) const {
  return fmt::format("{}{}*{}{} {}", touched_.written.contains(id) ? "" : "const ",
                     env_.dialect.storage_type(program_.buffers[id].dtype), shared.contains(id) ? "" : " ",
                     shared.contains(id) ? "" : env_.dialect.restricted, exprs_.buffer_name(id));
}

std::string KernelWriter::head(const std::set<BufferId>& shared) const {
  std::vector<std::string> parameters;
  if (out_.bases) {
    for (const char* p : {"void* workspace", "const void* weights"})
      parameters.emplace_back(std::string("[[maybe_unused]] ").append(p));
  }
  if (out_.rows) parameters.insert(parameters.end(), {"int64_t first_row", "int64_t row_count"});
  if (guarded_) parameters.emplace_back(out_.checks ? "rt_failure* failure" : "const rt_failure* failure");
  if (on_gpu_ && !placed_.empty()) parameters.emplace_back("void* device");
  if (out_.header && !on_gpu_) parameters.emplace_back("[[maybe_unused]] rt_workspace* header");
  for (const BufferId id : out_.buffers)
    parameters.push_back(is_number(id) ? fmt::format("const {} {}", storage(id), numbers_.at(id))
                                       : pointer(id, shared));
  for (const DimId d : out_.dims) parameters.push_back("int64_t " + dim_names_[d]);
  add_steps(parameters, "int64_t ");
  const std::string_view result = out_.fails && !on_gpu_ ? "int32_t" : "void";
  return wrapped(fmt::format("{} {} {}(", env_.dialect.kernel, result, kernel_name_), parameters, ") {\n");
}

// Those that begin at multiples of sixteen bytes, as the block does.
std::vector<std::string> KernelWriter::aligned_buffers() const {
  std::vector<std::string> aligned;
  for (const BufferId id : out_.buffers)
    if (compiled_.placements[id].space == Space::kDevice && compiled_.placements[id].offset % 16 == 0)
      aligned.push_back(exprs_.buffer_name(id));
  return aligned;
}

void KernelWriter::add_steps(std::vector<std::string>& list, const std::string& before) const {
  for (const kernel::ScalarParameter& step : kernel_.scalars)
    if (on_gpu_) list.push_back(before + exprs_.variable(step.var).name);
}

// As many threads as the outermost loop has work for.
std::string KernelWriter::threads_of(const kernel::Stmt& loop) const {
  if (loop.mode == kernel::LoopMode::kTiles)
    return fmt::format("rt_tile_threads({}, {}, {})", exprs_.index(loop.index[gemm_tiles::kBatch]),
                       exprs_.index(loop.index[gemm_tiles::kM]), exprs_.index(loop.index[gemm_tiles::kN]));
  const std::string count = exprs_.index(loop.value);
  if (loop.mode == kernel::LoopMode::kTeam) return fmt::format("rt_accumulators * int64_t{{{}}}", count);
  if (loop.mode == kernel::LoopMode::kBlock) return fmt::format("rt_block_threads * int64_t{{{}}}", count);
  return count;
}

// The function that launches the kernel.
std::string KernelWriter::launcher(const std::set<BufferId>& shared) {
  const kernel::Stmt& last = kernel_.body.back();
  std::vector<std::string> parameters{"rt_workspace* header"};
  std::vector<std::string> arguments{"header", c_string(graph_.name)};
  if (last.kind == kernel::StmtKind::kCall) {
    arguments.emplace_back(guarded_ ? "rt_failure_of(header)" : "nullptr");
    for (const BufferId id : last.buffers) arguments.push_back(exprs_.buffer_name(id));
    for (const ExprRef& scalar : last.index) arguments.push_back(exprs_.index(scalar));
  } else {
    arguments.insert(arguments.end(), {kernel_name_, threads_of(last)});
    if (guarded_) arguments.emplace_back("rt_failure_of(header)");
    if (!placed_.empty()) arguments.emplace_back("header->device");
    for (const BufferId id : out_.buffers)
      arguments.push_back((is_number(id) ? "*" : "") + exprs_.buffer_name(id));
    for (const DimId d : out_.dims) arguments.push_back(dim_names_[d]);
    add_steps(arguments, "");
  }
  for (const BufferId id : out_.buffers) parameters.push_back(pointer(id, shared));
  for (const DimId d : out_.dims) parameters.push_back("int64_t " + dim_names_[d]);
  add_steps(parameters, "int64_t ");
  const std::string head = fmt::format("extern \"C\" RT_HIDDEN int32_t {}(", out_.name);
  out_.declaration = wrapped(head, parameters, ");\n");
  // rt_gemm of the runtime launches as rt_launch_gemm.
  const std::string launch =
      last.kind == kernel::StmtKind::kCall ? "rt_launch_" + last.text.substr(3) : std::string("rt_launch");
  return wrapped(head, parameters, ") {\n") + wrapped("  return " + launch + "(", arguments, ");\n") + "}\n";
}

// The rows as a constant table: an offset for each buffer, a value for each scalar.
std::string KernelWriter::table() {
  std::uint64_t last = 0;
  for (const kernel::KernelRow& row : kernel_.rows)
    for (const BufferId id : row.buffers) last = std::max(last, compiled_.placements[id].offset);
  const std::string_view offset = last > UINT32_MAX ? "uint64_t" : "uint32_t";
  std::string fields;
  for (std::size_t p = 0; p < kernel_.parameters.size(); ++p)
    fields +=
        fmt::format("{}{}", p ? ", " : std::string(offset) + " ", exprs_.buffer_name(kernel_.parameters[p]));
  std::string text = fmt::format("struct {}_row {{\n", out_.name);
  if (!fields.empty()) text += fmt::format("  {};  // bytes into the workspace, or the weights\n", fields);
  for (const kernel::ScalarParameter& s : kernel_.scalars)
    text += fmt::format("  {} {};\n", env_.dialect.value_type(s.dtype), exprs_.variable(s.var).name);
  text += fmt::format("}};\nstatic const {0}_row {0}_rows[{1}] = {{\n", out_.name, kernel_.rows.size());
  for (const kernel::KernelRow& row : kernel_.rows) {
    std::string cells;
    for (const BufferId id : row.buffers)
      cells += fmt::format("{}{}", cells.empty() ? "" : ", ", compiled_.placements[id].offset);
    for (std::size_t s = 0; s < row.scalars.size(); ++s)
      cells += fmt::format("{}{}", cells.empty() ? "" : ", ",
                           literal(env_.dialect, {kernel_.scalars[s].dtype, row.scalars[s]}));
    text += fmt::format("    {{{}}},\n", cells);
  }
  return text + "};\n";
}

std::string KernelWriter::placed_locals(const std::set<BufferId>& shared) const {
  std::string text;
  for (const auto& [id, name] : numbers_)
    text += fmt::format("  const {}* const {} = &{};\n", storage(id), exprs_.buffer_name(id), name);
  for (const BufferId id : placed_) {
    const Placement& place = compiled_.placements[id];
    text += fmt::format("  {} = rt_place<{}>({}, {});\n", pointer(id, shared),
                        env_.dialect.storage_type(program_.buffers[id].dtype),
                        place.space == Space::kDevice    ? "device"
                        : place.space == Space::kWeights ? "weights"
                                                         : "workspace",
                        place.offset);
  }
  return text;
}

std::string KernelWriter::row_locals(const std::set<BufferId>& shared) const {
  std::string text;
  for (const BufferId id : kernel_.parameters) {
    if (std::find(touched_.buffers.begin(), touched_.buffers.end(), id) == touched_.buffers.end()) continue;
    const bool weights = compiled_.placements[id].space == Space::kWeights;
    text += fmt::format("    {} = rt_place<{}>({}, row.{});\n", pointer(id, shared),
                        env_.dialect.storage_type(program_.buffers[id].dtype),
                        weights ? "weights" : "workspace", exprs_.buffer_name(id));
  }
  for (const kernel::ScalarParameter& s : kernel_.scalars)
    text += fmt::format("    const {0} {1} = row.{1};\n", env_.dialect.value_type(s.dtype),
                        exprs_.variable(s.var).name);
  return text;
}

EmittedKernel KernelWriter::write() {
  kernel_name_ = env_.file_names.unique(graph_.name + env_.suffix + "_" + kernel_.name);
  out_.name = on_gpu_ ? env_.file_names.unique(env_.prefix + "_" + kernel_name_) : kernel_name_;
  name_all();
  const std::set<BufferId> shared = overlapping();
  const std::size_t launch = env_.checks ? env_.checks->size() : 0;
  const KernelFunction self{kernel_name_, [&](BufferId id) { return pointer(id, shared); }, env_.file_names,
                            env_.checks, launch};
  StatementPrinter statements(env_.dialect, program_, exprs_, locals_, graph_.name, self);
  statements.indent();
  if (out_.rows) statements.indent();
  const bool calls = on_gpu_ && kernel_.body.back().kind == kernel::StmtKind::kCall;
  if (out_.checks) statements.line(fmt::format("if (rt_failed_before(failure, {})) return;", launch));
  if (guarded_ && !out_.checks && !calls) statements.line("if (rt_failed(failure)) return;");
  if (on_gpu_ && kernel::is_wide(kernel_.body.back()))
    for (const std::string& name : aligned_buffers())
      statements.line(fmt::format("{0} = rt_aligned({0});", name));
  if (!calls) statements.kernel(kernel_.body);
  if (out_.rows) statements.dedent();
  if (out_.fails && !out_.rows && !on_gpu_) statements.line("return COHORT_OK;");
  out_.text =
      source_notes(env_.compiled, env_.function, collect_sources(kernel_.body)) + statements.functions();
  if (out_.rows) {
    out_.text += fmt::format("// over {} rows\n", kernel_.rows.size()) + table();
    out_.text += head(shared) + placed_locals(shared);
    out_.text += "  for (int64_t at = first_row; at < first_row + row_count; ++at) {\n";
    out_.text += fmt::format("    const {0}_row& row = {0}_rows[at];\n", out_.name) + row_locals(shared);
    out_.text += statements.text() + "  }\n";
    if (out_.fails) out_.text += "  return COHORT_OK;\n";
    out_.text += "}\n";
  } else {
    if (!calls) out_.text += head(shared) + placed_locals(shared) + statements.text() + "}\n";
    if (on_gpu_) out_.text += launcher(shared);
  }
  return std::move(out_);
}

}  // namespace

EmittedKernel emit_kernel(const KernelEnvironment& environment, const Kernel& kernel) {
  if (!kernel.body.empty() && kernel.body.back().mode == kernel::LoopMode::kLaunches)
    return emit_steps(environment, kernel);
  return KernelWriter(environment, kernel).write();
}

}  // namespace cohort
