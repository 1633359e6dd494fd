#include "codegen/emit_replay.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/text.h"

namespace cohort {
namespace {

std::string symbol(const EmitContext& context, std::size_t function) {
  return context.names.prefix + "_" + context.names.functions[function].identifier;
}

bool runs_on_gpu_alone(const CompiledFunction& code) {
  const std::vector<kernel::Kernel>& kernels = code.program.kernels;
  return !kernels.empty() && std::all_of(kernels.begin(), kernels.end(), [](const kernel::Kernel& k) {
    return k.device == kernel::Device::kGpu || kernel::is_transfer(k);
  });
}

}  // namespace

std::uint64_t args_bytes(const EmitContext& context, std::size_t function) {
  const Function& f = *context.module().functions[function];
  const std::vector<std::string>& dims = context.names.functions[function].dims;
  const auto named = std::count_if(dims.begin(), dims.end(), [](const std::string& d) { return !d.empty(); });
  return 8 + 8 * static_cast<std::uint64_t>(named) + 16 * (f.inputs.size() + f.outputs.size());
}

void plan_replays(EmitContext& context) {
  const CompiledModule& compiled = context.compiled;
  context.replays.assign(compiled.functions.size(), 0);
  if (!compiled.cuda_graph || context.options.instrument) return;
  for (std::size_t f = 0; f < compiled.functions.size(); ++f) {
    const bool copies = std::all_of(
        compiled.specialised.begin(), compiled.specialised.end(),
        [&](const SpecialisedFunction& copy) { return copy.function != f || runs_on_gpu_alone(copy.code); });
    if (!copies || !runs_on_gpu_alone(compiled.functions[f])) continue;
    context.replays[f] = context.after_workspace() + context.replay_bytes;
    context.replay_bytes += 16 + args_bytes(context, f);  // rt_replay, the argument struct
  }
}

std::string emit_replayed(const EmitContext& context, std::size_t function, const std::string& parts) {
  return fmt::format(
      "static int32_t {0}_run(void* workspace, [[maybe_unused]] const void* given) {{\n"
      "  [[maybe_unused]] const {0}_args* args = static_cast<const {0}_args*>(given);\n{1}"
      "  return COHORT_OK;\n}}\n",
      symbol(context, function), parts);
}

std::string emit_replay(const EmitContext& context, std::size_t function) {
  const std::string name = symbol(context, function);
  return wrapped("  return rt_replay_call(",
                 {context.names.prefix + "_device", "static_cast<rt_workspace*>(workspace)",
                  c_string(context.module().functions[function]->name),
                  fmt::format("rt_place<rt_replay>(workspace, {})", context.replays[function]), "args",
                  fmt::format("sizeof({}_args)", name), name + "_run"},
                 ");\n");
}

}  // namespace cohort
