#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "support.h"

using namespace cohort;
using namespace cohort::test;

namespace {
constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNaN = std::nan("");
IntList ints(std::initializer_list<std::int64_t> values) { return IntList(values.begin(), values.end()); }
}  // namespace

TEST_CASE("reduce_sum: axes, keepdims, negative axes") {
  const Tensor x = f64({2, 3}, {1, 2, 3, 4, 5, 6});
  CHECK_SAME(run1("reduce_sum", {x}), f64({}, {21}));
  CHECK_SAME(run1("reduce_sum", {x}, {{"axes", ints({0})}}), f64({3}, {5, 7, 9}));
  CHECK_SAME(run1("reduce_sum", {x}, {{"axes", ints({-1})}}), f64({2}, {6, 15}));
  CHECK_SAME(run1("reduce_sum", {x}, {{"axes", ints({-1})}, {"keepdims", true}}), f64({2, 1}, {6, 15}));
  CHECK_SAME(run1("reduce_sum", {x}, {{"axes", ints({1, 0})}, {"keepdims", true}}), f64({1, 1}, {21}));
  CHECK_SAME(run1("reduce_sum", {x}, {{"axes", ints({})}}), x);
  CHECK_SAME(run1("reduce_sum", {f64({}, {3})}), f64({}, {3}));
  const Tensor y = varied(DType::kF64, {2, 3, 1, 4});
  for (const IntList& axes : {ints({0, 2}), ints({1, 3}), ints({0, 1, 2}), ints({2})}) {
    CAPTURE(axes.size());
    CHECK(run1("reduce_sum", {y}, {{"axes", axes}}).rank() == 4 - static_cast<int>(axes.size()));
    CHECK(run1("reduce_sum", {y}, {{"axes", axes}, {"keepdims", true}}).rank() == 4);
  }
}

TEST_CASE("reduce_sum starts from 0, so that the sum of -0 is 0") {
  CHECK_SAME(run1("reduce_sum", {f64({1}, {-0.0})}), f64({}, {0.0}));
  CHECK_SAME(run1("reduce_sum", {f64({2, 1}, {-0.0, -0.0})}, {{"axes", ints({0})}}), f64({1}, {0.0}));
}

TEST_CASE("reduce_sum: the strict order is sixteen accumulators along the last axis") {
  std::vector<double> values;
  for (int i = 0; i < 100; ++i) values.push_back(std::sin(i * 1.7) * std::pow(10, i % 7));
  float partial[16] = {};
  for (int j = 0; j < 100; ++j) partial[j % 16] += static_cast<float>(values[static_cast<std::size_t>(j)]);
  for (int width = 8; width > 0; width /= 2)
    for (int l = 0; l < width; ++l) partial[l] += partial[l + width];
  CHECK_SAME(run1("reduce_sum", {tensor(DType::kF32, {100}, values)}), tensor(DType::kF32, {}, {partial[0]}));

  // Two reduced axes: the accumulator is chosen by the index along the last one.
  float both[16] = {};
  for (int i = 0; i < 100; ++i) both[i % 20 % 16] += static_cast<float>(values[static_cast<std::size_t>(i)]);
  for (int width = 8; width > 0; width /= 2)
    for (int l = 0; l < width; ++l) both[l] += both[l + width];
  CHECK_SAME(run1("reduce_sum", {tensor(DType::kF32, {5, 20}, values)}), tensor(DType::kF32, {}, {both[0]}));

  // The last axis is kept: one accumulator.
  float serial = 0;
  for (int i = 0; i < 100; ++i) serial += static_cast<float>(values[static_cast<std::size_t>(i)]);
  CHECK_SAME(run1("reduce_sum", {tensor(DType::kF32, {100, 1}, values)}, {{"axes", ints({0})}}),
             tensor(DType::kF32, {1}, {serial}));
}

