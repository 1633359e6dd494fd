// A module made a library and loaded, once for many calls: what compiled code gives, with the interpreter's
// interface.
#pragma once

#include <filesystem>
#include <string>

#include "codegen/build.h"
#include "codegen/emit.h"
#include "compiler/pipeline.h"
#include "ir/graph.h"
#include "tools/cohort/build_graph.h"
#include "tools/cohort/engine.h"

namespace cohort::test {

// `module` must outlive the result. The folder under the build tree is named after it and goes away at once.
inline Engine compiled_engine(const Module& module, const CompileOptions& options = {},
                              const std::vector<std::string>& flags = {}) {
  namespace fs = std::filesystem;
  const std::string folder = (fs::path(COHORT_BINARY_DIR) / "scratch" / ("compiled " + module.name)).string();
  fs::remove_all(folder);
  fs::create_directories(folder);
  BuildOptions build;
  build.runtime = COHORT_SOURCE_DIR "/runtime/include";
  build.flags = flags;
  const BuiltGraph built = build_graph(module, options, {}, build, folder);
  Engine engine = library_engine(module, built.library);
  fs::remove_all(folder);
  return engine;
}

}  // namespace cohort::test
