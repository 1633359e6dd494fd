#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "support.h"

using namespace cohort;
using namespace cohort::test;

namespace {

Tensor counting(const Extents& extents, double first = 1) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < element_count(extents); ++i) values.push_back(first + static_cast<double>(i));
  return f64(extents, values);
}

}  // namespace

TEST_CASE("matmul: every pair of ranks") {
  const Tensor m = counting({2, 3}), v3 = f64({3}, {1, 0, 2}), v2 = f64({2}, {1, 10});
  CHECK_SAME(run1("matmul", {v3, v3}), f64({}, {5}));
  CHECK_SAME(run1("matmul", {m, v3}), f64({2}, {7, 16}));
  CHECK_SAME(run1("matmul", {v2, m}), f64({3}, {41, 52, 63}));
  CHECK_SAME(run1("matmul", {m, counting({3, 2})}), f64({2, 2}, {22, 28, 49, 64}));
  CHECK_SAME(run1("matmul", {counting({2, 1, 2}), counting({2, 2, 1})}), f64({2, 1, 1}, {5, 25}));
  // Batches broadcast.
  CHECK_SAME(run1("matmul", {counting({2, 1, 2}), counting({2, 2})}), f64({2, 1, 2}, {7, 10, 15, 22}));
  CHECK_SAME(run1("matmul", {counting({2, 1, 1, 2}), counting({3, 2, 1})}),
             f64({2, 3, 1, 1}, {5, 11, 17, 11, 25, 39}));
  CHECK_SAME(run1("matmul", {counting({2, 2, 2}), v2}), f64({2, 2}, {21, 43, 65, 87}));
  CHECK_SAME(run1("matmul", {v2, counting({2, 2, 2})}), f64({2, 2}, {31, 42, 75, 86}));
  CHECK_SAME(run1("matmul", {f64({2, 0}, {}), f64({0, 2}, {})}), f64({2, 2}, {0, 0, 0, 0}));
  CHECK_SAME(run1("matmul", {f64({0, 2}, {}), counting({2, 3})}), f64({0, 3}, {}));
}

TEST_CASE("matmul: transposes") {
  const Tensor a = counting({2, 3}), b = counting({2, 2}, 7), c = counting({4, 3}, 2);
  CHECK_SAME(run1("matmul", {a, b}, {{"transpose_a", true}}), f64({3, 2}, {43, 48, 59, 66, 75, 84}));
  CHECK_SAME(run1("matmul", {a, c}, {{"transpose_b", true}}),
             f64({2, 4}, {20, 38, 56, 74, 47, 92, 137, 182}));
  const Tensor batch = varied(DType::kF64, {2, 3, 4}), other = varied(DType::kF64, {2, 5, 3});
  CHECK(run1("matmul", {batch, other}, {{"transpose_a", true}, {"transpose_b", true}}).extents() ==
        Extents{2, 4, 5});
  CHECK(error_of("matmul", {f64({2}, {1, 2}), b}, {{"transpose_a", true}}).message ==
        "`matmul`: attribute `transpose_a` swaps two axes of an operand that has one");
}

TEST_CASE("products add in order of k by fused multiply-add, from 0") {
  const Tensor a = varied(DType::kF32, {40}, 1), b = varied(DType::kF32, {40}, 2);
  float sum = 0;
  for (int k = 0; k < 40; ++k) sum = std::fma(a.as<float>()[k], b.as<float>()[k], sum);
  for (const char* op : {"matmul", "dot"}) CHECK_SAME(run1(op, {a, b}), tensor(DType::kF32, {}, {sum}));
  CHECK_SAME(run1("matmul", {f64({1}, {-0.0}), f64({1}, {1})}), f64({}, {0}));
  // Halves are accumulated in f32: 2048 + 1 + 1 would stay 2048 in f16.
  CHECK_SAME(run1("matmul", {tensor(DType::kF16, {3}, {2048, 1, 1}), tensor(DType::kF16, {3}, {1, 1, 1})}),
             tensor(DType::kF16, {}, {2050}));
}

TEST_CASE("products: every dtype") {
  for (const DType dtype : kAllDTypes) {
    CAPTURE(std::string(dtype_name(dtype)));
    const Tensor a = varied(dtype, {3, 4}, 1), b = varied(dtype, {4, 5}, 2);
    CHECK(run1("matmul", {a, b}).dtype() == dtype);
    run("dot", {a, b});
    run("outer", {a, b});
    run("dot", {a, varied(dtype, {})});
  }
  CHECK_SAME(run1("matmul", {tensor(DType::kI8, {2}, {100, 1}), tensor(DType::kI8, {2}, {2, 1})}),
             tensor(DType::kI8, {}, {-55}));
  CHECK_SAME(run1("matmul", {tensor(DType::kBool, {2}, {1, 1}), tensor(DType::kBool, {2}, {1, 1})}),
             tensor(DType::kBool, {}, {1}));
  CHECK(run1("matmul", {tensor(DType::kF32, {1}, {1}), i64({1}, {1})}).dtype() == DType::kF64);
}

