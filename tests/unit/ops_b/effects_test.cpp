#include <doctest/doctest.h>

#include <cmath>

#include "ir/ops/print.h"
#include "support.h"

using namespace cohort;
using namespace cohort::test;

TEST_CASE("assert gives x or an error") {
  const Tensor x = f64({2}, {1, 2});
  const Attrs attrs{{"message", std::string("x is small")}};
  CHECK_SAME(run1("assert", {x, tensor(DType::kBool, {}, {1})}, attrs), x);
  CHECK_SAME(run1("assert", {x, tensor(DType::kBool, {0}, {})}, attrs), x);
  CHECK_SAME(run1("assert", {x, f64({2, 2}, {1, 2, std::nan(""), -1})}, attrs), x);
  CHECK(error_of("assert", {x, tensor(DType::kBool, {}, {0})}, attrs).message ==
        "assertion failed: x is small");
  CHECK(error_of("assert", {x, tensor(DType::kBool, {2, 2}, {1, 1, 0, 1})}, attrs).id ==
        DiagId::kAssertFailed);
  CHECK(error_of("assert", {x}).id == DiagId::kWrongArity);
}

TEST_CASE("print writes a line and gives x") {
  const Tensor x = f64({2, 2}, {1, 2.5, -3, std::nan("")});
  CHECK_SAME(run1("print", {x}, {{"message", std::string("x")}}), x);
  CHECK(printed_line("x", x) == "x: f64[2,2] [[1, 2.5], [-3, nan]]\n");
  CHECK(printed_line("", tensor(DType::kBool, {}, {1})) == "bool[] true\n");
  CHECK(printed_line("", tensor(DType::kF32, {1}, {0.1})) == "f32[1] [0.1]\n");
  CHECK(printed_line("", i64({9}, {0, 1, 2, 3, 4, 5, 6, 7, 8})) == "i64[9] [0, 1, 2, ..., 6, 7, 8]\n");
  CHECK(printed_line("", i64({2, 0}, {})) == "i64[2,0] [[], []]\n");
  Tensor large(DType::kU64, {1});
  set_element_int(large, 0, -1);
  CHECK(printed_line("", large) == "u64[1] [18446744073709551615]\n");
  for (const DType dtype : kAllDTypes) run("print", {varied(dtype, {3})});
}
