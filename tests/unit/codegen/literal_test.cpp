#include <doctest/doctest.h>

#include <bit>
#include <cfloat>
#include <cmath>
#include <limits>

#include "codegen/dialect.h"

using namespace cohort;

namespace {

std::string f32(float value) {
  return literal(cpp_dialect(), {DType::kF32, std::bit_cast<std::uint32_t>(value)});
}
std::string f64(double value) {
  return literal(cpp_dialect(), {DType::kF64, std::bit_cast<std::uint64_t>(value)});
}
std::string integer(DType dtype, std::int64_t value) {
  return literal(cpp_dialect(), make_scalar_int(dtype, value));
}

}  // namespace

TEST_CASE("float literals are the shortest that read back to the same bits") {
  CHECK(f32(2.0f) == "2.0f");
  CHECK(f32(0.1f) == "0.1f");
  CHECK(f32(-0.0f) == "-0.0f");
  CHECK(f32(1e-45f) == "1e-45f");
  CHECK(f32(FLT_MAX) == "3.4028235e+38f");
  CHECK(f64(0.1) == "0.1");
  CHECK(f64(1e300) == "1e+300");
  CHECK(f64(std::log(5.0)) == "1.6094379124341003");
}

TEST_CASE("special floats are spelled by the prelude, payloads included") {
  CHECK(f32(INFINITY) == "__builtin_inff()");
  CHECK(f64(-INFINITY) == "-__builtin_inf()");
  CHECK(f32(std::numeric_limits<float>::quiet_NaN()) == "__builtin_nanf(\"\")");
  CHECK(literal(cpp_dialect(), {DType::kF32, 0xffc00001u}) == "rt_bit_cast<float>(0xffc00001u)");
  CHECK(literal(cpp_dialect(), {DType::kF64, 0x7ff8000000000002u}) ==
        "rt_bit_cast<double>(uint64_t{0x7ff8000000000002u})");
}

TEST_CASE("halves are held as floats") {
  CHECK(literal(cpp_dialect(), {DType::kF16, 0x3c01}) == "1.0009766f");
  CHECK(literal(cpp_dialect(), {DType::kBF16, 0x3f80}) == "1.0f");
}

TEST_CASE("integers have the type of their dtype") {
  CHECK(integer(DType::kI32, -3) == "-3");
  CHECK(integer(DType::kI32, INT32_MIN) == "INT32_MIN");
  CHECK(integer(DType::kI64, 7) == "int64_t{7}");
  CHECK(literal(cpp_dialect(), make_scalar_int(DType::kI64, 7), true) == "7");
  CHECK(integer(DType::kI64, INT64_MIN) == "INT64_MIN");
  CHECK(integer(DType::kI8, -128) == "int8_t{-128}");
  CHECK(integer(DType::kU32, 5) == "5u");
  CHECK(integer(DType::kU64, -1) == "uint64_t{18446744073709551615u}");
  CHECK(literal(cpp_dialect(), make_scalar_int(DType::kBool, 1)) == "true");
}
