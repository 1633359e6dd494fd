// What `cohort verify` allows where errors grow: they count, and nothing else does.
#include <doctest/doctest.h>

#include <cmath>

#include "ir/interpreter.h"
#include "ir/text_parser.h"
#include "tools/cohort/compare.h"
#include "tools/cohort/spread.h"

using namespace cohort;

namespace {

// One function of f64[8] %x, and what it gives where compiled code's tanh and sin are off by some ulp.
struct Example {
  Module module;
  Tensor x{DType::kF64, {8}};
  std::vector<Tensor> state{};

  explicit Example(const std::string& body)
      : module(
            parse_text("module model\nfunc step(%x: f64[8]) {\n" + body + "  output y = %y\n}\n", "model")) {
    for (std::int64_t i = 0; i < 8; ++i) set_element(x, i, 0.25 + 0.1 * static_cast<double>(i));
  }
  const Function& function() const { return *module.functions[0]; }
  ValueId value() const { return function().outputs[0].value; }
  double allowed() const { return allowed_ulp(function())[value()]; }
  Tensor expected() { return interpret(module, function(), std::span(&x, 1), state, {}).outputs[0]; }
  std::vector<double> slack() const {
    return spread_of(module, function(), std::span(&x, 1), state, {}, kUlpPerOperator, 1)[value()];
  }
};

// The value of the example if tanh is off by `ulp`, up in even elements and down in odd ones.
constexpr const char* kCancelling =
    "  %t = tanh(%x)\n"
    "  %near = mul(%x, 1.0000000001)\n"
    "  %u = tanh(%near)\n"
    "  %y = sub(%u, %t)\n";
Tensor cancelling(const Tensor& x, double ulp) {
  Tensor y(DType::kF64, {8});
  for (std::int64_t i = 0; i < 8; ++i) {
    const double v = element_as_double(x, i), t = std::tanh(v), u = std::tanh(v * 1.0000000001);
    set_element(y, i, (u + ulp * ulp_of(u, DType::kF64)) - (t - ulp * ulp_of(t, DType::kF64)));
  }
  return y;
}

}  // namespace

TEST_CASE("errors of tanh that a difference shows are allowed, greater ones are not") {
  Example example(kCancelling);
  const Tensor expected = example.expected(), near = cancelling(example.x, 3),
               far = cancelling(example.x, 100);
  const std::vector<double> slack = example.slack();
  CHECK(compare(expected, near).worst_ulp > example.allowed());  // thousands of ulp of the difference
  CHECK(compare(expected, near, slack).worst_ulp <= example.allowed());
  CHECK(compare(expected, far, slack).worst_ulp > example.allowed());
}

TEST_CASE("errors grow in the steps of loops and in branches, too") {
  const std::string step = std::string("    %t = tanh(%x)\n") + "    %near = mul(%x, 1.0000000001)\n" +
                           "    %u = tanh(%near)\n" + "    %d = sub(%u, %t)\n" + "    output d = %d\n";
  for (const std::string& around :
       {"  %y = scan(%x) {carries = 1, steps = [1]} body(%x: f64[8]) {\n" + step + "  }\n",
        "  %yes = lt(0.0, 1.0)\n  %y = cond(%yes, %x) then(%x: f64[8]) {\n" + step +
            "  } else(%x: f64[8]) {\n    output d = %x\n  }\n"}) {
    Example example(around);
    const Tensor expected = example.expected();
    const std::vector<double> slack = example.slack();
    CHECK(compare(expected, cancelling(example.x, 3), slack).worst_ulp <= example.allowed());
    CHECK(compare(expected, cancelling(example.x, 100), slack).worst_ulp > example.allowed());
  }
}

TEST_CASE("logaddexp near its zeros may be off by ulp of its operands") {
  Example example("  %m = neg(%x)\n  %y = logaddexp(%m, -1.0)\n");
  set_element(example.x, 2, -std::log1p(-std::exp(-1.0)));  // of log(1 - 1/e) the result is all but 0
  const Tensor expected = example.expected();
  REQUIRE(std::fabs(element_as_double(expected, 2)) < 1e-12);
  Tensor near = expected, far = expected;
  set_element(near, 2, element_as_double(expected, 2) + 3 * ulp_of(0.5, DType::kF64));
  set_element(far, 2, element_as_double(expected, 2) + 300 * ulp_of(0.5, DType::kF64));
  const std::vector<double> slack = example.slack();
  CHECK(compare(expected, near, slack).worst_ulp <= example.allowed());
  CHECK(compare(expected, far, slack).worst_ulp > example.allowed());
}

