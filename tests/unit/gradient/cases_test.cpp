// Values that others got wrong, and points where a derivative is a matter of convention.
#include <doctest/doctest.h>

#include <cmath>
#include <functional>

#include "ir/diagnostics.h"
#include "ir/symbol.h"
#include "support.h"
#include "tests/support/same_bits.h"

using namespace cohort;
using namespace cohort::test;

namespace {

using Formula = std::function<Symbol(FunctionBuilder&, const std::vector<Symbol>&)>;

Module module_of(const std::vector<Tensor>& inputs, const Formula& formula) {
  ModuleBuilder module("m");
  FunctionBuilder f(module, "f");
  std::vector<Symbol> symbols;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    symbols.push_back({&f, f.input(fmt::format("x{}", i), type_of(inputs[i]))});
  f.output("y", formula(f, symbols).value);
  module.add_function(f.finish());
  return module.finish();
}

// With cotangent 1 everywhere, or the given one.
std::vector<Tensor> gradients(const std::vector<Tensor>& inputs, const Formula& formula,
                              std::optional<Tensor> cotangent = std::nullopt) {
  const Module module = with_gradient(module_of(inputs, formula), "f");
  std::vector<Tensor> all = inputs;
  if (!cotangent) {
    cotangent = test::run(module, "f", inputs)[0];
    for (std::int64_t i = 0; i < cotangent->size(); ++i) set_element(*cotangent, i, 1);
  }
  all.push_back(*cotangent);
  return test::run(module, "grad_f", all);
}

Symbol make(FunctionBuilder& f, std::string_view op, std::initializer_list<Symbol> inputs, Attrs attrs = {}) {
  std::vector<ValueId> values;
  for (const Symbol& input : inputs) values.push_back(input.value);
  return {&f, f.make(op, values, std::move(attrs))};
}

}  // namespace

TEST_CASE("set with repeated indices: an overwritten write receives nothing (CASES 10)") {
  const std::vector<Tensor> got = gradients(
      {f64({3}, {1, 2, 3}), f64({3}, {4, 5, 6})},
      [](FunctionBuilder& f, const std::vector<Symbol>& in) {
        Tensor places(DType::kI64, {3});
        set_element_int(places, 2, 1);
        const Symbol index{&f, f.constant(f.module().add_constant("i", places))};
        return make(f, "scatter_set", {in[0], in[1], index});
      },
      f64({3}, {5, 7, 11}));
  CHECK(got[0] == f64({3}, {0, 0, 11}));
  CHECK(got[1] == f64({3}, {0, 5, 7}));
}

TEST_CASE("a branch that where did not take is not heard of (CASES 11)") {
  using namespace symbols;
  CHECK(gradients({f64({2}, {0, 4})}, [](FunctionBuilder&, const std::vector<Symbol>& in) {
          return where(in[0] < 1.0, in[0], sqrt(in[0]));
        })[0] == f64({2}, {1, .25}));
  CHECK(gradients({f64({2}, {0, 1})}, [](FunctionBuilder&, const std::vector<Symbol>& in) {
          return where(in[0] > 0.0, in[0] * log(in[0]), number_like(in[0], 0));
        })[0] == f64({2}, {0, 1}));
}

TEST_CASE("products with zeros (CASES 13)") {
  CHECK(gradient_of({"reduce_prod", {f64({3}, {0, 2, 3})}}) == f64({3}, {6, 0, 0}));
  CHECK(gradient_of({"reduce_prod", {f64({3}, {2, 0, 3})}}) == f64({3}, {0, 6, 0}));
  CHECK(gradient_of({"reduce_prod", {f64({3}, {0, 2, 0})}}) == f64({3}, {0, 0, 0}));
  CHECK(gradient_of({"cumprod", {f64({4}, {2, 0, 3, 5})}}) == f64({4}, {1, 2 + 6 + 30, 0, 0}));
  CHECK(gradient_of({"cumprod", {f64({4}, {2, 0, 3, 0})}}) == f64({4}, {1, 2 + 6, 0, 0}));
}

TEST_CASE("ties of extrema share equally (CASES 13)") {
  CHECK(gradient_of({"reduce_max", {f64({4}, {3, 1, 3, 2})}}) == f64({4}, {.5, 0, .5, 0}));
  CHECK(gradient_of({"reduce_min", {f64({4}, {0, -0.0, 0, 0})}}) == f64({4}, {.25, .25, .25, .25}));
  const double nan = std::nan("");
  CHECK(gradient_of({"reduce_max", {f64({2}, {nan, 1})}}) == f64({2}, {0, 0}));
  // Equal elements keep their order.
  CHECK(gradient_of({"sort", {f64({3}, {2, 1, 1})}}) == f64({3}, {1, 1, 1}));
}

TEST_CASE("the norm at 0 has no slope: NaN (CASES 13)") {
  const std::vector<Tensor> got =
      gradients({f64({2}, {0, 0})}, [](FunctionBuilder& f, const std::vector<Symbol>& in) {
        return symbols::sqrt(make(f, "reduce_sum", {symbols::square(in[0])}));
      });
  CHECK(std::isnan(got[0].as<double>()[0]));
  CHECK(std::isnan(got[0].as<double>()[1]));
}

TEST_CASE("logsumexp and softmax far from 0 (CASES 12)") {
  CHECK(gradient_of({"logsumexp", {f64({2}, {-1000, -1000})}}) == f64({2}, {.5, .5}));
  CHECK(gradient_of({"logsumexp", {f64({2}, {1000, 0})}}) == f64({2}, {1, 0}));
  CHECK(gradient_of({"log_softmax", {f64({2}, {1000, 0})}}) == f64({2}, {-1, 1}));
}

TEST_CASE("an index out of range is the same error in the gradient (CASES 4)") {
  const Case c{"gather", {generic({10}), i64({}, {13})}};
  const auto message = [](const std::function<void()>& action) {
    try {
      action();
    } catch (const UserError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const Module module = with_gradient(module_of(c), "f");
  const std::string error = message([&] {
    (void)test::run(module, "grad_f", {c.inputs[0], c.inputs[1], f64({}, {1})});
  });
  CHECK(error.find("13") != std::string::npos);
  CHECK(error.find("10") != std::string::npos);
}

TEST_CASE("a mean of nothing") {
  CHECK(gradient_of({"reduce_mean", {Tensor(DType::kF64, {0})}}).size() == 0);
}
