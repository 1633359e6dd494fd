// sort, argsort and topk. Compiled code calls the runtime on whole buffers, seen as [outer][n][inner] and
// ordered along n:
//
//   call rt_sort(values, x; outer, n, inner)               ascending, NaN last, stable
//   call rt_argsort(indices, x; outer, n, inner)           i64 positions of those values
//   call rt_topk(values, indices, x; outer, n, inner, k)   the first k, NaN first, then descending; ties by
//   position
//
// Buffers have the dtype of x, indices i64.
#pragma once

#include "ir/ops/elements.h"
#include "ir/ops/loop_support.h"

namespace cohort {

// A tensor's axes before, at and behind one axis.
struct AxisView {
  std::int64_t outer = 1, n = 1, inner = 1;
};
AxisView view_along(const Extents& extents, std::size_t axis);
// The attribute `axis` counted from 0, -1 if absent.
std::size_t sorted_axis(const Attrs& attrs, int rank);
std::vector<Type> infer_sorted(const InferContext& context, DType dtype);

// For each column, first by outer and then by inner, the positions along n in order.
std::vector<std::int64_t> sorted_positions(const Tensor& x, const AxisView& view, bool descending);
// result[o][r][i] = x[o][positions[o][i][r]][i] for r < count; null results are skipped.
void write_ordered(const Tensor& x, const AxisView& view, std::span<const std::int64_t> positions,
                   std::int64_t count, Tensor* values, Tensor* indices);
// Does what the runtime function `name` does, if it is one of the three.
bool call_sorting(std::string_view name, std::span<Tensor> outputs, std::span<const Tensor> inputs,
                  std::span<const std::int64_t> scalars);
// outer, n, inner as exprs for the call.
std::vector<kernel::ExprRef> view_exprs(const Shape& shape, std::size_t axis);

}  // namespace cohort