TEST_CASE("no element of many is left without what errors grow to") {
  const Example example(kCancelling);
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const Spread spread = spread_of(example.module, example.function(), std::span(&example.x, 1), {}, {},
                                    kUlpPerOperator, seed);
    for (std::int64_t i = 0; i < 8; ++i)  // more than compiled tanh may be off by
      REQUIRE(spread[example.value()][static_cast<std::size_t>(i)] >
              4 * ulp_of(std::tanh(element_as_double(example.x, i)), DType::kF64));
  }
}

TEST_CASE("where nothing cancels a wrong value stays wrong") {
  Example example("  %t = tanh(%x)\n  %y = add(%t, %x)\n");
  Tensor wrong = example.expected();
  const Tensor expected = wrong;
  const std::vector<double> slack = example.slack();
  set_element(wrong, 3, element_as_double(wrong, 3) * (1 + 1e-14));  // 45 ulp
  CHECK(compare(expected, wrong, slack).worst_ulp > example.allowed());
  CHECK(compare(expected, wrong, slack).index == 3);
}

TEST_CASE("other elements than those that cancel are measured as before") {
  Example example(std::string(kCancelling)
                      .replace(std::string(kCancelling).find("%y = sub(%u, %t)"), 16,
                               "%d = sub(%u, %t)\n  %w = mul(%x, 3.0)\n"
                               "  %first = lt(%x, 0.3)\n  %y = where(%first, %d, %w)"));
  Tensor wrong = example.expected();
  const Tensor expected = wrong;
  set_element(wrong, 5, std::nextafter(element_as_double(wrong, 5), 0.0) * (1 - 1e-14));
  CHECK(compare(expected, wrong, example.slack()).worst_ulp > example.allowed());
}

TEST_CASE("small elements count in ulp of 2^-10 of the greatest, and the distance in their own is kept") {
  Tensor expected(DType::kF64, {3});
  set_element(expected, 0, 1024.0);
  set_element(expected, 1, std::ldexp(1.0, -20));
  set_element(expected, 2, 3.0);
  Tensor got = expected;
  set_element(got, 1, std::ldexp(1.0, -20) + 2 * ulp_of(1.0, DType::kF64));
  Difference difference = compare(expected, got);
  CHECK(difference.index == 1);
  CHECK(difference.worst_ulp == 2);
  CHECK(difference.own_ulp == std::ldexp(2.0, 20));

  set_element(got, 2, 3.0 + 3 * ulp_of(3.0, DType::kF64));  // one counts most, the other is farthest
  difference = compare(expected, got);
  CHECK(difference.index == 2);
  CHECK(difference.worst_ulp == 3);
  CHECK(difference.own_ulp == std::ldexp(2.0, 20));
  CHECK(compare(expected, expected).own_ulp == 0);
}

TEST_CASE("integers and infinities that hang on an error are allowed, others are not") {
  Example example(
      "  %s = sin(%x)\n"
      "  %t = sin(%x)\n"
      "  %d = sub(%s, %t)\n"
      "  %y = true_div(1.0, %d)\n");
  Tensor other = example.expected();  // 1 / 0, but for errors
  const Tensor expected = other;
  set_element(other, 2, 1e15);
  CHECK(compare(expected, other).worst_ulp > example.allowed());
  CHECK(compare(expected, other, example.slack()).worst_ulp <= example.allowed());

  Example sure("  %s = sin(%x)\n  %y = floor(%s)\n");
  Tensor nan = sure.expected();
  const Tensor floors = nan;
  set_element(nan, 2, std::nan(""));
  CHECK(std::isinf(compare(floors, nan, sure.slack()).worst_ulp));
}

TEST_CASE("what stands in the function of an operator counts for it") {
  const Module module = parse_text(
      "module model\nfunc step(%x: f64[8]) {\n  %y = tanh(%x)\n  output y = %y\n}\n"
      "func twice(%x: f64[8]) {\n  %y = call(%x) function = step\n  output y = %y\n}\n",
      "model");
  const Function& twice = *module.functions[1];
  CHECK(allowed_ulp(twice)[twice.outputs[0].value] == kUlpPerOperator);
}
