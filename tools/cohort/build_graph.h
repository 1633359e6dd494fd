// The whole way from a module to a library in a folder, for the subcommands that run what they compile.
#pragma once

#include <string>

#include "codegen/build.h"
#include "codegen/emit.h"
#include "compiler/compiled.h"

namespace cohort {

// Writes the artefacts to `directory`, builds the library there and gives its path.
std::string build_graph(const Module& module, const CompileOptions& compile_options,
                        const EmitOptions& emit_options, const BuildOptions& build_options,
                        const std::string& directory);

}  // namespace cohort
