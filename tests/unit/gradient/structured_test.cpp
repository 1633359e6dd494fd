// Every structured operator against finite differences, once and twice.
#include <doctest/doctest.h>

#include <set>

#include "ir/op_def.h"
#include "support.h"

using namespace cohort;
using namespace cohort::test;

namespace {

// Operators without a rule of their own: they are written as others, einsum when a graph is built, the rest
// before anything else looks at it (expand_functions).
// Those whose gradients tests/unit/linalg looks at.
const std::set<std::string_view> kLinearAlgebra{"cholesky", "solve_triangular", "solve", "lu", "qr", "inv",
                                                "det",      "slogdet",          "eigh",  "svd"};

// Written as other operators when built, or before anything else looks at them.
bool is_written_as_others(const OpDef& op) { return op.expand || (!op.regions.empty() && !op.loops); }

}  // namespace

TEST_CASE("gradients of all structured operators") {
  for (const Case& c : structured_cases()) check_case(c);
}

TEST_CASE("gradients of those gradients") {
  for (const Case& c : structured_cases()) check_twice(c);
}

// Operators with functions have tests of their own; a C function on whole arrays has no gradient.
TEST_CASE("every operator has a rule, and the rule a case") {
  std::set<std::string_view> with_case;
  const std::vector<Case> cases = structured_cases();
  for (const Case& c : cases) with_case.insert(c.op);
  for (const OpDef* op : all_ops()) {
    INFO(op->name);
    if (op->attrs_in_node) continue;
    CHECK((op->gradient != nullptr) != is_written_as_others(*op));
    const bool moves = op->gradient != nullptr && op->gradient != &no_gradient;
    if (op->scalar == ScalarOp::kNone && op->regions.empty() && moves && !kLinearAlgebra.contains(op->name))
      CHECK(with_case.contains(op->name));
  }
}

TEST_CASE("what is piecewise constant passes nothing on") {
  const Tensor x = generic({4});
  CHECK(gradient_of({"stop_gradient", {x}}) == f64({4}, {0, 0, 0, 0}));
  CHECK(gradient_of({"argsort", {x}}) == f64({4}, {0, 0, 0, 0}));
  CHECK(gradient_of({"argmax", {x}}) == f64({4}, {0, 0, 0, 0}));
  CHECK(gradient_of({"searchsorted", {x, generic({2})}}, 1) == f64({2}, {0, 0}));
}

TEST_CASE("sums in another dtype") {
  const Tensor x = tensor(DType::kF32, {3}, {2, 3, 4});
  const auto in_f64 = [&](const char* op) { return Case{op, {x}, {{"dtype", DType::kF64}}, {}}; };
  CHECK(gradient_of(in_f64("reduce_sum")) == tensor(DType::kF32, {3}, {1, 1, 1}));
  CHECK(gradient_of(in_f64("reduce_prod")) == tensor(DType::kF32, {3}, {12, 8, 6}));
  CHECK(gradient_of(in_f64("cumsum")) == tensor(DType::kF32, {3}, {3, 2, 1}));
  CHECK(gradient_of(in_f64("cumprod")) == tensor(DType::kF32, {3}, {16, 10, 6}));
  const Tensor x4 = tensor(DType::kF32, {4}, {2, 3, 4, 5});
  CHECK(gradient_of({"reduce_mean", {x4}, {{"dtype", DType::kF64}}, {}}) ==
        tensor(DType::kF32, {4}, {.25, .25, .25, .25}));
  CHECK(gradient_of({"reduce_sum", {x}, {{"dtype", DType::kI64}}, {}}) ==
        tensor(DType::kF32, {3}, {0, 0, 0}));
}
