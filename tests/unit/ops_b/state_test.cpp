// State variables whose new value is computed from their old one: what is written must not be read
// afterwards.
#include <doctest/doctest.h>

#include "support.h"

using namespace cohort;
using namespace cohort::test;

namespace {

// x becomes op(x, others...), twice.
void check(const std::string& op, const Tensor& x, const std::vector<Tensor>& others = {}, Attrs attrs = {}) {
  CAPTURE(op);
  ModuleBuilder module("m");
  const StateId state = module.add_state("x", type_of(x), x);
  FunctionBuilder f(module, "f");
  std::vector<ValueId> operands{f.state(state)};
  std::vector<Tensor> inputs{x};
  for (const Tensor& other : others) {
    operands.push_back(f.input("i" + std::to_string(operands.size()), type_of(other)));
    inputs.push_back(other);
  }
  f.update(state, f.make(op, operands, attrs));
  module.add_function(f.finish());
  inputs[0] = run1(op, inputs, attrs);
  inputs[0] = run1(op, inputs, attrs);
  check_module(module.finish(), others, {inputs[0]});
}

}  // namespace

TEST_CASE("products of state") {
  check("matmul", varied(DType::kF64, {4, 4}), {varied(DType::kF64, {4, 4}, 1)});
  check("matmul", varied(DType::kF32, {20, 20}), {varied(DType::kF32, {20, 20}, 1)});
  check("matmul", varied(DType::kF32, {20, 20}), {varied(DType::kF32, {20, 20}, 1)}, {{"transpose_a", true}});
  check("dot", varied(DType::kF64, {3}), {varied(DType::kF64, {3, 3}, 1)});
}

TEST_CASE("sorting, scattering and normalising state") {
  const Tensor x = varied(DType::kF64, {4, 17}), index = i64({3}, {2, -1, 2});
  check("sort", x);
  check("sort", x, {}, {{"axis", std::int64_t{0}}});
  check("softmax", x);
  check("log_softmax", x, {}, {{"axis", std::int64_t{0}}});
  check("cumsum", x);
  check("cumprod", x, {}, {{"axis", std::int64_t{1}}});
  check("scatter_add", x, {varied(DType::kF64, {3, 17}, 1), index});
  check("scatter_set", x, {varied(DType::kF64, {17}, 1), index});
  check("take", x, {i64({4}, {3, 2, 1, 0})});
  check("take_along_axis", x, {i64({4, 1}, {3, 2, 1, 0})}, {{"axis", std::int64_t{0}}});
  check("print", x);
}

TEST_CASE("an operand of scatter that is the updated state itself") {
  ModuleBuilder module("m");
  const Tensor x = f64({3}, {1, 2, 4});
  const StateId state = module.add_state("x", type_of(x), x);
  FunctionBuilder f(module, "f");
  const ValueId index = f.input("i", {DType::kI64, {3}});
  f.update(state, f.make("scatter_add", {f.state(state), f.state(state), index}));
  module.add_function(f.finish());
  // [1, 2, 4] + [4, 2, 1] = [5, 4, 5]; + [5, 4, 5] reversed = [10, 8, 10].
  check_module(module.finish(), {i64({3}, {2, 1, 0})}, {f64({3}, {10, 8, 10})});
}
