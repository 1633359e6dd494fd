#include "codegen/emit_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "codegen/dialect.h"
#include "codegen/emit_aside.h"
#include "codegen/text.h"
#include "compiler/plan_memory.h"

namespace cohort {
namespace {

constexpr std::string_view kDeclarations = R"(
/* --- The GPU --- */

#define {1}_DEVICE_SIZE ((size_t){2})
/* Makes the workspace's GPU ready for calls, after init: weights and state go there. `device` is a block of
 * {1}_DEVICE_SIZE bytes in its memory, aligned to 256, which the caller keeps until detach, or null: one is
 * allocated. `stream` is a cudaStream_t, or null: one is created. */
int32_t {0}_attach(void* workspace, void* device, size_t device_bytes, void* stream);
/* Lets go of what attach took; state that is at home on the GPU comes back to the workspace. Gives the error
 * of a call that was asked for and not waited for, if one failed. With COHORT_DEVICE_ERROR state has not come
 * back and the workspace stays attached. Comes before init of an attached workspace, which lets go of
 * nothing. */
int32_t {0}_detach(void* workspace);
/* Work of later calls goes to another stream, a cudaStream_t, and does not wait for what was asked for on a
 * stream of the caller's before: wait first, or order the two with an event. */
int32_t {0}_set_stream(void* workspace, void* stream);
/* Until all that was asked for with the _async functions is done; outputs are complete then. Gives the error
 * of the first call that failed, COHORT_NO_DEVICE if none is attached. */
int32_t {0}_wait(void* workspace);
)";

constexpr std::string_view kEntries = R"(
extern "C" int32_t {0}_init(void* workspace, size_t workspace_bytes) {{
  {1}
}}
extern "C" int32_t {0}_attach(void* workspace, void* device, size_t device_bytes, void* stream) {{
  return rt_attach(this_module, {0}_device, this_device, workspace, device, device_bytes, stream);
}}
extern "C" int32_t {0}_detach(void* workspace) {{
  return rt_detach(this_module, {0}_device, this_device, workspace);
}}
extern "C" int32_t {0}_set_stream(void* workspace, void* stream) {{
  return rt_set_stream(this_module, {0}_device, this_device, workspace, stream);
}}
extern "C" int32_t {0}_wait(void* workspace) {{
  if (const int32_t status = rt_check_workspace(this_module, workspace)) return status;
  rt_workspace* header = static_cast<rt_workspace*>(workspace);
  if (const int32_t status = rt_device_ready(header, "wait")) return status;
  return rt_device_wait({0}_device, header, "wait");
}}
extern "C" int32_t {0}_reset(void* workspace) {{
  return rt_device_reset(this_module, {0}_device, this_device, workspace);
}}
extern "C" int32_t {0}_get(void* workspace, const char* name, void* data, size_t bytes) {{
  if (const int32_t status = rt_device_variable(this_module, {0}_device, this_device, workspace, "get", name,
                                                rt_to_host))
    return status;
  return rt_transfer(this_module, "get", workspace, name, data, bytes, false);
}}
extern "C" int32_t {0}_set(void* workspace, const char* name, const void* data, size_t bytes) {{
  if (const int32_t status = rt_device_variable(this_module, {0}_device, this_device, workspace, "set", name,
                                                rt_to_host))
    return status;
  if (const int32_t status =
          rt_transfer(this_module, "set", workspace, name, const_cast<void*>(data), bytes, true))
    return status;
  return rt_device_variable(this_module, {0}_device, this_device, workspace, "set", name, rt_to_device);
}}
extern "C" int32_t {0}_save(void* workspace, const char* path) {{
  if (const int32_t status = rt_fetch_state(this_module, {0}_device, this_device, workspace, "save"))
    return status;
  return rt_save(this_module, workspace, path);
}}
extern "C" int32_t {0}_load(void* workspace, const char* path) {{
  if (const int32_t status = rt_fetch_state(this_module, {0}_device, this_device, workspace, "load"))
    return status;
  if (const int32_t status = rt_load_state(this_module, workspace, path)) return status;
  return rt_device_state({0}_device, this_device, workspace, "load", rt_to_device);
}}
)";

