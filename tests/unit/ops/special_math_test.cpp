// The reference values of the special functions against values in 50 digits: within one unit in the last
// place, as for all mathematical functions (scalar_math_test.cpp).
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "ir/op_def.h"
#include "tests/unit/runtime/special_values.h"

namespace cohort::test {

TEST_CASE("special functions are the true values, rounded") {
  for (const SpecialValue& v : kSpecialValues) {
    const OpDef* op = find_op(v.op);
    REQUIRE(op != nullptr);
    std::vector<Scalar> operands;
    for (const double x : {v.a, v.b, v.c}) operands.push_back(make_scalar(DType::kF64, x));
    operands.resize(static_cast<std::size_t>(op->min_inputs));
    const double seen = scalar_as_double(evaluate_scalar(op->scalar, operands, DType::kF64));
    INFO(v.op << "(" << v.a << ", " << v.b << ", " << v.c << ") is " << seen << ", not " << v.value);
    const double next = std::nextafter(std::fabs(v.value), INFINITY) - std::fabs(v.value);
    CHECK(std::fabs(seen - v.value) <= next);
  }
}

}  // namespace cohort::test
