#include "tools/cohort/build_graph.h"

#include "codegen/names.h"

namespace cohort {

std::string build_graph(const Module& module, const CompileOptions& compile_options,
                        const EmitOptions& emit_options, const BuildOptions& build_options,
                        const std::string& directory) {
  const CompiledModule compiled = compile(module, compile_options);
  const std::vector<Artefact> files = emit_module(compiled, emit_options);
  write_artefacts(directory, files);
  std::vector<std::string> sources;
  for (const Artefact& file : files)
    if (file.name.ends_with(".cpp")) sources.push_back(file.name);
  return build_module(directory, name_module(compiled, emit_options.prefix).prefix, sources, build_options);
}

}  // namespace cohort
