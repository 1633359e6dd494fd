// Operators that only rearrange elements. Expected values: NumPy 2.
#include <doctest/doctest.h>

#include "check.h"

namespace cohort::test {

TEST_CASE("broadcast") {
  check_op("broadcast", {"f64[2,1] 1 2"}, {{"shape", shape({2, 3})}}, {"f64[2,3] 1 1 1 2 2 2"});
  check_op("broadcast", {"i8[] 7"}, {{"shape", shape({2, 2})}}, {"i8[2,2] 7 7 7 7"});
  check_op("broadcast", {"bool[1] 1"}, {{"shape", shape({0})}}, {"bool[0]"});
  check_op("broadcast", {"f16[2] 1 2"}, {{"shape", shape({2, 1, 2})}}, {"f16[2,1,2] 1 2 1 2"});
  CHECK(error_of("broadcast", {"f64[2] 1 2"}, {{"shape", shape({3})}}) ==
        "`broadcast`: shapes [2] and [3] do not fit");
  CHECK(infer("broadcast", {"f64[1,n]"}, {{"shape", named_shape("[m,n]")}}) == "f64[m,n]");
  CHECK(infer("broadcast", {"f64[n]"}, {{"shape", named_shape("[m]")}}) ==
        "`broadcast`: shapes [n] and [m] do not fit");
  check_named("broadcast", {"f64[1,n]"}, {{"shape", named_shape("[m,n]")}}, {{3, 2}, {1, 0}});
}

TEST_CASE("reshape") {
  check_op("reshape", {"i32[2,3] 1 2 3 4 5 6"}, {{"shape", shape({3, 2})}}, {"i32[3,2] 1 2 3 4 5 6"});
  check_op("reshape", {"i32[2,3] 1 2 3 4 5 6"}, {{"shape", shape({-1})}}, {"i32[6] 1 2 3 4 5 6"});
  check_op("reshape", {"i32[6] 1 2 3 4 5 6"}, {{"shape", shape({1, 2, 1, 3})}}, {"i32[1,2,1,3] 1 2 3 4 5 6"});
  check_op("reshape", {"i32[4,3] 1 2 3 4 5 6 7 8 9 10 11 12"}, {{"shape", shape({2, 2, -1, 1})}},
           {"i32[2,2,3,1] 1 2 3 4 5 6 7 8 9 10 11 12"});
  check_op("reshape", {"i32[4,3] 1 2 3 4 5 6 7 8 9 10 11 12"}, {{"shape", shape({6, 2})}},
           {"i32[6,2] 1 2 3 4 5 6 7 8 9 10 11 12"});
  check_op("reshape", {"f64[] 3"}, {{"shape", shape({1, 1})}}, {"f64[1,1] 3"});
  check_op("reshape", {"f64[1,1] 3"}, {{"shape", shape({})}}, {"f64[] 3"});
  check_op("reshape", {"f64[0,3]"}, {{"shape", shape({5, 0})}}, {"f64[5,0]"});
  check_op("reshape", {"f64[0,3]"}, {{"shape", shape({-1, 3})}}, {"f64[0,3]"});
  CHECK(error_of("reshape", {"f64[3] 1 2 3"}, {{"shape", shape({2})}}) ==
        "`reshape`: shapes [3] and [2] do not fit");
  CHECK(error_of("reshape", {"f64[3] 1 2 3"}, {{"shape", shape({-1, 2})}}) ==
        "`reshape`: shapes [3] and [-1,2] do not fit");
  CHECK(error_of("reshape", {"f64[0]"}, {{"shape", shape({-1, 0})}}) ==
        "`reshape`: shapes [0] and [-1,0] do not fit");
  CHECK(error_of("reshape", {"f64[4] 1 2 3 4"}, {{"shape", shape({-1, -1})}}) ==
        "`reshape`: attribute `shape` has more than one -1");
  CHECK(error_of("reshape", {"f64[4] 1 2 3 4"}, {{"shape", shape({-2, -2})}}) ==
        "`reshape`: attribute `shape` has a negative extent");
  CHECK(infer("reshape", {"f64[n,6]"}, {{"shape", shape({-1})}}) == "f64[6*n]");
  CHECK(infer("reshape", {"f64[2*n+2]"}, {{"shape", shape({2, -1})}}) == "f64[2,n+1]");
  CHECK(infer("reshape", {"f64[n,m,4]"}, {{"shape", named_shape("[n,m,2,2]")}}) == "f64[n,m,2,2]");
  CHECK(infer("reshape", {"f64[n,m]"}, {{"shape", shape({-1})}}) ==
        "`reshape`: shapes [n,m] and [-1] do not fit");
  CHECK(infer("reshape", {"f64[n]"}, {{"shape", shape({-1, 2})}}) ==
        "`reshape`: shapes [n] and [-1,2] do not fit");
  check_named("reshape", {"f64[n,m,4]"}, {{"shape", named_shape("[n,2*m,2]")}}, {{3, 2}, {1, 1}, {2, 0}});
  check_named("reshape", {"f64[n,6]"}, {{"shape", named_shape("[2*n,3]")}}, {{1, 0}, {4, 0}});
}

TEST_CASE("transpose") {
  check_op("transpose", {"u8[2,3] 1 2 3 4 5 6"}, {}, {"u8[3,2] 1 4 2 5 3 6"});
  check_op("transpose", {"f64[1,2,3] 1 2 3 4 5 6"}, {{"axes", ints({2, 0, -2})}}, {"f64[3,1,2] 1 4 2 5 3 6"});
  check_op("transpose", {"f64[] 1"}, {}, {"f64[] 1"});
  check_op("transpose", {"f64[0,2]"}, {}, {"f64[2,0]"});
  CHECK(error_of("transpose", {"f64[1,1] 1"}, {{"axes", ints({0, 2})}}) ==
        "`transpose`: axis 2 does not exist in rank 2");
  CHECK(error_of("transpose", {"f64[1,1] 1"}, {{"axes", ints({0, -2})}}) ==
        "`transpose`: attribute `axes` names axis 0 twice");
  CHECK(error_of("transpose", {"f64[1,1] 1"}, {{"axes", ints({0})}}) ==
        "`transpose`: attribute `axes` has 1 entries for rank 2");
  CHECK(error_of("transpose", {"f64[1,1] 1"}, {{"axes", ints({0, kNull})}}) ==
        "`transpose`: attribute `axes` has a null entry");
  check_named("transpose", {"f64[n,3,m]"}, {{"axes", ints({2, 0, 1})}}, {{2, 3}, {1, 0}});
}

TEST_CASE("squeeze and expand") {
  check_op("squeeze", {"f64[1,2,1] 1 2"}, {}, {"f64[2] 1 2"});
  check_op("squeeze", {"f64[1,2,1] 1 2"}, {{"axes", ints({-1})}}, {"f64[1,2] 1 2"});
  check_op("squeeze", {"f64[1,1] 5"}, {}, {"f64[] 5"});
  CHECK(error_of("squeeze", {"f64[1,2] 1 2"}, {{"axes", ints({1})}}) ==
        "`squeeze`: input 0 has shape [1,2], which is not 1 on axis 1");
  CHECK(infer("squeeze", {"f64[1,n]"}, {}) == "f64[n]");
  check_op("expand", {"f64[2] 1 2"}, {{"axes", ints({0, -1})}}, {"f64[1,2,1] 1 2"});
  check_op("expand", {"i64[] 4"}, {{"axes", ints({0})}}, {"i64[1] 4"});
  check_op("expand", {"i64[0,2]"}, {{"axes", ints({1})}}, {"i64[0,1,2]"});
  CHECK(error_of("expand", {"f64[2] 1 2"}, {{"axes", ints({2})}}) ==
        "`expand`: axis 2 does not exist in rank 2");
  CHECK(error_of("expand", {"f64[2] 1 2"}, {}) == "`expand` needs the attribute `axes`");
  check_named("expand", {"f64[n,m]"}, {{"axes", ints({1})}}, {{2, 3}});
}

TEST_CASE("flip") {
  check_op("flip", {"i64[2,3] 1 2 3 4 5 6"}, {}, {"i64[2,3] 6 5 4 3 2 1"});
  check_op("flip", {"i64[2,3] 1 2 3 4 5 6"}, {{"axes", ints({-1})}}, {"i64[2,3] 3 2 1 6 5 4"});
  check_op("flip", {"i64[0]"}, {}, {"i64[0]"});
  check_op("flip", {"i64[] 1"}, {}, {"i64[] 1"});
  check_named("flip", {"f64[n,m]"}, {}, {{2, 3}, {1, 0}});
}

TEST_CASE("roll") {
  check_op("roll", {"i64[5] 0 1 2 3 4"}, {{"shifts", ints({2})}}, {"i64[5] 3 4 0 1 2"});
  check_op("roll", {"i64[5] 0 1 2 3 4"}, {{"shifts", ints({-7})}}, {"i64[5] 2 3 4 0 1"});
  check_op("roll", {"i64[5] 0 1 2 3 4"}, {{"shifts", ints({10})}}, {"i64[5] 0 1 2 3 4"});
  check_op("roll", {"i64[2,3] 1 2 3 4 5 6"}, {{"shifts", ints({1, 1})}}, {"i64[2,3] 6 4 5 3 1 2"});
  CHECK(error_of("roll", {"i64[1] 0"}, {{"shifts", ints({INT64_MIN})}}) ==
        "`roll`: attribute `shifts` has the entry -9223372036854775808");
  check_op("roll", {"i64[2,3] 1 2 3 4 5 6"}, {{"axes", ints({-1})}, {"shifts", ints({1})}},
           {"i64[2,3] 3 1 2 6 4 5"});
  check_op("roll", {"i64[0]"}, {{"shifts", ints({3})}}, {"i64[0]"});
  check_op("roll", {"i64[2,2,1,2,2] 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15"},
           {{"shifts", ints({1, 1, 1, 1, 1})}}, {"i64[2,2,1,2,2] 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0"});
  CHECK(error_of("roll", {"i64[2,1] 1 2"}, {{"shifts", ints({1})}}) ==
        "`roll`: attribute `shifts` has 1 entries for 2 axes");
  check_named("roll", {"f64[n,3]"}, {{"shifts", ints({2, -1})}}, {{1, 0}, {2, 0}, {7, 0}});
  check_named("roll", {"f64[m]"}, {{"shifts", ints({-9})}}, {{1, 0}, {1, 1}, {1, 4}});
}

TEST_CASE("tile and repeat") {
  check_op("tile", {"i64[2] 1 2"}, {{"reps", ints({2})}}, {"i64[4] 1 2 1 2"});
  check_op("tile", {"i64[2] 1 2"}, {{"reps", ints({2, 2})}}, {"i64[2,4] 1 2 1 2 1 2 1 2"});
  check_op("tile", {"i64[2,2] 1 2 3 4"}, {{"reps", ints({2})}}, {"i64[2,4] 1 2 1 2 3 4 3 4"});
  check_op("tile", {"i64[] 1"}, {{"reps", ints({3})}}, {"i64[3] 1 1 1"});
  check_op("tile", {"i64[2] 1 2"}, {{"reps", ints({0})}}, {"i64[0]"});
  check_op("tile", {"i64[2] 1 2"}, {{"reps", ints({})}}, {"i64[2] 1 2"});
  CHECK(error_of("tile", {"i64[2] 1 2"}, {{"reps", ints({-1})}}) ==
        "`tile`: attribute `reps` has the negative value -1");
  check_named("tile", {"f64[n,2]"}, {{"reps", ints({2, 3})}}, {{1, 0}, {3, 0}});
  check_op("repeat", {"i64[2,2] 1 2 3 4"}, {{"repeats", number(2)}}, {"i64[4,2] 1 2 1 2 3 4 3 4"});
  check_op("repeat", {"i64[2,2] 1 2 3 4"}, {{"axis", number(-1)}, {"repeats", number(2)}},
           {"i64[2,4] 1 1 2 2 3 3 4 4"});
  check_op("repeat", {"i64[2] 1 2"}, {{"repeats", number(0)}}, {"i64[0]"});
  CHECK(error_of("repeat", {"i64[] 1"}, {{"repeats", number(2)}}) ==
        "`repeat`: axis 0 does not exist in rank 0");
  CHECK(error_of("repeat", {"i64[1] 1"}, {{"repeats", number(-2)}}) ==
        "`repeat`: attribute `repeats` has the negative value -2");
  check_named("repeat", {"f64[n,m]"}, {{"axis", number(1)}, {"repeats", number(3)}}, {{2, 2}, {1, 0}});
}

TEST_CASE("copy, stop_gradient") {
  check_op("copy", {"bf16[2] 1 nan"}, {}, {"bf16[2] 1 nan"});
  check_op("copy", {"f64[] -0"}, {}, {"f64[] -0"});
  check_op("stop_gradient", {"f32[2] 1 nan"}, {}, {"f32[2] 1 nan"});
  check_op("stop_gradient", {"i64[] 3"}, {}, {"i64[] 3"});
}

TEST_CASE("diag") {
  check_op("diag", {"i64[2] 1 2"}, {}, {"i64[2,2] 1 0 0 2"});
  check_op("diag", {"i64[2] 1 2"}, {{"k", number(1)}}, {"i64[3,3] 0 1 0 0 0 2 0 0 0"});
  check_op("diag", {"i64[2] 1 2"}, {{"k", number(-1)}}, {"i64[3,3] 0 0 0 1 0 0 0 2 0"});
  check_op("diag", {"i64[0]"}, {{"k", number(1)}}, {"i64[1,1] 0"});
  check_op("diag", {"i64[2,3] 1 2 3 4 5 6"}, {}, {"i64[2] 1 5"});
  check_op("diag", {"i64[2,3] 1 2 3 4 5 6"}, {{"k", number(1)}}, {"i64[2] 2 6"});
  check_op("diag", {"i64[2,3] 1 2 3 4 5 6"}, {{"k", number(-1)}}, {"i64[1] 4"});
  check_op("diag", {"i64[2,3] 1 2 3 4 5 6"}, {{"k", number(5)}}, {"i64[0]"});
  CHECK(error_of("diag", {"i64[] 1"}, {}) ==
        "`diag`: input 0 has shape [], which is neither a vector nor a matrix");
  CHECK(infer("diag", {"f64[n,n]"}, {}) == "f64[n]");
  CHECK(infer("diag", {"f64[n,3]"}, {}) ==
        "`diag`: input 0 has shape [n,3], which has named dims that leave the length of the diagonal open");
  check_named("diag", {"f64[n]"}, {{"k", number(2)}}, {{1, 0}, {3, 0}});
  check_named("diag", {"f64[n,n]"}, {}, {{1, 0}, {3, 0}});
}

}  // namespace cohort::test
