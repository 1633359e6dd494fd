// What slice, set_slice and inc_slice share: which elements of x a slice names.
//
// Two forms. Without index inputs: {axes?, starts?, stops?, steps?}, Python's slices, on the first axes if
// `axes` is absent. With one integer scalar per axis after the first `inputs_before` inputs: {axes?, sizes,
// steps?}, `sizes` elements from there; an index out of range is an error at run time, a negative one counts
// from the end.
//
// Python clamps starts and stops to the axis. On an axis with a named dim that would depend on its value, so
// entries that may lie outside are refused; then every start and extent is a dim.
#pragma once

#include "ir/ops/support.h"

namespace cohort::ops {

struct SlicedAxis {
  int axis = 0;
  std::int64_t step = 1;
  Dim start;       // the first index; of the run-time form: 0
  Dim extent;      // of the slice
  int input = -1;  // of the run-time form: the input that holds the first index
};

// The attributes of all three operators.
std::vector<AttrSpec> slice_attrs();
// For infer: checks attributes and index inputs; the shape of the slice of inputs[0].
Shape check_slice(const InferContext& context, int inputs_before);
// The type of x, after checking that y, which is inputs[1], has its dtype and broadcasts to the slice; for
// set_slice and inc_slice.
std::vector<Type> infer_slice_update(const InferContext& context);
// Their loops copy all of x and then write the slice, without a selection per element. Where x's buffer is
// the result's, the first nest stores every element to itself and can be dropped: y is read only by the
// second.
void slice_update_loops(LoopContext& context, bool increase);
// The sliced axes of an x of `shape`, after infer has accepted it. `inputs` counts all inputs.
std::vector<SlicedAxis> sliced_axes(const Attrs& attrs, const Shape& shape, int inputs, int inputs_before);

// For evaluate: where the elements of the slice lie in x. Fails with kIndexOutOfRange.
Layout slice_layout(const EvalContext& context, int inputs_before);

// For lowering: the shape of the slice, and the map from an index of the slice to one of x. Constructing it
// writes the run-time checks, so it is made once, outside of the loops over the slice.
class SliceMap {
 public:
  SliceMap(NodeLowering& lowering, int inputs_before);
  const Shape& shape() const { return shape_; }
  Index operator()(Index index) const;

 private:
  Shape shape_;
  std::vector<SlicedAxis> axes_;
  std::vector<ExprRef> starts_;  // of axes_
};

}  // namespace cohort::ops
