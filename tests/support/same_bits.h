// How tests compare arrays: the sign and payload of a NaN are nobody's promise.
#pragma once

#include "ir/tensor.h"

namespace cohort::test {

// The bits, but any NaN equals any other.
bool same(const Tensor& a, const Tensor& b);

}  // namespace cohort::test
