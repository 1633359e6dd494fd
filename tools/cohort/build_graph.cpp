#include "tools/cohort/build_graph.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>

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

namespace {

// The libraries that `extern` nodes name, of bodies, too.
void collect_libraries(const Function& function, std::set<std::string>& libraries) {
  for (const Node& node : function.nodes) {
    if (const Attr* library = find_attr(node.attrs, "library"))
      libraries.insert(std::get<std::string>(*library));
    for (const auto& region : node.regions) collect_libraries(*region, libraries);
  }
}
std::set<std::string> extern_libraries(const Module& module) {
  std::set<std::string> libraries;
  for (const auto& function : module.functions) collect_libraries(*function, libraries);
  libraries.erase("");
  return libraries;
}

}  // namespace

BuiltGraph build_graph(const Module& module, const CompileOptions& compile_options,
                       const EmitOptions& emit_options, const std::optional<BuildOptions>& build,
                       const std::string& directory, const MoreArtefacts& more, const ArtefactCheck& check) {
  const CompiledModule compiled = compile(module, compile_options);
  std::vector<EmittedPlace> places;
  EmitOptions emit = emit_options;
  if (check) emit.places = &places;
  std::vector<Artefact> files = emit_module(compiled, emit);
  if (check) check(compiled, files, places);
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
  BuildOptions linked = *build;
  linked.blas = compiled.device_blas > 0;
  for (const std::string& library : extern_libraries(module)) {
    const std::filesystem::path path = std::filesystem::absolute(library);
    linked.link.push_back(path.string());
    linked.link.push_back("-Wl,-rpath," + path.parent_path().string());
  }
  built.library = build_module(directory, built.prefix, sources, linked);
  return built;
}

}  // namespace cohort