TEST_CASE("reduce_sum and reduce_prod: dtypes") {
  for (const DType dtype : kAllDTypes) {
    CAPTURE(std::string(dtype_name(dtype)));
    const DType result = is_float(dtype) ? dtype : is_unsigned_int(dtype) ? DType::kU64 : DType::kI64;
    const Tensor x = tensor(dtype, {2, 2}, {1, 0, 1, 1});
    CHECK_SAME(run1("reduce_sum", {x}), tensor(result, {}, {3}));
    CHECK_SAME(run1("reduce_prod", {x}, {{"axes", ints({0})}}), tensor(result, {2}, {1, 0}));
    run("reduce_sum", {varied(dtype, {3, 17, 2})}, {{"axes", ints({1})}});
    run("reduce_prod", {varied(dtype, {3, 20})}, {{"axes", ints({1})}});
    for (const DType to : kAllDTypes) {
      if (to == DType::kBool) continue;
      CHECK(run1("reduce_sum", {varied(dtype, {4, 5})}, {{"dtype", to}}).dtype() == to);
    }
  }
  CHECK_SAME(run1("reduce_sum", {tensor(DType::kI8, {2}, {100, 100})}, {{"dtype", DType::kI8}}),
             tensor(DType::kI8, {}, {-56}));
  CHECK_SAME(run1("reduce_prod", {i64({2}, {4294967296.0, 4294967296.0})}), i64({}, {0}));
  // Halves are summed in f32: 2048 + 1 + 1 would stay 2048 in f16.
  CHECK_SAME(run1("reduce_sum", {tensor(DType::kF16, {3, 1}, {2048, 1, 1})}, {{"axes", ints({0})}}),
             tensor(DType::kF16, {1}, {2050}));
}

TEST_CASE("reduce_mean") {
  CHECK_SAME(run1("reduce_mean", {f64({2, 2}, {1, 2, 3, 6})}), f64({}, {3}));
  CHECK_SAME(run1("reduce_mean", {tensor(DType::kF32, {3}, {1, 1, 2})}),
             tensor(DType::kF32, {}, {static_cast<double>(4.0f / 3.0f)}));
  CHECK_SAME(run1("reduce_mean", {i64({2, 2}, {1, 2, 4, 4})}, {{"axes", ints({1})}}), f64({2}, {1.5, 4}));
  CHECK_SAME(run1("reduce_mean", {tensor(DType::kBool, {4}, {1, 0, 1, 1})}), f64({}, {0.75}));
  CHECK_SAME(run1("reduce_mean", {i64({2}, {1, 2})}, {{"dtype", DType::kF32}}),
             tensor(DType::kF32, {}, {1.5}));
  CHECK_SAME(run1("reduce_mean", {f64({0}, {})}), f64({}, {kNaN}));
  for (const DType dtype : kFloats) run("reduce_mean", {varied(dtype, {3, 50})}, {{"axes", ints({1})}});
  const Diagnostic error = error_of("reduce_mean", {f64({2}, {1, 2})}, {{"dtype", DType::kI32}});
  CHECK(error.message == "`reduce_mean`: attribute `dtype` is no dtype of floats");
}

TEST_CASE("nothing to reduce") {  // CASES 8
  CHECK_SAME(run1("reduce_sum", {f64({0}, {})}), f64({}, {0}));
  CHECK_SAME(run1("reduce_prod", {f64({0}, {})}), f64({}, {1}));
  CHECK_SAME(run1("reduce_sum", {f64({0, 3}, {})}, {{"axes", ints({0})}}), f64({3}, {0, 0, 0}));
  CHECK_SAME(run1("reduce_sum", {f64({0, 3}, {})}, {{"axes", ints({1})}}), f64({0}, {}));
  CHECK_SAME(run1("reduce_all", {f64({0}, {})}), tensor(DType::kBool, {}, {1}));
  CHECK_SAME(run1("reduce_any", {f64({0}, {})}), tensor(DType::kBool, {}, {0}));
  CHECK_SAME(run1("reduce_max", {f64({0, 3}, {})}, {{"axes", ints({1})}}), f64({0}, {}));
  for (const char* op : {"reduce_max", "reduce_min", "argmax", "argmin"}) {
    const Diagnostic error = error_of(op, {f64({0}, {})});
    CHECK(error.id == DiagId::kEmptyReduction);
    CHECK(error.message == fmt::format("`{}` of an axis of size 0 has no value", op));
  }
  CHECK(error_of("reduce_max", {f64({0, 3}, {})}, {{"axes", ints({0})}}).id == DiagId::kEmptyReduction);
}

