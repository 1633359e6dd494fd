// What the runtime's functions that `call` statements name do, written plainly: the loop interpreter runs
// these.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ir/scalar_op.h"
#include "ir/tensor.h"

namespace cohort {

// `outputs` have their dtypes and extents; they come in with the buffers' present elements.
void call_reference(const std::string& name, std::span<Tensor> outputs, std::span<const Tensor> inputs,
                    std::span<const std::int64_t> scalars);

// An element of the product of a loop of mode `tiles` (ir/ops/product_call.h).
Scalar product_element(const Tensor& a, const Tensor& b, std::span<const std::int64_t> scalars,
                       std::int64_t batch, std::int64_t row, std::int64_t column);

// Whether the first scalars of the function are the elements at which its buffers begin, one for each buffer.
bool call_has_starts(const std::string& name);

}  // namespace cohort
