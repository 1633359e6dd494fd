#include <doctest/doctest.h>

#include "support.h"

using namespace cohort;
using namespace cohort::test;

TEST_CASE("take") {
  const Tensor x = f64({2, 3}, {1, 2, 3, 4, 5, 6});
  CHECK_SAME(run1("take", {x, i64({3}, {1, -1, 0})}), f64({3, 3}, {4, 5, 6, 4, 5, 6, 1, 2, 3}));
  CHECK_SAME(run1("take", {x, i64({2, 2}, {0, -1, 2, 1})}, {{"axis", std::int64_t{1}}}),
             f64({2, 2, 2}, {1, 3, 3, 2, 4, 6, 6, 5}));
  CHECK_SAME(run1("take", {x, i64({}, {2})}, {{"axis", std::int64_t{-1}}}), f64({2}, {3, 6}));
  CHECK_SAME(run1("take", {x, i64({0}, {})}), f64({0, 3}, {}));
  CHECK_SAME(run1("take", {f64({0, 3}, {}), i64({0}, {})}), f64({0, 3}, {}));
  for (const DType dtype : kAllDTypes) {
    run("take", {varied(dtype, {4, 2}), i64({2}, {3, -4})});
    if (is_integer(dtype)) CHECK_SAME(run1("take", {x, tensor(dtype, {1}, {1})}), f64({1, 3}, {4, 5, 6}));
  }
}

TEST_CASE("an index out of range names the operator, the index and the size") {  // CASES 4
  std::vector<double> ten;
  for (int i = 0; i < 10; ++i) ten.push_back(i);
  CHECK(error_of("take", {f64({10}, ten), i64({}, {13})}).message ==
        "`take`: index 13 is out of range for size 10");
  CHECK(error_of("take", {f64({2}, {1, 2}), i64({1}, {-3})}).message ==
        "`take`: index -3 is out of range for size 2");
  CHECK(error_of("gather", {f64({2, 3}, {1, 2, 3, 4, 5, 6}), i64({2}, {1, 0}), i64({2}, {2, 3})}).message ==
        "`gather`: index 3 is out of range for size 3");
  CHECK(error_of("take_along_axis", {f64({2}, {1, 2}), i64({1}, {2})}, {{"axis", std::int64_t{0}}}).message ==
        "`take_along_axis`: index 2 is out of range for size 2");
  CHECK(error_of("scatter_set", {f64({2}, {1, 2}), f64({}, {0}), i64({1}, {5})}).message ==
        "`scatter_set`: index 5 is out of range for size 2");
  CHECK(error_of("scatter_add", {f64({2}, {1, 2}), f64({}, {0}), i64({1}, {-3})}).message ==
        "`scatter_add`: index -3 is out of range for size 2");
  // An unsigned index is not negative, however large.
  Tensor large(DType::kU64, {1});
  set_element_int(large, 0, -1);
  CHECK(error_of("take", {f64({2}, {1, 2}), large}).id == DiagId::kIndexOutOfRange);
}

TEST_CASE("indices are integers") {
  const Tensor x = f64({2}, {1, 2});
  CHECK(error_of("take", {x, f64({1}, {0})}).message == "`take` does not take `f64` as input 1");
  CHECK(error_of("take", {x, tensor(DType::kBool, {1}, {0})}).id == DiagId::kWrongDType);
  CHECK(error_of("gather", {x, f64({1}, {0})}).id == DiagId::kWrongDType);
  CHECK(error_of("scatter_set", {x, x, f64({1}, {0})}).message ==
        "`scatter_set` does not take `f64` as input 2");
}

TEST_CASE("take_along_axis") {
  const Tensor x = f64({2, 3}, {10, 30, 20, 60, 40, 50});
  CHECK_SAME(run1("take_along_axis", {x, i64({2, 3}, {0, 2, 1, 1, 2, 0})}, {{"axis", std::int64_t{1}}}),
             f64({2, 3}, {10, 20, 30, 40, 50, 60}));
  CHECK_SAME(run1("take_along_axis", {x, i64({2, 1}, {-1, 0})}, {{"axis", std::int64_t{-1}}}),
             f64({2, 1}, {20, 60}));
  CHECK_SAME(run1("take_along_axis", {x, i64({1, 3}, {1, 0, -1})}, {{"axis", std::int64_t{0}}}),
             f64({1, 3}, {60, 30, 50}));
  // The other axes broadcast, both ways.
  CHECK_SAME(run1("take_along_axis", {x, i64({1, 2}, {2, 0})}, {{"axis", std::int64_t{1}}}),
             f64({2, 2}, {20, 10, 50, 60}));
  CHECK_SAME(
      run1("take_along_axis", {f64({1, 3}, {1, 2, 3}), i64({2, 1}, {2, 1})}, {{"axis", std::int64_t{1}}}),
      f64({2, 1}, {3, 2}));
  CHECK(error_of("take_along_axis", {x, i64({2}, {0, 1})}, {{"axis", std::int64_t{0}}}).message ==
        "`take_along_axis`: shapes [2,3] and [2] do not fit");
  CHECK(error_of("take_along_axis", {x, i64({3, 1}, {0, 1, 0})}, {{"axis", std::int64_t{1}}}).id ==
        DiagId::kShapeMismatch);
  CHECK(error_of("take_along_axis", {x, i64({2, 1}, {0, 1})}).id == DiagId::kMissingAttribute);
  for (const DType dtype : kAllDTypes)
    run("take_along_axis", {varied(dtype, {3, 2, 2}), i64({1, 2, 1}, {2, -3})}, {{"axis", std::int64_t{0}}});
}

