#include "compiler/pipeline.h"

#include <algorithm>

#include "ir/op_def.h"

namespace cohort {

namespace {

constexpr std::string_view kBeforeDerivatives[] = {
    "expand", "simplify", "stabilise", "hoist_operands", "merge_narrow_products", "expand_functions"};

bool applies_functions(const Module& module) {
  return std::any_of(module.functions.begin(), module.functions.end(),
                     [](const auto& function) { return applies_functions(*function); });
}

}  // namespace

bool applies_functions(const Function& function) {
  return std::any_of(function.nodes.begin(), function.nodes.end(), [](const Node& node) {
    if (!node.regions.empty() && !node.op->loops) return true;
    return std::any_of(node.regions.begin(), node.regions.end(),
                       [](const auto& region) { return applies_functions(*region); });
  });
}

Module without_applied_functions(Module module) {
  if (!applies_functions(module)) return module;
  PassRunner runner(std::move(module), {});
  runner.run_until_stable(kBeforeDerivatives, 1);
  return runner.finish();
}

void run_pipeline(PassRunner& runner) {
  constexpr int kRounds = 4;

  // What is stable has stable derivatives, and what is one product has one product behind it.
  if (applies_functions(runner.module())) runner.run_until_stable(kBeforeDerivatives, 1);

  // Fewer kinds of operators, and nothing in the way of the patterns that follow.
  constexpr std::string_view kClean[] = {"expand",           "simplify_shapes", "simplify_slices",
                                         "simplify",         "simplify_matmul", "fold_constants",
                                         "merge_duplicates", "simplify_loops",  "share_repeats",
                                         "hoist_from_loops", "remove_dead"};
  runner.run_until_stable(kClean, kRounds);

  // Accuracy first, speed second: what is stable is not taken apart again.
  constexpr std::string_view kAlgebra[] = {"stabilise", "reassociate", "sum_products"};
  runner.run_until_stable(kAlgebra, 1);
  runner.run_until_stable(kClean, kRounds);

  // Nothing that looks for adds or transposes comes after them.
  constexpr std::string_view kLayout[] = {"merge_products", "split_products",  "simplify_loops",
                                          "gather_sums",    "spread_scatters", "lay_out_weights"};
  runner.run_until_stable(kLayout, 1);
}

Module optimise(Module module, const CompileOptions& options) {
  PassRunner runner(std::move(module), options);
  run_pipeline(runner);
  return runner.finish();
}

}  // namespace cohort