TEST_CASE("nothing to reduce, by a named dim") {
  ModuleBuilder module("m");
  const DimId n = module.add_dim("n", 0, 5);
  FunctionBuilder f(module, "f");
  const ValueId x = f.input("x", {DType::kF32, {Dim::named(n), 2}});
  f.output("sum", f.make("reduce_sum", {x}, {{"axes", ints({0})}}));
  f.output("max", f.make("reduce_max", {x}, {{"axes", ints({0})}}));
  CHECK(to_string(f.type(f.make("reduce_max", {x}, {{"axes", ints({1})}, {"keepdims", true}})),
                  module.module().dims) == "f32[n,1]");
  module.add_function(f.finish());
  const Module m = module.finish();
  std::vector<Tensor> state;
  const Tensor empty(DType::kF32, {0, 2}), some = tensor(DType::kF32, {2, 2}, {1, 5, 2, 4});
  CHECK_SAME(interpret(m, *m.functions[0], {{some}}, state, {2}).outputs[1],
             tensor(DType::kF32, {2}, {2, 5}));
  CHECK_THROWS_WITH_AS(interpret(m, *m.functions[0], {{empty}}, state, {0}),
                       doctest::Contains("`reduce_max` of an axis of size 0 has no value"), UserError);
}

TEST_CASE("extrema propagate NaN") {  // CASES 3
  const Tensor x = f64({2, 2}, {1, kNaN, 3, 4});
  for (const char* op : {"reduce_max", "reduce_min"}) CHECK_SAME(run1(op, {x}), f64({}, {kNaN}));
  CHECK_SAME(run1("reduce_max", {x}, {{"axes", ints({0})}}), f64({2}, {3, kNaN}));
  CHECK_SAME(run1("reduce_min", {x}, {{"axes", ints({1})}}), f64({2}, {kNaN, 3}));
  CHECK_SAME(run1("argmax", {f64({3}, {1, kNaN, 3})}), i64({}, {1}));
  CHECK_SAME(run1("argmin", {f64({4}, {1, kNaN, kNaN, -3})}), i64({}, {1}));
  for (const DType dtype : kFloats) {
    for (int at = 0; at < 40; at += 13) {
      Tensor y = varied(dtype, {40}, at);
      set_element(y, at, kNaN);
      CHECK_SAME(run1("reduce_max", {y}), tensor(dtype, {}, {kNaN}));
      CHECK_SAME(run1("argmax", {y}), i64({}, {static_cast<double>(at)}));
    }
  }
}

