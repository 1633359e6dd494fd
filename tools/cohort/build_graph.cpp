#include "tools/cohort/build_graph.h"

#include <fmt/format.h>

#include "codegen/names.h"

namespace cohort {
namespace {

// What the cut would save, in words, if that is more than half; else nothing.
std::string cheaper_cut(const PlacementReport& report) {
  double taken = 0, cut = 0;
  for (const PlacementReport::PolicyCost& cost : report.policies) {
    const double us = (cost.cpu_ns + cost.gpu_ns + cost.transfer_ns) / 1000;
    if (cost.policy == report.policy) taken = us;
    if (cost.policy == "cut") cut = us;
  }
  if (taken <= 2 * cut) return {};
  return fmt::format(
      "by the device profile a call of every function takes {:.1f} us so, and {:.1f} us with --placement=cut",
      taken, cut);
}

}  // namespace

BuiltGraph build_graph(const Module& module, const CompileOptions& compile_options,
                       const EmitOptions& emit_options, const std::optional<BuildOptions>& build,
                       const std::string& directory, const MoreArtefacts& more) {
  const CompiledModule compiled = compile(module, compile_options);
  std::vector<Artefact> files = emit_module(compiled, emit_options);
  BuiltGraph built{name_module(compiled, emit_options.prefix).prefix, {}};
  for (const PlacementReport::KernelCost& kernel : compiled.placement.kernels) {
    if (kernel.kept.empty() || kernel.program >= compiled.functions.size()) continue;
    built.kept.push_back(fmt::format("`{}` of `{}` stays on the CPU: {}", kernel.kernel,
                                     compiled.module.functions[kernel.program]->name, kernel.kept));
  }
  if (std::string note = cheaper_cut(compiled.placement); !note.empty())
    built.kept.push_back(std::move(note));
  if (more) files.push_back(more(built.prefix));
  write_artefacts(directory, files);
  if (!build) return built;
  std::vector<std::string> sources;
  for (const Artefact& file : files)
    if (file.name.ends_with(".cpp") || file.name.ends_with(".cu")) sources.push_back(file.name);
  built.library = build_module(directory, built.prefix, sources, *build);
  return built;
}

}  // namespace cohort
