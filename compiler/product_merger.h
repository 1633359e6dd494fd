// Products of one operand with matrices that all steps of a loop share as one product: what the passes
// merge_products and merge_narrow_products do.
#pragma once

#include "ir/builder.h"

namespace cohort {

enum class MergedProducts : std::uint8_t {
  kNarrow,  // where one product is faster than several by itself: few columns each
  kWaiting  // and what waits for the step before, so that threads share one product in each step
};
Function with_merged_products(ModuleBuilder& module, const Function& function, MergedProducts which);

}  // namespace cohort