TEST_CASE("gather") {
  const Tensor x = f64({2, 3}, {1, 2, 3, 4, 5, 6});
  CHECK_SAME(run1("gather", {x, i64({3}, {1, 0, -1})}), f64({3, 3}, {4, 5, 6, 1, 2, 3, 4, 5, 6}));
  CHECK_SAME(run1("gather", {x, i64({2}, {0, 1}), i64({2}, {2, -3})}), f64({2}, {3, 4}));
  CHECK_SAME(run1("gather", {x, i64({2, 1}, {0, 1}), i64({3}, {2, 1, 0})}), f64({2, 3}, {3, 2, 1, 6, 5, 4}));
  CHECK_SAME(run1("gather", {x, i64({}, {1}), i64({}, {1})}), f64({}, {5}));
  CHECK_SAME(run1("gather", {x, i64({0}, {})}), f64({0, 3}, {}));
  for (const DType dtype : kAllDTypes)
    run("gather", {varied(dtype, {3, 2, 4}), i64({2, 1}, {2, -3}), tensor(DType::kU8, {2}, {1, 0})});
  CHECK(error_of("gather", {f64({2}, {1, 2}), i64({}, {0}), i64({}, {0})}).message ==
        "`gather`: input 0 has shape [2], which has fewer axes than the 2 indices");
  CHECK(error_of("gather", {x, i64({2}, {0, 0}), i64({3}, {0, 0, 0})}).id == DiagId::kShapeMismatch);
  CHECK(error_of("gather", {x}).id == DiagId::kWrongArity);
}

TEST_CASE("scatter_set: the last write wins") {  // CASES 10
  const Tensor x = f64({3}, {5, 7, 11});
  CHECK_SAME(run1("scatter_set", {x, f64({3}, {1, 2, 3}), i64({3}, {0, 0, 1})}), f64({3}, {2, 3, 11}));
  CHECK_SAME(run1("scatter_set", {x, f64({}, {9}), i64({2}, {-1, 0})}), f64({3}, {9, 7, 9}));
  const Tensor m = f64({2, 2}, {1, 2, 3, 4});
  CHECK_SAME(run1("scatter_set", {m, f64({2}, {8, 9}), i64({1}, {1})}), f64({2, 2}, {1, 2, 8, 9}));
  CHECK_SAME(run1("scatter_set", {m, f64({2}, {8, 9}), i64({2}, {1, 0}), i64({2}, {0, 1})}),
             f64({2, 2}, {1, 9, 8, 4}));
  CHECK_SAME(run1("scatter_set", {m, f64({0, 2}, {}), i64({0}, {})}), m);
  // y follows the dtype of x.
  CHECK_SAME(run1("scatter_set", {tensor(DType::kF32, {2}, {1, 2}), f64({1}, {0.5}), i64({1}, {1})}),
             tensor(DType::kF32, {2}, {1, 0.5}));
  CHECK(error_of("scatter_set", {x, f64({2}, {1, 2}), i64({3}, {0, 1, 2})}).message ==
        "`scatter_set`: shapes [2] and [3] do not fit");
  CHECK(error_of("scatter_set", {x, f64({2, 3}, {1, 2, 3, 4, 5, 6}), i64({3}, {0, 1, 2})}).id ==
        DiagId::kShapeMismatch);
}

TEST_CASE("scatter_add accumulates") {
  const Tensor x = f64({3}, {1, 1, 1});
  CHECK_SAME(run1("scatter_add", {x, f64({4}, {1, 2, 4, 8}), i64({4}, {0, 0, 2, -1})}), f64({3}, {4, 1, 13}));
  CHECK_SAME(run1("scatter_add", {f64({2, 2}, {0, 0, 0, 0}), f64({2}, {1, 2}), i64({3}, {1, 1, 0})}),
             f64({2, 2}, {1, 2, 2, 4}));
  CHECK_SAME(run1("scatter_add", {tensor(DType::kI8, {1}, {100}), i64({1}, {100}), i64({1}, {0})}),
             tensor(DType::kI8, {1}, {-56}));
  // Every addition is rounded to f16: 2048 + 1 is 2048 again.
  CHECK_SAME(run1("scatter_add",
                  {tensor(DType::kF16, {1}, {2048}), tensor(DType::kF16, {2}, {1, 1}), i64({2}, {0, 0})}),
             tensor(DType::kF16, {1}, {2048}));
  for (const DType dtype : kAllDTypes)
    for (const char* op : {"scatter_set", "scatter_add"})
      run(op,
          {varied(dtype, {3, 2, 4}), varied(dtype, {2, 2, 1}, 5), i64({2, 1}, {2, -3}), i64({2}, {1, 1})});
}

TEST_CASE("indexing with named dims") {
  ModuleBuilder module("m");
  const DimId n = module.add_dim("n", 1, 9);
  FunctionBuilder f(module, "f");
  const ValueId x = f.input("x", {DType::kF32, {Dim::named(n), 4}});
  const ValueId i = f.input("i", {DType::kI64, {Dim::named(n)}});
  const Dims& dims = module.module().dims;
  CHECK(to_string(f.type(f.make("take", {x, i})), dims) == "f32[n,4]");
  CHECK(to_string(f.type(f.make("take", {x, i}, {{"axis", std::int64_t{1}}})), dims) == "f32[n,n]");
  CHECK(to_string(f.type(f.make("gather", {x, i, i})), dims) == "f32[n]");
  CHECK(to_string(f.type(f.make("scatter_add", {x, f.literal(DType::kF32, 1), i})), dims) == "f32[n,4]");
}
