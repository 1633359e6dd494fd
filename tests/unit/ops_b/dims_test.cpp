// Operators whose extents are known at run time only give what they give for constant extents.
#include <doctest/doctest.h>

#include "support.h"

using namespace cohort;
using namespace cohort::test;

namespace {

IntList ints(std::initializer_list<std::int64_t> values) { return IntList(values.begin(), values.end()); }

// Every axis of extent `value` becomes the named dim n.
void check(const std::string& op, const std::vector<Tensor>& inputs, std::int64_t value,
           const Attrs& attrs = {}) {
  CAPTURE(op);
  CAPTURE(value);
  ModuleBuilder module("m");
  const DimId n = module.add_dim("n", 0, 100);
  FunctionBuilder f(module, "f");
  std::vector<ValueId> values;
  for (const Tensor& input : inputs) {
    Type type = type_of(input);
    for (Dim& dim : type.shape)
      if (dim.is_constant(value)) dim = Dim::named(n);
    values.push_back(f.input("i" + std::to_string(values.size()), type));
  }
  const ValueId first = f.make(op, values, attrs);
  for (std::uint32_t r = 0; r < f.function().nodes.back().result_count; ++r)
    f.output("o" + std::to_string(r), first + r);
  module.add_function(f.finish());
  check_module(module.finish(), inputs, run(op, inputs, attrs));
}

}  // namespace

TEST_CASE("reductions along and beside a named dim") {
  for (const std::int64_t n : {0, 1, 5, 37}) {
    for (const DType dtype : {DType::kF32, DType::kF16, DType::kI32}) {
      const Tensor x = varied(dtype, {3, n}), y = varied(dtype, {n, 3});
      for (const IntList& axes : {ints({0}), ints({1}), ints({0, 1})}) {
        for (const char* op : {"reduce_sum", "reduce_prod", "reduce_mean", "reduce_all", "reduce_any"}) {
          check(op, {x}, n, {{"axes", axes}});
          check(op, {y}, n, {{"axes", axes}, {"keepdims", true}});
        }
        if (n == 0) continue;
        check("reduce_max", {x}, n, {{"axes", axes}});
        check("reduce_min", {y}, n, {{"axes", axes}});
      }
      if (n == 0) continue;
      check("argmax", {x}, n);
      check("argmin", {y}, n, {{"axis", std::int64_t{0}}});
    }
    for (const std::int64_t axis : {0, 1}) {
      for (const char* op : {"softmax", "log_softmax", "cumsum", "sort", "argsort"})
        check(op, {varied(DType::kF64, {n, 4})}, n, {{"axis", axis}});
      check("logsumexp", {varied(DType::kF32, {4, n})}, n, {{"axes", ints({axis})}});
    }
  }
}

TEST_CASE("indexing along and beside a named dim") {
  for (const std::int64_t n : {3, 7}) {
    const Tensor x = varied(DType::kF32, {n, 4}), index = i64({2}, {-1, 2});
    check("take", {x, index}, n);
    check("take", {x, index}, n, {{"axis", std::int64_t{1}}});
    check("gather", {x, index}, n);
    check("gather", {x, index, index}, n);
    check("take_along_axis", {x, i64({1, 4}, {0, -1, 2, 1})}, n, {{"axis", std::int64_t{0}}});
    check("scatter_set", {x, varied(DType::kF32, {2, 4}, 1), index}, n);
    check("scatter_add", {x, varied(DType::kF32, {2}, 1), index, index}, n);
    check("assert", {x, tensor(DType::kBool, {n}, std::vector<double>(static_cast<std::size_t>(n), 1))}, n);
    check("print", {x}, n, {{"message", std::string("x")}});
  }
}

TEST_CASE("products along and beside a named dim") {
  for (const DType dtype : {DType::kF32, DType::kF64, DType::kI32}) {
    for (const std::int64_t n : {1, 6, 19}) {
      if (n != 6 && dtype != DType::kF32) continue;
      check("matmul", {varied(dtype, {n, 4}), varied(dtype, {4, 3}, 1)}, n);
      check("matmul", {varied(dtype, {3, n}), varied(dtype, {n, 4}, 1)}, n);
      check("matmul", {varied(dtype, {n, 40}), varied(dtype, {40, 30}, 1)}, n);
      check("matmul", {varied(dtype, {n, 40}), varied(dtype, {n, 30}, 1)}, n, {{"transpose_a", true}});
      check("matmul", {varied(dtype, {n, 12, 13}), varied(dtype, {n, 13, 14}, 1)}, n);
      check("matmul", {varied(dtype, {n, 12, 13}), varied(dtype, {13, 14}, 1)}, n);
      check("matmul", {varied(dtype, {2, n, 12, 13}), varied(dtype, {n, 13, 14}, 1)}, n);
      check("dot", {varied(dtype, {n, 12, 13}), varied(dtype, {4, 13, n}, 1)}, n);
      check("outer", {varied(dtype, {n, 2}), varied(dtype, {3, n}, 1)}, n);
    }
  }
}
