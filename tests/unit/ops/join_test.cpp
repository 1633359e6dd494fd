// concat, stack, split, pad and the operators that make patterns. Expected values: NumPy 2.
#include <doctest/doctest.h>

#include "check.h"

namespace cohort::test {

TEST_CASE("add_n") {
  check_op("add_n", {"f64[2] 1 2", "f64[2] 3 4", "f64[2] 5 6"}, {}, {"f64[2] 9 12"});
  check_op("add_n", {"f64[] -0.0"}, {}, {"f64[] -0.0"});
  check_op("add_n", {"f64[1] 1e16", "f64[1] 1", "f64[1] -1e16"}, {}, {"f64[1] 0"});  // from the left
  check_op("add_n", {"i8[1] 100", "i8[1] 100"}, {}, {"i8[1] -56"});
  check_op("add_n", {"bool[2] 0 1", "bool[2] 0 0"}, {}, {"bool[2] 0 1"});
  check_op("add_n", {"f64[0]", "f64[0]"}, {}, {"f64[0]"});
  check_op("add_n", {"i32[1] 1", "f32[1] 0.5"}, {}, {"f64[1] 1.5"});
  CHECK(error_of("add_n", {"i64[2] 1 2", "i64[1] 3"}, {}) == "`add_n`: shapes [2] and [1] do not fit");
  check_named("add_n", {"f64[n,m]", "f64[n,m]"}, {}, {{2, 3}, {1, 0}});
}

TEST_CASE("concat") {
  check_op("concat", {"i64[2] 1 2", "i64[1] 3", "i64[0]"}, {}, {"i64[3] 1 2 3"});
  check_op("concat", {"i64[2,1] 1 2", "i64[2,2] 3 4 5 6"}, {{"axis", number(-1)}}, {"i64[2,3] 1 3 4 2 5 6"});
  check_op("concat", {"i32[1] 1", "f32[1] 0.5"}, {}, {"f64[2] 1 0.5"});
  check_op("concat", {"bool[1] 1"}, {}, {"bool[1] 1"});
  CHECK(error_of("concat", {"i64[2] 1 2", "i64[1,1] 3"}, {}) == "`concat`: shapes [2] and [1,1] do not fit");
  CHECK(error_of("concat", {"i64[1,2] 1 2", "i64[1,1] 3"}, {}) ==
        "`concat`: shapes [1,2] and [1,1] do not fit");
  CHECK(error_of("concat", {"i64[] 1"}, {}) == "`concat`: axis 0 does not exist in rank 0");
  CHECK(infer("concat", {"f64[n]", "f64[2*n]", "f64[3]"}, {}) == "f64[3*n+3]");
  CHECK(infer("concat", {"f64[n]", "f64[m]"}, {}) ==
        "`concat`: the extent of axis 0 would need two named dims, n and m");
  check_named("concat", {"f64[n,m]", "f64[2*n,m]", "f64[3,m]"}, {}, {{1, 1}, {3, 2}, {2, 0}});
}

TEST_CASE("stack") {
  check_op("stack", {"i64[2] 1 2", "i64[2] 3 4"}, {}, {"i64[2,2] 1 2 3 4"});
  check_op("stack", {"i64[2] 1 2", "i64[2] 3 4"}, {{"axis", number(-1)}}, {"i64[2,2] 1 3 2 4"});
  check_op("stack", {"f64[] 1", "f64[] 2", "i8[] 3"}, {}, {"f64[3] 1 2 3"});
  check_op("stack", {"f64[0]", "f64[0]"}, {}, {"f64[2,0]"});
  CHECK(error_of("stack", {"f64[] 1", "f64[1] 2"}, {}) == "`stack`: shapes [] and [1] do not fit");
  CHECK(error_of("stack", {"f64[] 1"}, {{"axis", number(1)}}) == "`stack`: axis 1 does not exist in rank 1");
  check_named("stack", {"f64[n,m]", "f64[n,m]"}, {{"axis", number(1)}}, {{2, 3}, {1, 0}});
}

TEST_CASE("split") {
  check_op("split", {"i64[4] 1 2 3 4"}, {{"sizes", shape({1, 0, 3})}},
           {"i64[1] 1", "i64[0]", "i64[3] 2 3 4"});
  check_op("split", {"i64[2,3] 1 2 3 4 5 6"}, {{"axis", number(1)}, {"sizes", shape({2, 1})}},
           {"i64[2,2] 1 2 4 5", "i64[2,1] 3 6"});
  CHECK(error_of("split", {"i64[2] 1 2"}, {{"sizes", shape({1, 2})}}) ==
        "`split`: attribute `sizes` sums to 3, axis 0 has extent 2");
  CHECK(error_of("split", {"i64[2] 1 2"}, {{"sizes", shape({3, -1})}}) ==
        "`split`: attribute `sizes` has the negative extent -1");
  CHECK(error_of("split", {"i64[0]"}, {{"sizes", shape({})}}) == "`split`: attribute `sizes` is empty");
  CHECK(infer("split", {"f64[3*n+1]"}, {{"sizes", named_shape("[n,2*n,1]")}}) == "f64[n] f64[2*n] f64[1]");
  check_named("split", {"f64[2,3*n+1]"}, {{"axis", number(1)}, {"sizes", named_shape("[n,2*n,1]")}},
              {{1, 0}, {3, 0}});
}

TEST_CASE("pad") {
  const auto widths = [](std::int64_t low, std::int64_t high, std::string mode) {
    return Attrs{{"high", ints({high})}, {"low", ints({low})}, {"mode", text(std::move(mode))}};
  };
  check_op("pad", {"i64[2] 1 2"}, {{"high", ints({2})}, {"low", ints({1})}}, {"i64[5] 0 1 2 0 0"});
  check_op("pad", {"i64[2,1] 1 2"}, {{"high", ints({0, 1})}, {"low", ints({1, 1})}, {"value", 9.0}},
           {"i64[3,3] 9 9 9 9 1 9 9 2 9"});
  check_op("pad", {"f32[1] 1"}, {{"high", ints({1})}, {"low", ints({0})}, {"value", 0.1}},
           {"f32[2] 1 0x1.99999ap-4"});
  check_op("pad", {"i64[0]"}, {{"high", ints({1})}, {"low", ints({1})}}, {"i64[2] 0 0"});
  check_op("pad", {"i64[] 5"}, {{"high", ints({})}, {"low", ints({})}}, {"i64[] 5"});
  check_op("pad", {"i64[3] 1 2 3"}, widths(2, 3, "edge"), {"i64[8] 1 1 1 2 3 3 3 3"});
  check_op("pad", {"i64[3] 1 2 3"}, widths(5, 4, "reflect"), {"i64[12] 2 1 2 3 2 1 2 3 2 1 2 3"});
  check_op("pad", {"i64[1] 7"}, widths(2, 1, "reflect"), {"i64[4] 7 7 7 7"});
  check_op("pad", {"i64[3] 1 2 3"}, widths(4, 5, "wrap"), {"i64[12] 3 1 2 3 1 2 3 1 2 3 1 2"});
  check_op("pad", {"i64[2,2] 1 2 3 4"},
           {{"high", ints({1, 0})}, {"low", ints({0, 1})}, {"mode", text("reflect")}},
           {"i64[3,3] 2 1 2 4 3 4 2 1 2"});
  check_op("pad", {"i64[1,1,2,1] 1 2"},
           {{"high", ints({1, 0, 1, 1})}, {"low", ints({0, 1, 1, 0})}, {"mode", text("edge")}},
           {"i64[2,2,4,2] 1 1 1 1 2 2 2 2 1 1 1 1 2 2 2 2 1 1 1 1 2 2 2 2 1 1 1 1 2 2 2 2"});
  CHECK(error_of("pad", {"i64[1] 1"}, widths(0, 1, "mirror")) ==
        "`pad`: attribute `mode` is none of constant, edge, reflect, wrap");
  CHECK(error_of("pad", {"i64[1] 1"}, widths(-1, 1, "edge")) ==
        "`pad`: attribute `low` has the negative entry -1");
  CHECK(error_of("pad", {"i64[1,1] 1"}, widths(1, 1, "edge")) ==
        "`pad`: attribute `low` has 1 entries for rank 2");
  CHECK(error_of("pad", {"i64[0]"}, widths(0, 1, "edge")) ==
        "`pad`: input 0 has shape [0], which has no element to repeat on axis 0");
  CHECK(infer("pad", {"f64[n]"}, widths(1, 2, "constant")) == "f64[n+3]");
  for (const char* mode : {"constant", "edge", "reflect", "wrap"}) {
    check_named("pad", {"f64[n]"}, widths(3, 2, mode), {{1, 0}, {2, 0}, {8, 0}});
  }
}

TEST_CASE("iota, full, eye, tri") {
  check_op("iota", {}, {{"shape", shape({3})}}, {"i64[3] 0 1 2"});
  check_op("iota", {}, {{"axis", number(-1)}, {"dtype", DType::kF32}, {"shape", shape({2, 2})}},
           {"f32[2,2] 0 1 0 1"});
  check_op("iota", {}, {{"shape", shape({0})}}, {"i64[0]"});
  CHECK(error_of("iota", {}, {{"shape", shape({})}}) == "`iota`: axis 0 does not exist in rank 0");
  check_named("iota", {}, {{"axis", number(1)}, {"shape", named_shape("[n,m]")}}, {{2, 3}, {1, 0}});
  check_op("full", {"bf16[] 1.5"}, {{"shape", shape({2})}}, {"bf16[2] 1.5 1.5"});
  check_op("full", {"bool[] 1"}, {{"shape", shape({})}}, {"bool[] 1"});
  CHECK(error_of("full", {"f64[1] 1"}, {{"shape", shape({2})}}) ==
        "`full`: input 0 has shape [1], which is no scalar");
  check_named("full", {"f64[]"}, {{"shape", named_shape("[n,m]")}}, {{2, 3}});
  check_op("eye", {}, {{"n", number(2)}}, {"f64[2,2] 1 0 0 1"});
  check_op("eye", {}, {{"dtype", DType::kI8}, {"k", number(1)}, {"m", number(3)}, {"n", number(2)}},
           {"i8[2,3] 0 1 0 0 0 1"});
  check_op("eye", {}, {{"k", number(INT64_MIN)}, {"n", number(1)}}, {"f64[1,1] 0"});
  check_op("tri", {}, {{"k", number(-1)}, {"n", number(2)}}, {"f64[2,2] 0 0 1 0"});
  check_op("tri", {}, {{"dtype", DType::kBool}, {"m", number(2)}, {"n", number(3)}},
           {"bool[3,2] 1 0 1 1 1 1"});
  CHECK(error_of("tri", {}, {{"n", number(-1)}}) == "`tri`: attribute `n` is negative");
  CHECK(error_of("eye", {}, {{"m", number(-1)}, {"n", number(1)}}) == "`eye`: attribute `m` is negative");
}

TEST_CASE("size") {
  check_op("size", {}, {{"shape", shape({2, 3})}}, {"i64[] 6"});
  check_op("size", {}, {{"shape", shape({})}}, {"i64[] 1"});
  check_op("size", {}, {{"shape", shape({2, 0})}}, {"i64[] 0"});
  check_named("size", {}, {{"shape", named_shape("[n,2*m]")}}, {{2, 3}, {1, 0}});
  CHECK(error_of("size", {}, {{"shape", shape({-1})}}) ==
        "`size`: attribute `shape` has the negative extent -1");
}

TEST_CASE("one_hot") {
  check_op("one_hot", {"i64[3] 0 2 1"}, {{"depth", number(3)}}, {"f64[3,3] 1 0 0 0 0 1 0 1 0"});
  check_op("one_hot", {"i8[2] -1 3"}, {{"depth", number(3)}, {"dtype", DType::kBool}},
           {"bool[2,3] 0 0 0 0 0 0"});
  check_op("one_hot", {"u64[] 18446744073709551615"}, {{"depth", number(2)}}, {"f64[2] 0 0"});
  check_op("one_hot", {"i64[2] 0 1"}, {{"depth", number(0)}}, {"f64[2,0]"});
  CHECK(error_of("one_hot", {"f64[1] 0"}, {{"depth", number(1)}}) ==
        "`one_hot` does not take `f64` as input 0");
  CHECK(error_of("one_hot", {"i64[1] 0"}, {{"depth", number(-1)}}) ==
        "`one_hot`: attribute `depth` is negative");
  check_named("one_hot", {"i64[n]"}, {{"depth", number(4)}}, {{1, 0}, {6, 0}});
}

}  // namespace cohort::test