TEST_CASE("large products are calls of the runtime and give the same bits") {
  for (const DType dtype : {DType::kF32, DType::kF64, DType::kF16, DType::kI32}) {
    CAPTURE(std::string(dtype_name(dtype)));
    run("matmul", {varied(dtype, {16, 17}), varied(dtype, {17, 18}, 2)});
    run("matmul", {varied(dtype, {17, 16}), varied(dtype, {18, 17}, 2)},
        {{"transpose_a", true}, {"transpose_b", true}});
    run("matmul", {varied(dtype, {70, 70}), varied(dtype, {70}, 2)});
    run("matmul", {varied(dtype, {70}), varied(dtype, {70, 70}, 2)});
    run("matmul", {varied(dtype, {5, 6, 11, 4}), varied(dtype, {5, 6, 4, 7}, 2)});
    run("matmul", {varied(dtype, {5, 11, 16}), varied(dtype, {16, 7}, 2)});
    run("matmul", {varied(dtype, {5, 16, 11}), varied(dtype, {16, 7}, 2)}, {{"transpose_a", true}});
    run("matmul", {varied(dtype, {11, 16}), varied(dtype, {5, 16, 7}, 2)});
    run("matmul", {varied(dtype, {5, 1, 11, 16}), varied(dtype, {6, 16, 3}, 2)});
    run("matmul", {varied(dtype, {2, 1, 3, 4, 5}), varied(dtype, {3, 1, 5, 6}, 2)});
    run("matmul", {varied(dtype, {2, 1, 3, 4, 9}), varied(dtype, {1, 5, 3, 9, 6}, 2)});
    run("dot", {varied(dtype, {4, 5, 16}), varied(dtype, {3, 16, 6}, 2)});
    run("dot", {varied(dtype, {4, 5, 16}), varied(dtype, {2, 3, 16, 6}, 2)});
    run("dot", {varied(dtype, {70, 70}), varied(dtype, {70}, 2)});
  }
}

TEST_CASE("large products with named dims") {
  ModuleBuilder module("m");
  const DimId n = module.add_dim("n", 1, 9);
  FunctionBuilder f(module, "f");
  const ValueId x = f.input("x", {DType::kF32, {Dim::named(n), 20}});
  const ValueId w = f.input("w", {DType::kF32, {20, 30}});
  f.output("y", f.make("matmul", {x, w}));
  CHECK(to_string(f.type(f.function().outputs[0].value), module.module().dims) == "f32[n,30]");
  CHECK_THROWS_WITH_AS(f.make("matmul", {w, x}),
                       doctest::Contains("`matmul`: shapes [20,30] and [n,20] do not fit"), UserError);
  CHECK_THROWS_AS(f.make("matmul", {x, x}, {{"transpose_a", true}, {"transpose_b", true}}), UserError);
  module.add_function(f.finish());
  const Tensor left = varied(DType::kF32, {7, 20}), right = varied(DType::kF32, {20, 30}, 1);
  check_module(module.finish(), {left, right}, {run1("matmul", {left, right})});
}

TEST_CASE("matmul refuses") {
  const Tensor m = counting({2, 3});
  CHECK(error_of("matmul", {m, m}).message == "`matmul`: shapes [2,3] and [2,3] do not fit");
  CHECK(error_of("matmul", {counting({2, 1, 1}), counting({3, 1, 1})}).id == DiagId::kShapeMismatch);
  CHECK(error_of("matmul", {f64({}, {1}), m}).message ==
        "`matmul`: input 0 has shape [], which has no axis to sum over");
  CHECK(error_of("matmul", {m}).id == DiagId::kWrongArity);
}

TEST_CASE("dot") {
  const Tensor m = counting({2, 3}), v = f64({3}, {1, 0, 2});
  CHECK_SAME(run1("dot", {v, v}), f64({}, {5}));
  CHECK_SAME(run1("dot", {m, v}), f64({2}, {7, 16}));
  CHECK_SAME(run1("dot", {f64({2}, {1, 10}), m}), f64({3}, {41, 52, 63}));
  CHECK_SAME(run1("dot", {f64({}, {3}), v}), f64({3}, {3, 0, 6}));
  CHECK_SAME(run1("dot", {v, f64({}, {-1})}), f64({3}, {-1, -0.0, -2}));
  CHECK_SAME(run1("dot", {f64({}, {2}), f64({}, {4})}), f64({}, {8}));
  CHECK_SAME(run1("dot", {counting({1, 2, 2}), counting({2, 2, 1})}), f64({1, 2, 2, 1}, {5, 11, 11, 25}));
  CHECK_SAME(run1("dot", {f64({0}, {}), f64({0}, {})}), f64({}, {0}));
  CHECK(error_of("dot", {v, m}).id == DiagId::kShapeMismatch);
}

TEST_CASE("outer") {
  CHECK_SAME(run1("outer", {f64({2}, {1, 2}), f64({3}, {1, 0, -1})}), f64({2, 3}, {1, 0, -1, 2, 0, -2}));
  CHECK_SAME(run1("outer", {f64({}, {2}), f64({2}, {3, 4})}), f64({1, 2}, {6, 8}));
  CHECK_SAME(run1("outer", {counting({2, 2}), counting({1, 2})}), f64({4, 2}, {1, 2, 2, 4, 3, 6, 4, 8}));
  CHECK(run1("outer", {counting({2, 3, 2}), counting({3, 1, 2})}).extents() == Extents{12, 6});
  CHECK_SAME(run1("outer", {f64({0}, {}), f64({2}, {1, 2})}), f64({0, 2}, {}));
  ModuleBuilder module("m");
  const DimId n = module.add_dim("n", 1, 9), k = module.add_dim("k", 1, 9);
  FunctionBuilder f(module, "f");
  const ValueId x = f.input("x", {DType::kF32, {Dim::named(n), 2}});
  const ValueId y = f.input("y", {DType::kF32, {Dim::named(n), Dim::named(k)}});
  CHECK(to_string(f.type(f.make("outer", {x, x})), module.module().dims) == "f32[2*n,2*n]");
  CHECK_THROWS_WITH_AS(f.make("outer", {x, y}), doctest::Contains("input 1 has shape [n,k]"), UserError);
}
