// Cases from the field: views (overlap, not base), stability, literals.
#include <doctest/doctest.h>

#include <cmath>

#include "compiler/pipeline.h"
#include "ir/builder.h"
#include "ir/interpreter.h"
#include "ir/text_parser.h"

namespace cohort::test {
namespace {

// The first output of a one-input function after the whole pipeline.
double optimised(const std::string& body, const std::vector<double>& x) {
  const std::string text = "module m\nfunc f(%x: f64[" + std::to_string(x.size()) + "]) {\n" + body + "}\n";
  const Module module = optimise(parse_text(text, "m.txt"), {});
  Tensor input(DType::kF64, {static_cast<std::int64_t>(x.size())});
  for (std::size_t i = 0; i < x.size(); ++i) set_element(input, static_cast<std::int64_t>(i), x[i]);
  std::vector<Tensor> state;
  return element_as_double(
      interpret(module, *module.functions[0], std::span(&input, 1), state, {}).outputs[0], 0);
}

// The expected values are given to 13 digits or more.
void check_near(double actual, double expected) {
  CHECK(std::fabs(actual - expected) <= 1e-13 * std::fabs(expected));
}

}  // namespace

TEST_CASE("stability: what overflows or cancels in the source has its true value") {
  check_near(optimised("%e : f64[1] = exp(%x)\n%y : f64[1] = log1p(%e)\noutput y = %y\n", {800}), 800);
  check_near(
      optimised("%e : f64[1] = exp(%x)\n%a : f64[1] = add(1.0, %e)\n%y : f64[1] = log(%a)\noutput y = %y\n",
                {800}),
      800);
  check_near(optimised("%e : f64[1] = sigmoid(%x)\n%y : f64[1] = log(%e)\noutput y = %y\n", {-800}), -800);
  check_near(optimised("%n : f64[1] = neg(%x)\n%e : f64[1] = exp(%n)\n%a : f64[1] = add(%e, 1.0)\n"
                       "%s : f64[1] = true_div(1.0, %a)\n%y : f64[1] = log(%s)\noutput y = %y\n",
                       {-800}),
             -800);
  check_near(
      optimised("%e : f64[1] = exp(%x)\n%a : f64[1] = sub(1.0, %e)\n%y : f64[1] = log(%a)\noutput y = %y\n",
                {-1e-20}),
      -46.0517018598809);
  check_near(
      optimised("%a : f64[1] = slice(%x) {axes = [0], starts = [0], stops = [1]}\n"
                "%b : f64[1] = slice(%x) {axes = [0], starts = [1], stops = [2]}\n%c : f64[1] = exp(%a)\n"
                "%d : f64[1] = exp(%b)\n%e : f64[1] = sub(%c, %d)\n%y : f64[1] = log(%e)\noutput y = %y\n",
                {1000, 999}),
      999.5413248546);
  check_near(optimised("%e : f64[1] = erfc(%x)\n%y : f64[1] = log(%e)\noutput y = %y\n", {40}),
             -1604.2615566532);
  check_near(optimised("%e : f64[1] = erfc(%x)\n%y : f64[1] = log(%e)\noutput y = %y\n", {2}),
             std::log(std::erfc(2.0)));
  check_near(
      optimised("%e : f64[2] = exp(%x)\n%s : f64[] = reduce_sum(%e)\n%y : f64[] = log(%s)\noutput y = %y\n",
                {-1000, -1000}),
      -999.306852819440);
  check_near(
      optimised("%e : f64[2] = abs(%x)\n%s : f64[] = reduce_prod(%e)\n%y : f64[] = log(%s)\noutput y = %y\n",
                {1e-200, 1e-200}),
      -921.034037197618);
}

TEST_CASE("where the sign is not proven, log of a product stays as it is") {
  CHECK(optimised("%s : f64[] = reduce_prod(%x)\n%y : f64[] = log(%s)\noutput y = %y\n", {-2, -3}) ==
        std::log(6.0));
}

TEST_CASE("literals are folded in the dtype they have") {
  CHECK(optimised("%l : f64[] = log(5.0)\n%y : f64[1] = mul(%x, %l)\noutput y = %y\n", {1}) == std::log(5.0));
  CHECK(optimised("%k : f64[1] = true_div(%x, 2.0)\n%y : f64[1] = log(%k)\noutput y = %y\n", {2}) == 0);
}

TEST_CASE("views: a write reaches exactly the elements it overlaps") {
  const std::string head =
      "module m\nconst @k : f64[2] = [10, 20]\nstate @base : f64[4] = [1, 2, 5, 6]\nfunc f() {\n"
      "  %hi : f64[2] = slice(@base) {axes = [0], starts = [2], stops = [4]}\n";
  const auto run = [&](const std::string& body) {
    const Module module = optimise(parse_text(head + body + "}\n", "m.txt"), {});
    std::vector<Tensor> state = initial_state(module);
    const Tensor y = interpret(module, *module.functions[0], {}, state, {}).outputs[0];
    return std::pair(element_as_double(y, 0), element_as_double(y, 1));
  };
  CHECK(run("  %b : f64[4] = set_slice(@base, 0.0) {axes = [0], starts = [0], stops = [2]}\n"
            "  %r : f64[2] = slice(%b) {axes = [0], starts = [2], stops = [4]}\n"
            "  %y : f64[2] = mul(3.0, %r)\n  output y = %y\n  update @base = %b\n") == std::pair(15.0, 18.0));
  CHECK(run("  %b : f64[4] = set_slice(@base, 7.0) {axes = [0], starts = [0], stops = [2]}\n"
            "  %r : f64[2] = slice(%b) {axes = [0], starts = [2], stops = [4]}\n  output y = %r\n") ==
        std::pair(5.0, 6.0));
  CHECK(run("  %b : f64[4] = set_slice(@base, 1.0) {axes = [0], starts = [0], stops = [2]}\n"
            "  %r : f64[2] = slice(%b) {axes = [0], starts = [2], stops = [4]}\n"
            "  %y : f64[2] = mul(%r, @k)\n  output y = %y\n") == std::pair(50.0, 120.0));
}

}  // namespace cohort::test