TEST_CASE("extrema of zeros, infinities and every dtype") {
  CHECK_SAME(run1("reduce_max", {f64({2}, {-0.0, 0.0})}), f64({}, {0.0}));
  CHECK_SAME(run1("reduce_min", {f64({2}, {0.0, -0.0})}), f64({}, {-0.0}));
  CHECK_SAME(run1("reduce_max", {f64({2}, {-0.0, -0.0})}), f64({}, {-0.0}));
  CHECK_SAME(run1("reduce_max", {f64({2}, {-kInf, -kInf})}), f64({}, {-kInf}));
  CHECK_SAME(run1("argmax", {f64({2}, {-kInf, -kInf})}), i64({}, {0}));
  CHECK_SAME(run1("argmin", {f64({2}, {kInf, kInf})}), i64({}, {0}));
  Tensor large(DType::kU64, {3});
  set_element_int(large, 1, -1);
  set_element_int(large, 2, 5);
  CHECK_SAME(run1("argmax", {large}), i64({}, {1}));
  CHECK(element_as_int(run1("reduce_max", {large}), 0) == -1);
  Tensor least(DType::kI64, {2});
  set_element_int(least, 0, std::numeric_limits<std::int64_t>::min());
  set_element_int(least, 1, std::numeric_limits<std::int64_t>::min());
  CHECK_SAME(run1("argmax", {least}), i64({}, {0}));
  for (const DType dtype : kAllDTypes) {
    CAPTURE(std::string(dtype_name(dtype)));
    CHECK_SAME(run1("reduce_max", {tensor(dtype, {3}, {0, 1, 1})}), tensor(dtype, {}, {1}));
    CHECK_SAME(run1("reduce_min", {tensor(dtype, {3}, {1, 0, 1})}), tensor(dtype, {}, {0}));
    CHECK_SAME(run1("argmax", {tensor(dtype, {3}, {0, 1, 1})}), i64({}, {1}));
    CHECK_SAME(run1("argmin", {tensor(dtype, {3}, {1, 0, 0})}), i64({}, {1}));
    const Tensor x = varied(dtype, {3, 4, 17});
    for (const char* op : {"reduce_max", "reduce_min", "reduce_all", "reduce_any"})
      for (const IntList& axes : {ints({0}), ints({1, 2}), ints({-1, 0})}) run(op, {x}, {{"axes", axes}});
    for (const char* op : {"argmax", "argmin"})
      for (const std::int64_t axis : {0, 1, -1}) run(op, {x}, {{"axis", axis}, {"keepdims", true}});
  }
}

TEST_CASE("reduce_all and reduce_any: NaN is true") {
  const Tensor x = f64({2, 2}, {kNaN, 1, 0, -0.0});
  CHECK_SAME(run1("reduce_all", {x}, {{"axes", ints({1})}}), tensor(DType::kBool, {2}, {1, 0}));
  CHECK_SAME(run1("reduce_any", {x}, {{"axes", ints({1})}}), tensor(DType::kBool, {2}, {1, 0}));
}

TEST_CASE("argmax: flattened by default, keepdims") {
  const Tensor x = f64({2, 3}, {1, 9, 2, 9, 0, 4});
  CHECK_SAME(run1("argmax", {x}), i64({}, {1}));
  CHECK_SAME(run1("argmin", {x}), i64({}, {4}));
  CHECK_SAME(run1("argmax", {x}, {{"keepdims", true}}), i64({1, 1}, {1}));
  CHECK_SAME(run1("argmax", {x}, {{"axis", std::int64_t{0}}}), i64({3}, {1, 0, 1}));
  CHECK_SAME(run1("argmax", {x}, {{"axis", std::int64_t{-1}}, {"keepdims", true}}), i64({2, 1}, {1, 0}));
}

TEST_CASE("reductions refuse wrong axes") {
  const Tensor x = f64({2, 3}, {1, 2, 3, 4, 5, 6});
  CHECK(error_of("reduce_sum", {x}, {{"axes", ints({2})}}).message ==
        "`reduce_sum`: axis 2 does not exist in rank 2");
  CHECK(error_of("argmax", {x}, {{"axis", std::int64_t{-3}}}).id == DiagId::kAxisOutOfRange);
  CHECK(error_of("reduce_max", {x}, {{"axes", ints({1, -1})}}).message ==
        "`reduce_max`: attribute `axes` names axis 1 twice");
  CHECK(error_of("reduce_max", {x}, {{"axes", IntList{std::nullopt}}}).id == DiagId::kWrongAttribute);
  CHECK(error_of("reduce_sum", {x}, {{"dtype", DType::kBool}}).id == DiagId::kWrongAttribute);
}

