#include "compiler/pipeline.h"

namespace cohort {

void run_pipeline(PassRunner& runner) {
  constexpr int kRounds = 4;

  // Fewer kinds of operators, and nothing in the way of the patterns that follow.
  constexpr std::string_view kClean[] = {"expand",           "simplify_shapes", "simplify_slices",
                                         "simplify",         "simplify_matmul", "fold_constants",
                                         "merge_duplicates", "remove_dead"};
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