// What lies where in the block, for a checker: each place and size once.
std::string marks(const EmitContext& context, bool checks) {
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::string> names;
  const auto add = [&](const CompiledFunction& code) {
    for (kernel::BufferId b = 0; b < code.placements.size(); ++b) {
      const kernel::Buffer& buffer = code.program.buffers[b];
      const std::uint64_t bytes = buffer_bytes(buffer, context.module().dims);
      if (code.placements[b].space == Space::kDevice && bytes > 0)
        names.try_emplace({code.placements[b].offset, bytes}, buffer.name);
    }
  };
  for (const CompiledFunction& function : context.compiled.functions) add(function);
  for (const SpecialisedFunction& copy : context.compiled.specialised) add(copy.code);
  if (context.compiled.device_blas > 0)
    names[{context.compiled.device_blas, kBlasBytes}] = "memory of cuBLAS";
  std::string text = "\nstatic void mark_buffers([[maybe_unused]] void* block) {\n";
  if (checks)
    text +=
        "  COHORT_MARK_RANGE(rt_place<char>(block, rt_failure_offset), sizeof(rt_failure), \"failure\");\n";
  for (const auto& [place, name] : names)
    text += fmt::format("  COHORT_MARK_RANGE(rt_place<char>(block, {}), {}, {});\n", place.first,
                        place.second, c_string(name));
  return text + "}\n";
}

// What checks say when they fail.
std::string check_table(const std::vector<DeviceCheck>& checks) {
  if (checks.empty()) return {};
  std::string text = "\nstatic const rt_device_check device_checks[] = {\n";
  for (const DeviceCheck& check : checks)
    text += fmt::format("    {{{}, {}, {}}},\n", c_string(check.function),
                        check.op.empty() ? "nullptr" : c_string(check.op),
                        check.op.empty() ? c_string(check.message) : "nullptr");
  return text + "};\n";
}

// Whether something is so of a function's code, or of its code for some values of dims.
template <typename F>
bool any_code(const EmitContext& context, std::size_t function, F is_so) {
  const std::vector<SpecialisedFunction>& copies = context.compiled.specialised;
  return is_so(context.compiled.functions[function]) ||
         std::any_of(copies.begin(), copies.end(), [&](const SpecialisedFunction& copy) {
           return copy.function == function && is_so(copy.code);
         });
}

bool uses_workspace(const EmitContext& context, std::size_t function) {
  return any_code(context, function, [](const CompiledFunction& code) {
    return std::any_of(code.placements.begin(), code.placements.end(),
                       [](const Placement& place) { return place.space == Space::kWorkspace; });
  });
}

}  // namespace

bool EmitContext::uses_device(std::size_t function) const {
  return any_code(*this, function, [](const CompiledFunction& code) {
    return std::any_of(code.program.kernels.begin(), code.program.kernels.end(), [](const kernel::Kernel& k) {
      return k.device == kernel::Device::kGpu || kernel::is_transfer(k);
    });
  });
}