TEST_CASE("logsumexp") {  // CASES 12
  CHECK(element_as_double(run1("logsumexp", {f64({2}, {-1000, -1000})}), 0) ==
        doctest::Approx(-999.306852819440));
  CHECK(element_as_double(run1("logsumexp", {f64({2}, {1000, 1000})}), 0) ==
        doctest::Approx(1000.693147180560));
  CHECK_SAME(run1("logsumexp", {f64({2}, {-kInf, -kInf})}), f64({}, {-kInf}));
  CHECK_SAME(run1("logsumexp", {f64({3}, {-kInf, kInf, 1})}), f64({}, {kInf}));
  CHECK_SAME(run1("logsumexp", {f64({3}, {kInf, kNaN, 1})}), f64({}, {kNaN}));
  CHECK_SAME(run1("logsumexp", {f64({0}, {})}), f64({}, {-kInf}));
  CHECK_SAME(run1("logsumexp", {f64({1, 2}, {-kInf, 3})}, {{"axes", ints({0})}, {"keepdims", true}}),
             f64({1, 2}, {-kInf, 3}));
  for (const DType dtype : kFloats)
    for (const IntList& axes : {ints({0}), ints({1}), ints({0, 1})})
      run("logsumexp", {varied(dtype, {5, 33})}, {{"axes", axes}});
  CHECK(run1("logsumexp", {i64({2}, {0, 0})}).dtype() == DType::kF64);
}

TEST_CASE("softmax and log_softmax") {
  const Tensor half = run1("softmax", {f64({2, 2}, {1000, 1000, 0, 0})});
  CHECK_SAME(half, f64({2, 2}, {0.5, 0.5, 0.5, 0.5}));
  CHECK_SAME(run1("softmax", {f64({2, 1}, {3, 3})}, {{"axis", std::int64_t{0}}}), f64({2, 1}, {0.5, 0.5}));
  CHECK_SAME(run1("softmax", {f64({2}, {0, -kInf})}), f64({2}, {1, 0}));
  CHECK_SAME(run1("softmax", {f64({2}, {1, kNaN})}), f64({2}, {kNaN, kNaN}));
  CHECK_SAME(run1("softmax", {f64({0}, {})}), f64({0}, {}));
  const Tensor logarithms = run1("log_softmax", {f64({2}, {0, -1000})});
  CHECK(element_as_double(logarithms, 0) == 0);
  CHECK(element_as_double(logarithms, 1) == -1000);
  for (const DType dtype : kFloats)
    for (const char* op : {"softmax", "log_softmax"})
      for (const std::int64_t axis : {0, 1, 2}) run(op, {varied(dtype, {3, 4, 18})}, {{"axis", axis}});
  CHECK(error_of("softmax", {f64({}, {1})}).id == DiagId::kAxisOutOfRange);
}

TEST_CASE("cumsum and cumprod") {
  const Tensor x = f64({2, 3}, {1, 2, 3, 4, 5, 6});
  CHECK_SAME(run1("cumsum", {x}), f64({2, 3}, {1, 2, 3, 5, 7, 9}));
  CHECK_SAME(run1("cumsum", {x}, {{"axis", std::int64_t{-1}}}), f64({2, 3}, {1, 3, 6, 4, 9, 15}));
  CHECK_SAME(run1("cumprod", {x}, {{"axis", std::int64_t{1}}}), f64({2, 3}, {1, 2, 6, 4, 20, 120}));
  CHECK_SAME(run1("cumsum", {tensor(DType::kBool, {3}, {1, 1, 1})}), i64({3}, {1, 2, 3}));
  CHECK_SAME(run1("cumsum", {tensor(DType::kU8, {2}, {200, 100})}), tensor(DType::kU64, {2}, {200, 300}));
  CHECK_SAME(run1("cumsum", {tensor(DType::kU8, {2}, {200, 100})}, {{"dtype", DType::kU8}}),
             tensor(DType::kU8, {2}, {200, 44}));
  CHECK_SAME(run1("cumsum", {f64({0, 2}, {})}), f64({0, 2}, {}));
  for (const DType dtype : kAllDTypes)
    for (const char* op : {"cumsum", "cumprod"})
      for (const std::int64_t axis : {0, 1, -1}) run(op, {varied(dtype, {3, 4, 5})}, {{"axis", axis}});
  CHECK(error_of("cumsum", {f64({}, {1})}).id == DiagId::kAxisOutOfRange);
}
