// Whether one product with matrices side by side beats one product with each.
#pragma once

#include <cstdint>
#include <span>

#include "ir/type.h"

namespace cohort {

// By the columns of each matrix. Products run over panels of columns (ir/ops/product_call.h): few columns
// fill their last panel badly, and pay for reading the left operand again. Wide matrices gain nothing that
// would pay for putting them side by side.
bool gain_from_standing_side_by_side(std::span<const std::int64_t> columns, DType dtype);

}  // namespace cohort
