#include <doctest/doctest.h>

#include "ir/type.h"

using namespace cohort;

TEST_CASE("types print and parse") {
  const Dims dims{{"batch", 1, 32}, {"a-b", 0, 7}};
  for (const char* text : {"f64[]", "bool[3]", "f32[4,batch]", "i8[2*batch+3]", "u64[batch-1,5]", "bf16[0]",
                           "f16[a-b]", "f16[a-b-1]"}) {
    const auto type = parse_type(text, dims);
    REQUIRE_MESSAGE(type, text);
    CHECK(to_string(*type, dims) == text);
  }
  for (const char* text :
       {"", "f64", "f64[", "f65[2]", "f64[-1]", "f64[time]", "f64[2,]", "f64[,2]", "f64[2]x"})
    CHECK_MESSAGE(!parse_type(text, dims), text);
}

TEST_CASE("dtypes promote as in NumPy") {
  const struct {
    DType a, b, result;
  } cases[] = {{DType::kBool, DType::kI8, DType::kI8},   {DType::kI8, DType::kU8, DType::kI16},
               {DType::kI64, DType::kU64, DType::kF64},  {DType::kI32, DType::kF32, DType::kF64},
               {DType::kI8, DType::kF16, DType::kF16},   {DType::kI16, DType::kF16, DType::kF32},
               {DType::kF16, DType::kBF16, DType::kF32}, {DType::kF32, DType::kF64, DType::kF64},
               {DType::kU16, DType::kI32, DType::kI32},  {DType::kU32, DType::kI32, DType::kI64}};
  for (const auto& c : cases) {
    CHECK(promote(c.a, c.b) == c.result);
    CHECK(promote(c.b, c.a) == c.result);
  }
}

TEST_CASE("dimensions are affine in one name") {
  const Dim batch = Dim::named(0), time = Dim::named(1);
  CHECK(add(batch, Dim(3)) == Dim::named(0, 1, 3));
  CHECK(add(batch, Dim::named(0, -1, 2)) == Dim(2));
  CHECK(!add(batch, time));
  CHECK(multiply(batch, Dim(3)) == Dim::named(0, 3));
  CHECK(!multiply(batch, batch));
  CHECK(divide_exact(Dim::named(0, 6, 3), Dim(3)) == Dim::named(0, 2, 1));
  CHECK(divide_exact(Dim::named(0, 6, 3), Dim::named(0, 2, 1)) == Dim(3));
  CHECK(!divide_exact(Dim::named(0, 6, 4), Dim(3)));
  CHECK(broadcast({batch, 1}, {5}) == Shape{batch, 5});
  CHECK(!broadcast({batch}, {5}));
  CHECK(broadcast({0}, {1}) == Shape{0});
}
