// The order of the passes on the graph.
#pragma once

#include "compiler/compiled.h"
#include "compiler/run_passes.h"

namespace cohort {

// Runs the graph passes; the module that comes back computes the same (bit for bit, but for what pass.h calls
// kAccuracy and, under options.fast, kFast).
Module optimise(Module module, const CompileOptions& options);

// The same on a runner, whose log and options the caller keeps.
void run_pipeline(PassRunner& runner);

// Whether the function, or a body in it, applies a function or a derivative: then it has no meaning yet.
bool applies_functions(const Function& function);
// The module with all of them written out, by what the pipeline begins with: what interpreters can run.
Module without_applied_functions(Module module);

}  // namespace cohort