std::string emit_device_source(const EmitContext& context, const std::string& kernels,
                               const std::vector<DeviceCheck>& checks) {
  std::string text =
      fmt::format("// {}: kernels of module `{}` for the GPU, made by {}.\n", context.device_file(),
                  comment_text(context.module().name), context.options.tool);
  text += fmt::format("#include \"{}\"\n", cuda_dialect().prelude);
  if (kernels.find("rt_launch_gemm(") != std::string::npos ||
      kernels.find("rt_gemm_tiles(") != std::string::npos)
    text += "#include \"cohort/cuda_gemm.h\"\n";
  const bool blas = context.compiled.device_blas > 0, aside = aside_events(context.compiled) > 0;
  std::string calls;  // last arguments, which may be left out
  if (blas || aside) calls += blas ? ", &rt_cublas" : ", nullptr";
  if (aside) calls += ", &rt_cuda_aside";
  if (aside) text += "#include \"cohort/cuda_aside.h\"\n";
  if (blas) text += "#include \"cohort/cuda_blas.h\"\n";
  if (!checks.empty()) text += "#include \"cohort/cuda_checks.h\"\n";
  if (kernels.find("RT_CUSTOM_BEGIN") != std::string::npos) text += "#include \"cohort/custom.h\"\n";
  text += kernels;
  return text + marks(context, !checks.empty()) + check_table(checks) +
         fmt::format("\nRT_DEVICE_CALLS({}_device, mark_buffers, {}, {}{});\n", context.names.prefix,
                     checks.empty() ? "nullptr" : "device_checks", checks.size(), calls);
}

std::string emit_device_record(const EmitContext& context) {
  const CompiledModule& compiled = context.compiled;
  std::string text;
  if (!compiled.device_state.empty()) {
    text += "static const rt_device_range device_state[] = {\n";
    for (const auto& [begin, end] : compiled.device_state)
      text += fmt::format("    {{{}, {}}},\n", begin, end);
    text += "};\n";
  }
  std::string replays;
  std::size_t replay_count = 0;
  for (const std::uint64_t replay : context.replays) {
    if (replay == 0) continue;
    replays += fmt::format("{}{}", replays.empty() ? "" : ", ", replay);
    ++replay_count;
  }
  std::string blas;
  if (compiled.device_blas > 0)
    blas = fmt::format("    .blas_offset = {},\n    .blas_bytes = {},\n", compiled.device_blas, kBlasBytes);
  std::string more = blas;
  if (const std::size_t events = aside_events(compiled); events > 0)
    more += fmt::format("    .events = {},\n", events);
  if (replay_count > 0) text += fmt::format("static const size_t replays[] = {{{}}};\n", replays);
  return text + fmt::format(
                    "static const rt_device_module this_device = {{\n    .bytes = {},\n    "
                    ".weights_offset = {},\n    .weights_bytes = {},\n    .state = {},\n    "
                    ".state_count = {},\n    .replays = {},\n    .replay_count = {},\n{}}};\n",
                    compiled.device_bytes, compiled.device_weights, compiled.weights_bytes,
                    compiled.device_state.empty() ? "nullptr" : "device_state", compiled.device_state.size(),
                    replay_count > 0 ? "replays" : "nullptr", replay_count, more);
}

std::string emit_device_entries(const EmitContext& context, const std::string& init) {
  return fmt::format(fmt::runtime(kEntries), context.names.prefix, init);
}

bool transfers_workspace(const EmitContext& context) {
  const auto transfers = [](const CompiledFunction& code) {
    const auto lies_there = [&](kernel::BufferId id) {
      return code.placements[id].space == Space::kWorkspace;
    };
    return std::any_of(
        code.program.kernels.begin(), code.program.kernels.end(), [&](const kernel::Kernel& k) {
          return kernel::is_transfer(k) && (lies_there(k.body[0].buffer) || lies_there(k.body[0].buffers[0]));
        });
  };
  for (std::size_t f = 0; f < context.compiled.functions.size(); ++f)
    if (any_code(context, f, transfers)) return true;
  return false;
}

std::string settle_text(const EmitContext& context, std::size_t function) {
  if (!context.uses_device() || !uses_workspace(context, function)) return {};
  return wrapped("  if (const int32_t status = rt_device_settle(",
                 {context.names.prefix + "_device", "static_cast<rt_workspace*>(workspace)",
                  c_string(context.module().functions[function]->name)},
                 "))\n") +
         "    return status;\n";
}

std::string device_declarations(const EmitContext& context) {
  return fmt::format(fmt::runtime(kDeclarations), context.names.prefix, context.names.macro,
                     context.compiled.device_bytes);
}

}  // namespace cohort
