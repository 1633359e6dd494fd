#include "compiler/pipeline.h"

namespace cohort {

namespace {

bool applies_functions(const Module& module) {
  for (const auto& function : module.functions)
    for (const Node& node : function->nodes)
      if (!node.regions.empty()) return true;
  return false;
}

}  // namespace

void run_pipeline(PassRunner& runner) {
  constexpr int kRounds = 4;

  // What is stable has stable derivatives, so accuracy comes before them.
  if (applies_functions(runner.module())) {
    constexpr std::string_view kBefore[] = {"expand", "simplify", "stabilise", "expand_functions"};
    runner.run_until_stable(kBefore, 1);
  }

  // Fewer kinds of operators, and nothing in the way of the patterns that follow.
  constexpr std::string_view kClean[] = {"expand",           "simplify_shapes", "simplify_slices",
                                         "simplify",         "simplify_matmul", "fold_constants",
                                         "merge_duplicates", "simplify_loops",  "remove_dead"};
  runner.run_until_stable(kClean, kRounds);

  // Accuracy first, speed second: what is stable is not taken apart again.
  constexpr std::string_view kAlgebra[] = {"stabilise", "reassociate"};
  runner.run_until_stable(kAlgebra, 1);
  runner.run_until_stable(kClean, kRounds);

  // Nothing that looks for adds or transposes comes after them.
  constexpr std::string_view kLayout[] = {"gather_sums", "lay_out_weights"};
  runner.run_until_stable(kLayout, 1);
}

Module optimise(Module module, const CompileOptions& options) {
  PassRunner runner(std::move(module), options);
  run_pipeline(runner);
  return runner.finish();
}

}  // namespace cohort
