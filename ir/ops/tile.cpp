// tile(x) {reps}: x repeated as a whole, reps[i] times along axis i. The shorter of reps and shape gets
// leading ones.
#include "ir/ops/gradients.h"
#include "ir/ops/list.h"
#include "ir/ops/support.h"

namespace cohort {

namespace {

// One entry per axis of the result.
std::vector<std::int64_t> repetitions(const Attrs& attrs, int rank) {
  std::vector<std::int64_t> reps = ops::ints_attr(attrs, "reps");
  if (static_cast<int>(reps.size()) < rank)
    reps.insert(reps.begin(), static_cast<std::size_t>(rank) - reps.size(), 1);
  return reps;
}

std::vector<Type> infer(const InferContext& context) {
  const Type& x = context.inputs[0];
  ops::check_ints(context, "reps");
  const std::vector<std::int64_t> reps = repetitions(context.attrs, x.rank());
  Type result = x;
  result.shape.insert(result.shape.begin(), reps.size() - x.shape.size(), Dim(1));
  for (std::size_t axis = 0; axis < reps.size(); ++axis) {
    result.shape[axis] = ops::scale_extent(context, "reps", axis, result.shape[axis], reps[axis]);
  }
  return {result};
}

void evaluate(EvalContext& context) {
  const Tensor& x = context.inputs[0];
  const std::vector<std::int64_t> reps = repetitions(context.attrs, x.rank());
  ops::Layout source = ops::layout_of(x.extents());
  source.offsets.insert(source.offsets.begin(), reps.size() - source.offsets.size(), {0});
  for (std::size_t axis = 0; axis < reps.size(); ++axis) {
    std::vector<std::int64_t> tiled;
    for (std::int64_t r = 0; r < reps[axis]; ++r) {
      tiled.insert(tiled.end(), source.offsets[axis].begin(), source.offsets[axis].end());
    }
    source.offsets[axis] = std::move(tiled);
  }
  ops::copy_elements(x, source, context.results[0], ops::layout_of(context.results[0].extents()));
}

// Loops over the copies stand outside, so that the inner ones run over x as it lies.
void loops(LoopContext& context) {
  const Shape& x = context.input_type(0).shape;
  const std::vector<std::int64_t> reps = repetitions(context.attrs(), static_cast<int>(x.size()));
  const std::size_t added = reps.size() - x.size();
  Shape shape(reps.begin(), reps.end());
  shape.insert(shape.end(), x.begin(), x.end());
  context.for_each(shape, [&](const ops::Index& index) {
    ops::Index own(index.begin() + static_cast<std::ptrdiff_t>(reps.size()), index.end());
    ops::Index place(index.begin(), index.begin() + static_cast<std::ptrdiff_t>(reps.size()));
    for (std::size_t axis = 0; axis < x.size(); ++axis) {
      place[added + axis] = place[added + axis] * kernel::extent(x[axis]) + own[axis];
    }
    context.store(0, std::move(place), context.load(0, std::move(own)));
  });
}

// The copies become axes of their own, over which the cotangent is summed.
void gradient(GradientContext& context) {
  const Shape& x = context.input_type(0).shape;
  const std::vector<std::int64_t> reps = repetitions(context.attrs(), static_cast<int>(x.size()));
  Shape own = x, split;
  own.insert(own.begin(), reps.size() - x.size(), Dim(1));
  IntList copies;
  for (std::size_t axis = 0; axis < reps.size(); ++axis) {
    if (reps[axis] != 1) {
      copies.push_back(static_cast<std::int64_t>(split.size()));
      split.push_back(Dim(reps[axis]));
    }
    split.push_back(own[axis]);
  }
  Symbol g = context.reshaped(context.cotangent(), split);
  if (!copies.empty()) g = context.emit("reduce_sum", {g}, {{"axes", copies}});
  context.add(0, context.reshaped(g, x));
}

}  // namespace

const OpDef& op_tile() {
  static const OpDef def{.name = "tile",
                         .op_class = OpClass::kOpaque,
                         .attrs = {{"reps", AttrKind::kInts, true}},
                         .meaning = "x repeated as a whole along its axes and new leading ones",
                         .infer = infer,
                         .evaluate = evaluate,
                         .loops = loops,
                         .gradient = gradient};
  return def;
}

}  // namespace cohort
