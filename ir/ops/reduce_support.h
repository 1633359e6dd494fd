// Shared by the operators that reduce axes: which axes, what shape remains, the walk over elements and over
// loops.
#pragma once

#include "ir/diagnostics.h"
#include "ir/ops/elements.h"
#include "ir/ops/gradients.h"
#include "ir/ops/loop_support.h"

namespace cohort {

// The axes of a reduction. `lanes` says that sixteen partial accumulators are kept (ir/README.md, order of
// reductions).
struct Reduction {
  std::vector<int> reduced, kept;  // ascending; together all axes
  bool keepdims = false;
  bool lanes = false;
};
// Reads `axes` and `keepdims`, after infer accepted them.
Reduction reduction_of(const Attrs& attrs, int rank);
// The same for one axis; absent means all.
Reduction reduction_along(std::optional<int> axis, int rank, bool keepdims);
// Refuses axes that do not exist or are named twice; then the same.
Reduction infer_reduction(const InferContext& context);
Shape reduced_shape(const Shape& shape, const Reduction& reduction);
// The extents of some axes.
Shape pick(const Shape& shape, const std::vector<int>& axes);
Extents pick(const Extents& extents, const std::vector<int>& axes);

// Refuses a reduction without identity over no elements, unless there are no results either.
void refuse_empty(const InferContext& context, const Reduction& reduction);
void refuse_empty(const EvalContext& context, const Reduction& reduction);
void check_not_empty(LoopContext& context, const Reduction& reduction);

// For gradients: a value of the result's shape with the reduced axes of extent 1.
Symbol with_reduced_axes(GradientContext& context, const Symbol& x);
// The same of the cotangent, in the dtype of the input, repeated over those axes.
Symbol spread_cotangent(GradientContext& context);

// Offsets into the input: element r of result k is at kept[k] + reduced[r].
struct ReductionOffsets {
  std::vector<std::int64_t> kept, reduced;
  std::int64_t last_extent = 0;  // of the input's last axis where that is reduced, else 0
};
ReductionOffsets offsets_of(const Extents& extents, const Reduction& reduction);

// The strict order over elements x[offset]: sixteen partial accumulators by index along the last axis if that
// is reduced, else one.
template <typename T, typename Element, typename Combine>
T reduce_in_order(const ReductionOffsets& offsets, T identity, Element element, Combine combine) {
  const auto count = static_cast<std::int64_t>(offsets.reduced.size());
  T partial[16];
  for (T& p : partial) p = identity;
  for (std::int64_t r = 0; r < count; ++r) {
    T& p = partial[offsets.last_extent == 0 ? 0 : r % offsets.last_extent % 16];
    p = combine(p, element(offsets.reduced[static_cast<std::size_t>(r)]));
  }
  if (offsets.last_extent == 0) return partial[0];
  for (int width = 8; width > 0; width /= 2)
    for (int lane = 0; lane < width; ++lane) partial[lane] = combine(partial[lane], partial[lane + width]);
  return partial[0];
}

// Loops over the results: `element(kept)` gives the value, `kept` has one expr per kept axis.
void for_each_result(LoopContext& context, const Reduction& reduction,
                     const std::function<kernel::ExprRef(const IndexExprs& kept)>& element);
// Loops over the elements that go into one result: `body` sees the input's index and the lane for
// `accumulate`.
void for_each_reduced(LoopContext& context, const Reduction& reduction, const IndexExprs& kept,
                      const std::function<void(const IndexExprs& index, const kernel::ExprRef& lane)>& body);
// An accumulation of `element(index)` over those elements, finished.
kernel::ExprRef accumulated(LoopContext& context, const Reduction& reduction, const IndexExprs& kept,
                            ScalarOp op, DType dtype,
                            const std::function<kernel::ExprRef(const IndexExprs&)>& element);

// reduce_sum, reduce_prod and reduce_mean are one operator but for these.
enum class Arithmetic : std::uint8_t { kSum, kProduct, kMean };
std::vector<Type> infer_arithmetic(const InferContext& context, Arithmetic kind);
void evaluate_arithmetic(EvalContext& context, Arithmetic kind);
void arithmetic_loops(LoopContext& context, Arithmetic kind);
// The dtype that sums and products of `dtype` have by default.
DType sum_dtype(DType dtype);
// The attribute `dtype` or that default; refuses what cannot be summed.
DType infer_sum_dtype(const InferContext& context);

// reduce_max and reduce_min.
std::vector<Type> infer_extremum(const InferContext& context);
void evaluate_extremum(EvalContext& context, bool greatest);
void extremum_loops(LoopContext& context, bool greatest);
// Elements that are equally extreme share the cotangent.
void extremum_gradient(GradientContext& context);

// reduce_all and reduce_any.
std::vector<Type> infer_logic(const InferContext& context);
void evaluate_logic(EvalContext& context, bool all);
void logic_loops(LoopContext& context, bool all);

// argmax and argmin.
std::vector<Type> infer_arg(const InferContext& context);
void evaluate_arg(EvalContext& context, bool greatest);
void arg_loops(LoopContext& context, bool greatest);

}  // namespace cohort
