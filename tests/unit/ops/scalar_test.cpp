// The scalar operators: NumPy's values at the edges of every dtype, typing, broadcasting.
#include <doctest/doctest.h>

#include "check.h"
#include "ir/op_def.h"

namespace cohort::test {

namespace {

// One line per case: "op dtype: operands of each element, comma separated = results". Results of another
// dtype name it.
struct Case {
  const char* op;
  std::vector<std::string> inputs;
  const char* expected;
};

void check_cases(const std::vector<Case>& cases) {
  for (const Case& c : cases) check_op(c.op, c.inputs, {}, {c.expected});
}

}  // namespace

TEST_CASE("integers wrap") {
  check_cases({
      {"add", {"i8[3] 127 -128 100", "i8[3] 1 -1 100"}, "i8[3] -128 127 -56"},
      {"add", {"u8[2] 255 200", "u8[2] 1 100"}, "u8[2] 0 44"},
      {"sub", {"u16[2] 0 5", "u16[2] 1 7"}, "u16[2] 65535 65534"},
      {"sub", {"i64[1] -9223372036854775808", "i64[1] 1"}, "i64[1] 9223372036854775807"},
      {"mul", {"i32[2] 65536 -2147483648", "i32[2] 65536 -1"}, "i32[2] 0 -2147483648"},
      {"mul", {"u16[1] 65535", "u16[1] 65535"}, "u16[1] 1"},
      {"mul", {"u64[1] 18446744073709551615", "u64[1] 18446744073709551615"}, "u64[1] 1"},
      {"neg", {"i8[3] -128 1 0"}, "i8[3] -128 -1 0"},
      {"neg", {"u8[2] 1 0"}, "u8[2] 255 0"},
      {"abs", {"i16[3] -32768 -5 5"}, "i16[3] -32768 5 5"},
      {"abs", {"u64[1] 18446744073709551615"}, "u64[1] 18446744073709551615"},
      {"square", {"i8[2] 16 -5"}, "i8[2] 0 25"},
      {"sign", {"i32[3] -7 0 9"}, "i32[3] -1 0 1"},
      {"sign", {"u8[2] 0 200"}, "u8[2] 0 1"},
  });
}

TEST_CASE("integer division floors and never traps") {
  check_cases({
      {"floor_div",
       {"i32[6] 5 -7 7 -7 7 -2147483648", "i32[6] 0 2 -2 -2 2 -1"},
       "i32[6] 0 -4 -4 3 3 -2147483648"},
      {"mod", {"i32[6] 5 -7 7 -7 7 -2147483648", "i32[6] 0 2 -2 -2 2 -1"}, "i32[6] 0 1 -1 -1 1 0"},
      {"floor_div", {"u8[3] 3 7 255", "u8[3] 0 2 16"}, "u8[3] 0 3 15"},
      {"mod", {"u32[3] 3 7 4294967295", "u32[3] 0 4 16"}, "u32[3] 0 3 15"},
      {"floor_div", {"i8[2] -128 -128", "i8[2] -1 127"}, "i8[2] -128 -2"},
      {"mod", {"i64[2] -9223372036854775808 -9223372036854775808", "i64[2] -1 3"}, "i64[2] 0 1"},
  });
}

TEST_CASE("integer powers and shifts") {
  check_cases({
      {"pow", {"i8[] 2", "i8[] 64"}, "i8[] 0"},
      {"pow", {"i8[1] 2", "i8[1] 64"}, "i8[1] 0"},
      {"pow", {"i64[7] 3 -3 0 0 1 -1 -1", "i64[7] 4 3 0 -1 -5 -3 -2"}, "i64[7] 81 -27 1 0 1 -1 1"},
      {"pow", {"i64[1] 7", "i64[1] -1"}, "i64[1] 0"},
      {"pow", {"u8[2] 3 2", "u8[2] 5 7"}, "u8[2] 243 128"},
      {"shift_left", {"i8[5] 1 1 1 1 -1", "i8[5] 7 8 -1 127 1"}, "i8[5] -128 0 0 0 -2"},
      {"shift_left", {"u64[3] 1 1 3", "u64[3] 63 64 18446744073709551615"}, "u64[3] 9223372036854775808 0 0"},
      {"shift_right", {"i8[5] -128 -128 -1 127 127", "i8[5] 7 8 -1 100 -3"}, "i8[5] -1 -1 -1 0 0"},
      {"shift_right", {"u16[3] 65535 65535 8", "u16[3] 15 16 2"}, "u16[3] 1 0 2"},
      {"bit_and", {"i8[2] -1 12", "i8[2] 5 10"}, "i8[2] 5 8"},
      {"bit_or", {"u8[1] 12", "u8[1] 3"}, "u8[1] 15"},
      {"bit_xor", {"i64[1] -1", "i64[1] 1"}, "i64[1] -2"},
      {"bit_not", {"i16[2] 0 -1"}, "i16[2] -1 0"},
      {"bit_not", {"u8[1] 1"}, "u8[1] 254"},
      {"bit_not", {"bool[2] 0 1"}, "bool[2] 1 0"},
      {"bit_xor", {"bool[3] 0 1 1", "bool[3] 1 1 0"}, "bool[3] 1 0 1"},
  });
}

TEST_CASE("bool") {
  check_cases({
      {"add", {"bool[4] 0 0 1 1", "bool[4] 0 1 0 1"}, "bool[4] 0 1 1 1"},
      {"mul", {"bool[4] 0 0 1 1", "bool[4] 0 1 0 1"}, "bool[4] 0 0 0 1"},
      {"min", {"bool[4] 0 0 1 1", "bool[4] 0 1 0 1"}, "bool[4] 0 0 0 1"},
      {"max", {"bool[4] 0 0 1 1", "bool[4] 0 1 0 1"}, "bool[4] 0 1 1 1"},
      {"and", {"bool[4] 0 0 1 1", "bool[4] 0 1 0 1"}, "bool[4] 0 0 0 1"},
      {"or", {"bool[4] 0 0 1 1", "bool[4] 0 1 0 1"}, "bool[4] 0 1 1 1"},
      {"xor", {"bool[4] 0 0 1 1", "bool[4] 0 1 0 1"}, "bool[4] 0 1 1 0"},
      {"not", {"bool[2] 0 1"}, "bool[2] 1 0"},
      {"and", {"f64[3] 0 nan -0", "i32[3] 1 2 3"}, "bool[3] 0 1 0"},
      {"lt", {"bool[2] 0 1", "bool[2] 1 1"}, "bool[2] 1 0"},
  });
  CHECK(error_of("sub", {"bool[] 1", "bool[] 0"}, {}) == "`sub` does not take `bool` as input 0");
  CHECK(error_of("neg", {"bool[] 1"}, {}) == "`neg` does not take `bool` as input 0");
  CHECK(error_of("bit_and", {"f64[] 1", "f64[] 0"}, {}) == "`bit_and` does not take `f64` as input 0");
  CHECK(error_of("shift_left", {"bool[] 1", "bool[] 0"}, {}) ==
        "`shift_left` does not take `bool` as input 0");
}

TEST_CASE("float division as in Python") {
  for (const char* dtype : {"f64", "f32", "f16", "bf16"}) {
    const auto t = [&](const std::string& rest) { return dtype + rest; };
    check_op("true_div", {t("[4] 1 -1 0 6"), t("[4] 0 0 0 4")}, {}, {t("[4] inf -inf nan 1.5")});
    check_op("floor_div", {t("[8] 5 -5 7 -7 1 0 inf -0"), t("[8] -inf inf -2 2 0 0 2 3")}, {},
             {t("[8] -1 -1 -4 -4 inf nan nan -0")});
    check_op("mod", {t("[8] 5 -5 7 -7 1 6 inf -0"), t("[8] -inf inf -2 2 0 -3 2 3")}, {},
             {t("[8] -inf inf -1 1 nan -0 nan 0")});
  }
  check_op("mod", {"f64[1] -1e-17", "f64[1] 1"}, {}, {"f64[1] 1"});
  check_op("floor_div", {"f64[1] -1e-17", "f64[1] 1"}, {}, {"f64[1] -1"});
  check_op("true_div", {"i64[2] 1 7", "i64[2] 0 2"}, {}, {"f64[2] inf 3.5"});
  check_op("reciprocal", {"f32[3] 0 -0 4"}, {}, {"f32[3] inf -inf 0.25"});
}

TEST_CASE("NaN propagates and zeros keep their order") {
  for (const char* dtype : {"f64", "f32", "f16", "bf16"}) {
    const auto t = [&](const std::string& rest) { return dtype + rest; };
    const std::string a = t("[7] nan 1 nan 0 -0 2 -inf"), b = t("[7] 1 nan nan -0 0 3 1");
    check_op("max", {a, b}, {}, {t("[7] nan nan nan 0 0 3 1")});
    check_op("min", {a, b}, {}, {t("[7] nan nan nan -0 -0 2 -inf")});
    check_op("relu", {t("[5] nan -1 -0 0 2")}, {}, {t("[5] nan 0 0 0 2")});
    check_op("clip", {t("[6] nan 1 1 1 5 -5"), t("[6] 0 nan 0 3 0 0"), t("[6] 2 2 nan 2 2 2")}, {},
             {t("[6] nan nan nan 2 2 0")});
    check_op("sign", {t("[6] nan -2 -0 0 3 inf")}, {}, {t("[6] nan -1 0 0 1 1")});
    check_op("abs", {t("[4] nan -2 -0 -inf")}, {}, {t("[4] nan 2 0 inf")});
    check_op("neg", {t("[3] 0 -0 inf")}, {}, {t("[3] -0 0 -inf")});
    check_op("where", {"bool[3] 1 0 1", t("[3] nan 1 -0"), t("[3] 2 nan 0")}, {}, {t("[3] nan nan -0")});
  }
  check_op("relu", {"i8[2] -3 3"}, {}, {"i8[2] 0 3"});
  check_op("clip", {"u8[3] 1 5 9", "u8[] 2", "u8[] 7"}, {}, {"u8[3] 2 5 7"});
}

TEST_CASE("comparison and classification") {
  const std::string a = "f64[5] nan 1 -0 2 inf", b = "f64[5] nan 2 0 1 inf";
  check_cases({
      {"eq", {a, b}, "bool[5] 0 0 1 0 1"},
      {"ne", {a, b}, "bool[5] 1 1 0 1 0"},
      {"lt", {a, b}, "bool[5] 0 1 0 0 0"},
      {"le", {a, b}, "bool[5] 0 1 1 0 1"},
      {"gt", {a, b}, "bool[5] 0 0 0 1 0"},
      {"ge", {a, b}, "bool[5] 0 0 1 1 1"},
      {"gt", {"u64[1] 18446744073709551615", "u64[1] 1"}, "bool[1] 1"},
      {"isnan", {"f16[4] nan inf -inf 1"}, "bool[4] 1 0 0 0"},
      {"isinf", {"bf16[4] nan inf -inf 1"}, "bool[4] 0 1 1 0"},
      {"isfinite", {"f32[4] nan inf -inf 1"}, "bool[4] 0 0 0 1"},
      {"isnan", {"i64[1] 1"}, "bool[1] 0"},
      {"isinf", {"bool[1] 1"}, "bool[1] 0"},
      {"isfinite", {"u8[1] 1"}, "bool[1] 1"},
  });
}

TEST_CASE("rounding") {
  const std::string x = "f64[9] 0.5 1.5 2.5 -0.5 -1.5 -0.2 nan inf 1e300";
  check_cases({
      {"round", {x}, "f64[9] 0 2 2 -0 -2 -0 nan inf 1e300"},
      {"rint", {x}, "f64[9] 0 2 2 -0 -2 -0 nan inf 1e300"},
      {"floor", {x}, "f64[9] 0 1 2 -1 -2 -1 nan inf 1e300"},
      {"ceil", {x}, "f64[9] 1 2 3 -0 -1 -0 nan inf 1e300"},
      {"trunc", {x}, "f64[9] 0 1 2 -0 -1 -0 nan inf 1e300"},
      {"floor", {"i8[2] -128 5"}, "i8[2] -128 5"},
      {"round", {"u64[1] 18446744073709551615"}, "u64[1] 18446744073709551615"},
  });
}

TEST_CASE("cast") {
  const auto cast = [](const std::string& from, DType to, const std::string& expected) {
    check_op("cast", {from}, {{"dtype", to}}, {expected});
  };
  cast("f64[8] 1.9 -1.9 nan inf -inf 300 -300 -0.5", DType::kI8, "i8[8] 1 -1 0 127 -128 127 -128 0");
  cast("f64[5] -1 1e19 1e20 255.9 nan", DType::kU64,
       "u64[5] 0 10000000000000000000 18446744073709551615 255 0");
  cast("f32[4] 3e9 -3e9 2147483520 nan", DType::kI32, "i32[4] 2147483647 -2147483648 2147483520 0");
  cast("f64[3] 9223372036854775807 -1e30 1e18", DType::kI64,
       "i64[3] 9223372036854775807 -9223372036854775808 1000000000000000000");
  cast("f16[3] inf 65504 nan", DType::kU16, "u16[3] 65535 65504 0");
  cast("f64[5] nan 0 -0 0.1 inf", DType::kBool, "bool[5] 1 0 0 1 1");
  cast("i8[2] 0 -1", DType::kBool, "bool[2] 0 1");
  cast("i32[3] 300 -1 -129", DType::kI8, "i8[3] 44 -1 127");
  cast("i8[2] -1 5", DType::kU64, "u64[2] 18446744073709551615 5");
  cast("u64[1] 18446744073709551615", DType::kF64, "f64[1] 18446744073709551616");
  cast("i32[1] 16777217", DType::kF32, "f32[1] 16777216");
  cast("f64[4] 0.1 1e300 1e-46 nan", DType::kF32, "f32[4] 0x1.99999ap-4 inf 0 nan");
  cast("f32[4] 65519 65520 2049 6e-8", DType::kF16, "f16[4] 65504 inf 2048 0x1p-24");
  cast("f32[3] 1.00390625 1.01171875 3.4e38", DType::kBF16, "bf16[3] 1 1.015625 inf");
  cast("bool[2] 0 1", DType::kBF16, "bf16[2] 0 1");
  CHECK(error_of("cast", {"f64[] 1"}, {}) == "`cast` needs the attribute `dtype`");
}

TEST_CASE("special values of functions") {
  check_cases({
      {"sqrt", {"f64[4] -1 -0 inf 4"}, "f64[4] nan -0 inf 2"},
      {"log", {"f64[4] 0 -1 inf 1"}, "f64[4] -inf nan inf 0"},
      {"exp", {"f64[4] -inf inf nan 0"}, "f64[4] 0 inf nan 1"},
      {"log1p", {"f64[3] -1 -2 -0"}, "f64[3] -inf nan -0"},
      {"expm1", {"f64[3] -inf -0 inf"}, "f64[3] -1 -0 inf"},
      {"sigmoid", {"f64[4] -inf inf nan 0"}, "f64[4] 0 1 nan 0.5"},
      {"softplus", {"f64[4] -inf inf nan 800"}, "f64[4] 0 inf nan 800"},
      {"log1mexp", {"f64[4] 0 -inf 1 nan"}, "f64[4] -inf -0 nan nan"},
      {"logaddexp",
       {"f64[6] -inf inf inf -inf nan 0", "f64[6] -inf inf -inf 3 1 nan"},
       "f64[6] -inf inf inf 3 nan nan"},
      {"xlogy", {"f64[5] 0 0 0 2 0", "f64[5] 0 inf nan 1 -1"}, "f64[5] 0 0 nan 0 0"},
      {"pow",
       {"f64[6] 0 -0 1 nan -8 2", "f64[6] 0 -1 nan 0 0.3333333333333333 inf"},
       "f64[6] 1 -inf 1 1 nan inf"},
      {"atan2",
       {"f64[4] 0 -0 0 -0", "f64[4] 1 1 -1 -1"},
       "f64[4] 0 -0 0x1.921fb54442d18p+1 -0x1.921fb54442d18p+1"},
      {"hypot", {"f64[3] inf nan 3", "f64[3] nan inf 4"}, "f64[3] inf inf 5"},
      {"gammaln", {"f64[6] 0 -1 inf 1 2 nan"}, "f64[6] inf inf inf 0 0 nan"},
      {"digamma", {"f64[6] 0 -0 -1 -inf inf nan"}, "f64[6] -inf inf nan nan inf nan"},
      {"erfc", {"f64[3] -inf inf 0"}, "f64[3] 2 0 1"},
      {"copysign", {"f64[3] 1 -2 nan", "f64[3] -0 0 1"}, "f64[3] -1 2 nan"},
      {"nextafter", {"f32[3] 1 0 1", "f32[3] 2 -1 1"}, "f32[3] 0x1.000002p+0 -0x1p-149 1"},
      {"fma", {"f64[1] 0x1.0000001p+0", "f64[1] 0x1.0000001p+0", "f64[1] -1"}, "f64[1] 0x1.00000008p-27"},
      {"fma", {"f32[1] 0x1.001p+0", "f32[1] 0x1.001p+0", "f32[1] -1"}, "f32[1] 0x1.0008p-11"},
      {"tanh", {"f16[2] 1 -0"}, "f16[2] 0x1.86p-1 -0"},
      {"exp", {"bf16[1] 1"}, "bf16[1] 2.71875"},
      {"exp", {"i32[1] 0"}, "f64[1] 1"},
  });
  CHECK(error_of("nextafter", {"f16[] 1", "f16[] 2"}, {}) == "`nextafter` does not take `f16` as input 0");
}

TEST_CASE("broadcasting and promotion") {
  check_cases({
      {"add", {"i64[2,1] 10 20", "i64[3] 1 2 3"}, "i64[2,3] 11 12 13 21 22 23"},
      {"add", {"i64[2,1,2] 1 2 3 4", "i64[1,2,1] 10 20"}, "i64[2,2,2] 11 12 21 22 13 14 23 24"},
      {"mul", {"f64[] 2", "f64[2,2] 1 2 3 4"}, "f64[2,2] 2 4 6 8"},
      {"sub", {"f64[2,2] 1 2 3 4", "f64[2,1] 1 2"}, "f64[2,2] 0 1 1 2"},
      {"add", {"f64[0]", "f64[1] 1"}, "f64[0]"},
      {"add", {"f64[0,3]", "f64[3] 1 2 3"}, "f64[0,3]"},
      {"add", {"i8[1] 1", "u8[1] 255"}, "i16[1] 256"},
      {"add", {"f32[1] 1", "i32[1] 1"}, "f64[1] 2"},
      {"where", {"bool[2,1] 1 0", "i32[1] 1", "f64[2] 0.5 1.5"}, "f64[2,2] 1 1 0.5 1.5"},
      {"where", {"i8[2] 0 7", "bool[2] 1 1", "bool[2] 0 0"}, "bool[2] 0 1"},
  });
  CHECK(error_of("add", {"f64[2] 1 2", "f64[3] 1 2 3"}, {}) == "`add`: shapes [2] and [3] do not fit");
  CHECK(error_of("add", {"f64[] 1"}, {}) == "`add` takes 2 inputs and is given 1");
  CHECK(infer("add", {"f64[n,1]", "f64[m]"}, {}) == "f64[n,m]");
  CHECK(infer("add", {"f64[n]", "f64[2]"}, {}) == "`add`: shapes [n] and [2] do not fit");
  check_named("add", {"f64[n,1]", "f64[m]"}, {}, {{1, 0}, {1, 1}, {3, 4}});
}

TEST_CASE("the table of operators") {
  CHECK(find_op("tanh") == scalar_op_def(ScalarOp::k_tanh));
  CHECK(find_op("tahn") == nullptr);
  for (const OpDef* op : all_ops()) {
    INFO(op->name);
    CHECK(find_op(op->name) == op);
    CHECK(!op->meaning.empty());
    const bool meaningful = op->infer != nullptr && op->evaluate != nullptr;
    CHECK((op->expand != nullptr || meaningful));
    for (std::size_t i = 1; i < op->attrs.size(); ++i) CHECK(op->attrs[i - 1].name < op->attrs[i].name);
  }
}

}  // namespace cohort::test
