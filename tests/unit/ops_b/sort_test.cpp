#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "support.h"

using namespace cohort;
using namespace cohort::test;

namespace {
constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNaN = std::nan("");
}  // namespace

TEST_CASE("sort and argsort: NaN last, stable") {
  const Tensor x = f64({6}, {3, kNaN, -kInf, 1, 3, kInf});
  CHECK_SAME(run1("sort", {x}), f64({6}, {-kInf, 1, 3, 3, kInf, kNaN}));
  CHECK_SAME(run1("argsort", {x}), i64({6}, {2, 3, 0, 4, 5, 1}));
  CHECK_SAME(run1("sort", {f64({3}, {0.0, -0.0, -1})}), f64({3}, {-1, 0.0, -0.0}));
  const Tensor m = f64({2, 3}, {3, 1, 2, 0, 5, 4});
  CHECK_SAME(run1("sort", {m}), f64({2, 3}, {1, 2, 3, 0, 4, 5}));
  CHECK_SAME(run1("sort", {m}, {{"axis", std::int64_t{0}}}), f64({2, 3}, {0, 1, 2, 3, 5, 4}));
  CHECK_SAME(run1("argsort", {m}, {{"axis", std::int64_t{-2}}}), i64({2, 3}, {1, 0, 0, 0, 1, 1}));
  CHECK_SAME(run1("sort", {f64({2, 0}, {})}), f64({2, 0}, {}));
  CHECK(error_of("sort", {f64({}, {1})}).id == DiagId::kAxisOutOfRange);
  for (const DType dtype : kAllDTypes)
    for (const std::int64_t axis : {0, 1, 2})
      for (const char* op : {"sort", "argsort"}) run(op, {varied(dtype, {4, 19, 3})}, {{"axis", axis}});
}

TEST_CASE("topk: greatest first, ties by position, NaN greatest") {
  const Tensor x = f64({6}, {3, 1, kNaN, 7, 3, -kInf});
  const std::vector<Tensor> top = run("topk", {x}, {{"k", std::int64_t{4}}});
  CHECK_SAME(top[0], f64({4}, {kNaN, 7, 3, 3}));
  CHECK_SAME(top[1], i64({4}, {2, 3, 0, 4}));
  const std::vector<Tensor> columns =
      run("topk", {f64({3, 2}, {1, 6, 3, 4, 2, 5})}, {{"axis", std::int64_t{0}}, {"k", std::int64_t{2}}});
  CHECK_SAME(columns[0], f64({2, 2}, {3, 6, 2, 5}));
  CHECK_SAME(columns[1], i64({2, 2}, {1, 0, 2, 2}));
  CHECK(run("topk", {x}, {{"k", std::int64_t{0}}})[0].size() == 0);
  for (const DType dtype : kAllDTypes)
    for (const std::int64_t axis : {0, 1, 2})
      run("topk", {varied(dtype, {4, 19, 3})}, {{"axis", axis}, {"k", std::int64_t{3}}});
  CHECK(error_of("topk", {x}, {{"k", std::int64_t{7}}}).message ==
        "`topk`: attribute `k` is 7, but the axis may have only 6 elements");
  CHECK(error_of("topk", {x}, {{"k", std::int64_t{-1}}}).message == "`topk`: attribute `k` is -1");
  CHECK(error_of("topk", {x}).id == DiagId::kMissingAttribute);
  ModuleBuilder module("m");
  const DimId n = module.add_dim("n", 2, 9);
  FunctionBuilder f(module, "f");
  const ValueId v = f.input("x", {DType::kF32, {Dim::named(n), 4}});
  CHECK(to_string(f.type(f.make("topk", {v}, {{"axis", std::int64_t{0}}, {"k", std::int64_t{2}}})), {}) ==
        "f32[2,4]");
  CHECK_THROWS_AS(f.make("topk", {v}, {{"axis", std::int64_t{0}}, {"k", std::int64_t{3}}}), UserError);
}

TEST_CASE("searchsorted") {
  const Tensor sorted = f64({5}, {1, 2, 2, 3, kNaN}), v = f64({2, 4}, {2, 0, 3.5, kNaN, 1, 3, kInf, -kInf});
  CHECK_SAME(run1("searchsorted", {sorted, v}), i64({2, 4}, {1, 0, 4, 4, 0, 3, 4, 0}));
  CHECK_SAME(run1("searchsorted", {sorted, v}, {{"side", std::string("right")}}),
             i64({2, 4}, {3, 0, 4, 5, 1, 4, 4, 0}));
  CHECK_SAME(run1("searchsorted", {f64({0}, {}), f64({}, {1})}), i64({}, {0}));
  CHECK_SAME(run1("searchsorted", {f64({1}, {1}), f64({3}, {0, 1, 2})}), i64({3}, {0, 0, 1}));
  for (const DType dtype : kAllDTypes) {
    const Tensor keys = run1("sort", {varied(dtype, {37})});
    for (const char* side : {"left", "right"})
      run("searchsorted", {keys, varied(dtype, {30}, 3)}, {{"side", std::string(side)}});
  }
  CHECK(run1("searchsorted", {i64({2}, {1, 3}), f64({}, {1.5})}).dtype() == DType::kI64);
  CHECK(error_of("searchsorted", {f64({1, 1}, {1}), v}).message ==
        "`searchsorted`: input 0 has shape [1,1], which is no vector");
  CHECK(error_of("searchsorted", {sorted, v}, {{"side", std::string("top")}}).message ==
        "`searchsorted`: attribute `side` is neither `left` nor `right`");
}

TEST_CASE("searchsorted in a vector whose length is known at run time only") {
  ModuleBuilder module("m");
  const DimId n = module.add_dim("n", 0, 100);
  FunctionBuilder f(module, "f");
  const ValueId sorted = f.input("sorted", {DType::kI32, {Dim::named(n)}}),
                v = f.input("v", {DType::kI32, {}});
  f.output("at", f.make("searchsorted", {sorted, v}));
  module.add_function(f.finish());
  check_module(module.finish(), {tensor(DType::kI32, {5}, {1, 3, 5, 7, 9}), tensor(DType::kI32, {}, {6})},
               {i64({}, {3})});
}
