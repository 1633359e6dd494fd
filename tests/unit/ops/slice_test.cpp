// slice, set_slice, inc_slice. Expected values: NumPy 2.
#include <doctest/doctest.h>

#include "check.h"

namespace cohort::test {

namespace {

Attrs along(std::optional<std::int64_t> start, std::optional<std::int64_t> stop,
            std::optional<std::int64_t> step) {
  return {{"starts", ints({start})}, {"steps", ints({step})}, {"stops", ints({stop})}};
}

}  // namespace

TEST_CASE("slice: Python's clamping and negative entries") {
  const std::string x = "i64[5] 0 1 2 3 4";
  check_op("slice", {x}, along(1, 3, kNull), {"i64[2] 1 2"});
  check_op("slice", {x}, along(-2, kNull, kNull), {"i64[2] 3 4"});
  check_op("slice", {x}, along(-99, 99, kNull), {"i64[5] 0 1 2 3 4"});
  check_op("slice", {x}, along(kNull, kNull, 2), {"i64[3] 0 2 4"});
  check_op("slice", {x}, along(1, kNull, 3), {"i64[2] 1 4"});
  check_op("slice", {x}, along(kNull, kNull, -1), {"i64[5] 4 3 2 1 0"});
  check_op("slice", {x}, along(3, 0, -2), {"i64[2] 3 1"});
  check_op("slice", {x}, along(99, -99, -3), {"i64[2] 4 1"});
  check_op("slice", {x}, along(3, 1, kNull), {"i64[0]"});
  check_op("slice", {x}, along(9, 12, kNull), {"i64[0]"});
  check_op("slice", {x}, along(-9, -12, -1), {"i64[0]"});
  check_op("slice", {x}, along(INT64_MIN, INT64_MAX, INT64_MAX), {"i64[1] 0"});
  check_op("slice", {"i64[0]"}, along(1, kNull, -1), {"i64[0]"});
  // From the field: x[0:-3:-1] and x[:-3:-1] of two elements.
  check_op("slice", {"i64[2] 0 2"}, along(0, -3, -1), {"i64[1] 0"});
  check_op("slice", {"i64[2] 0 2"}, along(kNull, -3, -1), {"i64[2] 2 0"});
}

TEST_CASE("slice: axes") {
  const std::string x = "i64[2,3] 1 2 3 4 5 6";
  check_op("slice", {x}, {}, {x});
  check_op("slice", {x}, {{"starts", ints({1})}}, {"i64[1,3] 4 5 6"});
  check_op("slice", {x}, {{"axes", ints({1})}, {"starts", ints({1})}}, {"i64[2,2] 2 3 5 6"});
  check_op("slice", {x}, {{"axes", ints({-1, 0})}, {"starts", ints({1, 1})}, {"stops", ints({2, kNull})}},
           {"i64[1,1] 5"});
  check_op("slice", {"f32[] 1"}, {}, {"f32[] 1"});
}

TEST_CASE("slice: refused attributes") {
  const std::string x = "i64[2] 0 1";
  CHECK(error_of("slice", {x}, along(kNull, kNull, 0)) == "`slice`: attribute `steps` has the entry 0");
  CHECK(error_of("slice", {x}, {{"axes", ints({1})}, {"starts", ints({0})}}) ==
        "`slice`: axis 1 does not exist in rank 1");
  CHECK(error_of("slice", {x}, {{"starts", ints({0, 0})}}) == "`slice`: axis 1 does not exist in rank 1");
  CHECK(error_of("slice", {x}, {{"starts", ints({0})}, {"stops", ints({1, 1})}}) ==
        "`slice`: attribute `stops` has 2 entries for 1 axes");
  CHECK(error_of("slice", {x}, {{"sizes", shape({1})}}) ==
        "`slice`: attribute `sizes` needs a start for each axis as an input");
  CHECK(error_of("slice", {x, "i64[] 0"}, {}) == "`slice` needs the attribute `sizes`");
  CHECK(error_of("slice", {x, "i64[] 0"}, {{"sizes", shape({1})}, {"starts", ints({0})}}) ==
        "`slice`: attribute `starts` does not go with starts as inputs");
  CHECK(error_of("slice", {x, "i64[] 0"}, {{"sizes", shape({3})}}) ==
        "`slice`: attribute `sizes` has the entry 3, which exceeds axis 0 of extent 2");
  CHECK(error_of("slice", {x, "i64[1] 0"}, {{"sizes", shape({1})}}) ==
        "`slice`: input 1 has shape [1], which is no scalar");
  CHECK(error_of("slice", {x, "f64[] 0"}, {{"sizes", shape({1})}}) ==
        "`slice` does not take `f64` as input 1");
}

TEST_CASE("slice: starts at run time") {
  const std::string x = "i64[5] 0 1 2 3 4";
  check_op("slice", {x, "i64[] 1"}, {{"sizes", shape({2})}}, {"i64[2] 1 2"});
  check_op("slice", {x, "i8[] -2"}, {{"sizes", shape({2})}}, {"i64[2] 3 4"});
  check_op("slice", {x, "u64[] 4"}, {{"sizes", shape({3})}, {"steps", ints({-2})}}, {"i64[3] 4 2 0"});
  check_op("slice", {x, "i64[] 99"}, {{"sizes", shape({0})}}, {"i64[0]"});
  check_op("slice", {"i64[2,3] 1 2 3 4 5 6", "i64[] 1", "i64[] -1"},
           {{"axes", ints({1, 0})}, {"sizes", shape({2, 1})}}, {"i64[1,2] 5 6"});
  const Attrs two{{"sizes", shape({2})}};
  CHECK(error_of("slice", {x, "i64[] 5"}, two) == "`slice`: index 5 is out of range for size 5");
  CHECK(error_of("slice", {x, "i64[] -6"}, two) == "`slice`: index -6 is out of range for size 5");
  CHECK(error_of("slice", {x, "i64[] 4"}, two) == "`slice`: index 5 is out of range for size 5");
  CHECK(error_of("slice", {x, "i64[] 0"}, {{"sizes", shape({2})}, {"steps", ints({-1})}}) ==
        "`slice`: index -1 is out of range for size 5");
}

TEST_CASE("slice: named dims") {
  CHECK(infer("slice", {"f64[n]"}, along(1, kNull, kNull)) == "f64[n-1]");
  CHECK(infer("slice", {"f64[n]"}, along(kNull, -1, kNull)) == "f64[n-1]");
  CHECK(infer("slice", {"f64[n]"}, along(-1, kNull, kNull)) == "f64[1]");
  CHECK(infer("slice", {"f64[n]"}, along(kNull, kNull, -1)) == "f64[n]");
  CHECK(infer("slice", {"f64[2*n+1]"}, along(kNull, kNull, 2)) == "f64[n+1]");
  CHECK(infer("slice", {"f64[2*n]"}, along(kNull, kNull, 2)) == "f64[n]");
  CHECK(
      infer("slice", {"f64[n]"}, along(kNull, 2, kNull)) ==
      "`slice`: attribute `stops` has the entry 2, which may lie outside an axis of extent `n` (at least 1)");
  CHECK(infer("slice", {"f64[n]"}, along(-2, kNull, kNull)) ==
        "`slice`: attribute `starts` has the entry -2, which may lie outside an axis of extent `n` (at least "
        "1)");
  CHECK(infer("slice", {"f64[n]"}, along(kNull, kNull, 2)) ==
        "`slice`: attribute `steps` has the entry 2, which does not divide `n` on axis 0");
  CHECK(infer("slice", {"f64[n+1]"}, along(1, -1, kNull)) == "f64[n-1]");
  CHECK(infer("slice", {"f64[n]"}, along(1, -1, kNull)) ==
        "`slice`: attribute `stops` makes axis 0 of extent `n-2`, which may be negative");
  const std::vector<DimValues> values{{1, 0}, {2, 1}, {8, 4}};
  check_named("slice", {"f64[n]"}, along(1, kNull, kNull), values);
  check_named("slice", {"f64[n,m]"}, {{"steps", ints({-1, -1})}}, values);
  check_named("slice", {"f64[2*n+1]"}, along(kNull, kNull, 2), values);
  check_named("slice", {"f64[4*n+3]"}, along(-1, kNull, -4), values);
  check_named("slice", {"f64[4*n+3]"}, along(-2, 0, -4), values);
  CHECK(infer("slice", {"f64[n]", "i64[]"}, {{"sizes", named_shape("[m]")}}) ==
        "`slice`: attribute `sizes` has the entry `m`, which may be 0");
  check_named("slice", {"f64[n+1]", "i64[]"}, {{"sizes", named_shape("[n]")}}, values);
}

TEST_CASE("set_slice") {
  check_op("set_slice", {"i64[4] 0 1 2 3", "i64[2] 8 9"}, along(1, 3, kNull), {"i64[4] 0 8 9 3"});
  check_op("set_slice", {"i64[4] 0 1 2 3", "i64[] 9"}, along(kNull, kNull, -2), {"i64[4] 0 9 2 9"});
  check_op("set_slice", {"i64[2,2] 1 2 3 4", "i64[2,1] 8 9"}, {}, {"i64[2,2] 8 8 9 9"});
  check_op("set_slice", {"f32[2] 1 2", "f64[] 0.5"}, along(1, kNull, kNull), {"f32[2] 1 0.5"});
  check_op("set_slice", {"i64[4] 0 1 2 3", "i64[2] 8 9", "i64[] -2"}, {{"sizes", shape({2})}},
           {"i64[4] 0 1 8 9"});
  check_op("set_slice", {"i64[3] 0 1 2", "i64[0]"}, along(1, 1, kNull), {"i64[3] 0 1 2"});
  CHECK(error_of("set_slice", {"i64[4] 0 1 2 3", "i64[3] 7 8 9"}, along(1, 3, kNull)) ==
        "`set_slice`: shapes [2] and [3] do not fit");
  CHECK(error_of("set_slice", {"i64[2] 0 1", "i64[1] 7", "i64[] 2"}, {{"sizes", shape({1})}}) ==
        "`set_slice`: index 2 is out of range for size 2");
  check_named("set_slice", {"f64[n,3]", "f64[3]"}, {{"starts", ints({1})}}, {{1, 0}, {4, 0}});
}

TEST_CASE("inc_slice") {
  check_op("inc_slice", {"i64[4] 0 1 2 3", "i64[2] 8 9"}, along(1, 3, kNull), {"i64[4] 0 9 11 3"});
  // From the field: zeros(4)[::-2] += 1.
  check_op("inc_slice", {"f64[4] 0 0 0 0", "f64[] 1"}, along(kNull, kNull, -2), {"f64[4] 0 1 0 1"});
  check_op("inc_slice", {"bool[3] 0 1 0", "bool[2] 1 0"}, along(1, kNull, kNull), {"bool[3] 0 1 0"});
  check_op("inc_slice", {"u8[2] 255 1", "u8[1] 2"}, along(kNull, 1, kNull), {"u8[2] 1 1"});
  check_op("inc_slice", {"f16[2] 1 1", "f16[] 0.0001"}, {}, {"f16[2] 1 1"});
  check_op("inc_slice", {"i64[3] 0 1 2", "i64[] 5", "i32[] 1"}, {{"sizes", shape({1})}}, {"i64[3] 0 6 2"});
  check_op("inc_slice", {"i64[0]", "i64[] 5"}, {}, {"i64[0]"});
  check_named("inc_slice", {"f64[n,3]", "f64[n,1]"}, {{"axes", ints({1})}, {"steps", ints({2})}},
              {{1, 0}, {4, 0}});
}

}  // namespace cohort::test
