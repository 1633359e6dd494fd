// What the operator `print` writes: one line, the message, the type with its actual extents, the elements.
#pragma once

#include <string>
#include <string_view>

#include "ir/tensor.h"

namespace cohort {

// "x: f64[2,2] [[1, 2], [3, 0.5]]\n". Floats have the fewest digits that read back as the same value of their
// dtype. Of an axis longer than 8, the first and last 3 elements are written with "..." between them.
std::string printed_line(std::string_view message, const Tensor& tensor);

}  // namespace cohort
