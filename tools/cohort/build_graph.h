// The whole way from a module to files and a library in a folder, for the subcommands that compile.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "codegen/artefact.h"
#include "codegen/build.h"
#include "codegen/emit.h"
#include "compiler/compiled.h"

namespace cohort {

// Compiles the module and writes its artefacts to `directory`, those of `more` (which is given the module's
// prefix) with them; builds a library there if `build` says so. Gives the prefix, the library's path and, of
// a module for the GPU, in words: what stays on the CPU, and whether another placement would be much cheaper.
struct BuiltGraph {
  std::string prefix, library;
  std::vector<std::string> kept = {};
};
using MoreArtefacts = std::function<Artefact(const std::string& prefix)>;
// Looks at what would be written, may change its layout, and throws if it is not to be written.
using ArtefactCheck = std::function<void(const CompiledModule& compiled, std::vector<Artefact>& files,
                                         const std::vector<EmittedPlace>& places)>;
BuiltGraph build_graph(const Module& module, const CompileOptions& compile_options,
                       const EmitOptions& emit_options, const std::optional<BuildOptions>& build,
                       const std::string& directory, const MoreArtefacts& more = {},
                       const ArtefactCheck& check = {});

}  // namespace cohort
