// How random_graph.cpp makes one node of each structured operator.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "compiler/sample.h"
#include "ir/builder.h"
#include "tests/support/random_graph.h"

namespace cohort::test {

// The function under construction and the values a node may read.
struct RandomContext {
  FunctionBuilder& builder;
  Random& random;
  const RandomGraphOptions& options;
  const Dims& dims;
  std::vector<DType> dtypes{};          // those this graph uses
  std::vector<std::int64_t> extents{};  // those this graph uses, so that shapes meet
  std::vector<ValueId> pool{};

  const Type& type(ValueId value) const { return builder.type(value); }
  int rank(ValueId value) const { return type(value).rank(); }
  std::int64_t least(ValueId value, int axis) const;  // smallest extent of the axis
  template <typename T>
  const T& choose(const std::vector<T>& list) {
    return list[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(list.size())))];
  }
  ValueId pick() { return choose(pool); }
  // A value of at least this rank with constant extents; kNoId if some tries find none.
  ValueId pick_rank(int rank, bool constant_shape = false);
  int axis_of(ValueId value) { return static_cast<int>(random.below(rank(value))); }
  // An axis as a user may write it: counted from the end half of the time.
  std::int64_t written_axis(ValueId value, int axis) { return random.chance(50) ? axis : axis - rank(value); }
  Extents random_extents(int rank);
  Tensor random_tensor(DType dtype, const Extents& shape) { return sample_tensor(dtype, shape, random); }
  ValueId constant(Tensor data);
  // An i64 (or narrower) array whose elements index `size` elements safely.
  ValueId index(std::int64_t size, const Extents& shape);
};

struct Recipe {
  std::string_view op;
  // Adds a node and gives its results, or nothing if the pool has nothing fit.
  std::vector<ValueId> (*make)(RandomContext&);
};
std::span<const Recipe> shape_recipes();    // index maps, slices, gathers
std::span<const Recipe> compute_recipes();  // reductions, products, sorting

}  // namespace cohort::test
