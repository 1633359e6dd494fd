#include "ir/ops/reduce_support.h"

#include <algorithm>

namespace cohort {

using namespace kernel;

namespace {

Reduction complete(Reduction reduction, int rank) {
  for (int axis = 0; axis < rank; ++axis)
    if (!std::binary_search(reduction.reduced.begin(), reduction.reduced.end(), axis))
      reduction.kept.push_back(axis);
  reduction.lanes = !reduction.reduced.empty() && reduction.reduced.back() == rank - 1;
  return reduction;
}

// Whether the extent is at least 1 whatever the named dim, which is at least 0.
bool is_positive(const Dim& dim) { return dim.offset > 0 && dim.scale >= 0; }

std::size_t at(int axis) { return static_cast<std::size_t>(axis); }

}  // namespace

Reduction reduction_of(const Attrs& attrs, int rank) {
  Reduction reduction;
  reduction.reduced = normalized_axes(attrs, "axes", rank);
  reduction.keepdims = attr_or(attrs, "keepdims", false);
  return complete(std::move(reduction), rank);
}

Reduction reduction_along(std::optional<int> axis, int rank, bool keepdims) {
  Reduction reduction;
  for (int a = 0; a < rank; ++a)
    if (!axis || *axis == a) reduction.reduced.push_back(a);
  reduction.keepdims = keepdims;
  return complete(std::move(reduction), rank);
}

Reduction infer_reduction(const InferContext& context) {
  const int rank = context.inputs[0].rank();
  if (const Attr* axes = find_attr(context.attrs, "axes")) {
    std::vector<bool> seen(at(rank));
    for (const std::optional<std::int64_t>& entry : std::get<IntList>(*axes)) {
      if (!entry) fail(DiagId::kWrongAttribute, context.op.name, "axes", "has an entry that is null");
      const std::size_t axis = at(normalized_axis(context, *entry, rank));
      if (seen[axis])
        fail(DiagId::kWrongAttribute, context.op.name, "axes", fmt::format("names axis {} twice", axis));
      seen[axis] = true;
    }
  }
  return reduction_of(context.attrs, rank);
}

Shape reduced_shape(const Shape& shape, const Reduction& reduction) {
  if (!reduction.keepdims) return pick(shape, reduction.kept);
  Shape result = shape;
  for (const int axis : reduction.reduced) result[at(axis)] = 1;
  return result;
}

Shape pick(const Shape& shape, const std::vector<int>& axes) {
  Shape result;
  for (const int axis : axes) result.push_back(shape[at(axis)]);
  return result;
}

Extents pick(const Extents& extents, const std::vector<int>& axes) {
  Extents result;
  for (const int axis : axes) result.push_back(extents[at(axis)]);
  return result;
}

void refuse_empty(const InferContext& context, const Reduction& reduction) {
  const Shape& shape = context.inputs[0].shape;
  const auto is_zero = [&](int axis) { return shape[at(axis)].is_constant(0); };
  if (std::none_of(reduction.reduced.begin(), reduction.reduced.end(), is_zero)) return;
  // Where a kept axis may be empty, what is met at run time decides.
  for (const int axis : reduction.kept)
    if (!is_positive(shape[at(axis)])) return;
  fail(DiagId::kEmptyReduction, context.op.name);
}

void refuse_empty(const EvalContext& context, const Reduction& reduction) {
  const Extents& extents = context.inputs[0].extents();
  if (element_count(pick(extents, reduction.reduced)) == 0 &&
      element_count(pick(extents, reduction.kept)) != 0)
    fail(DiagId::kEmptyReduction, context.op.name);
}

void check_not_empty(LoopContext& context, const Reduction& reduction) {
  const Shape& shape = context.input_type(0).shape;
  const Shape reduced = pick(shape, reduction.reduced), kept = pick(shape, reduction.kept);
  if (std::all_of(reduced.begin(), reduced.end(), is_positive)) return;
  ExprRef holds = apply(ScalarOp::k_ne, {element_count_expr(reduced), constant_index(0)});
  if (!std::all_of(kept.begin(), kept.end(), is_positive)) {
    const ExprRef no_results = apply(ScalarOp::k_eq, {element_count_expr(kept), constant_index(0)});
    holds = apply(ScalarOp::k_or, {holds, no_results});
  }
  append_assert(context, holds, diagnostic(DiagId::kEmptyReduction, {}, context.node().op->name).message);
}

Symbol with_reduced_axes(GradientContext& context, const Symbol& x) {
  const Type& input = context.input_type(0);
  return context.with_axes(x, input.shape, reduction_of(context.attrs(), input.rank()).reduced);
}

Symbol spread_cotangent(GradientContext& context) {
  const Type& input = context.input_type(0);
  const Symbol g = with_reduced_axes(context, ops::cast(context.cotangent(), input.dtype));
  return context.broadcasted(g, input.shape);
}

ReductionOffsets offsets_of(const Extents& extents, const Reduction& reduction) {
  const Extents strides = strides_of(extents);
  ReductionOffsets offsets;
  offsets.kept = box_offsets(pick(extents, reduction.kept), pick(strides, reduction.kept));
  offsets.reduced = box_offsets(pick(extents, reduction.reduced), pick(strides, reduction.reduced));
  if (reduction.lanes) offsets.last_extent = extents.back();
  return offsets;
}

void for_each_result(LoopContext& context, const Reduction& reduction,
                     const std::function<ExprRef(const IndexExprs&)>& element) {
  const Shape& shape = context.input_type(0).shape;
  context.for_each(pick(shape, reduction.kept), [&](const IndexExprs& kept) {
    IndexExprs index = kept;
    if (reduction.keepdims) {
      index.assign(shape.size(), constant_index(0));
      for (std::size_t i = 0; i < kept.size(); ++i) index[at(reduction.kept[i])] = kept[i];
    }
    ExprRef value = element(kept);
    context.store(0, std::move(index), std::move(value));
  });
}

void for_each_reduced(LoopContext& context, const Reduction& reduction, const IndexExprs& kept,
                      const std::function<void(const IndexExprs&, const ExprRef&)>& body) {
  const Shape& shape = context.input_type(0).shape;
  context.for_each(pick(shape, reduction.reduced), [&](const IndexExprs& inner) {
    IndexExprs index(shape.size());
    for (std::size_t i = 0; i < kept.size(); ++i) index[at(reduction.kept[i])] = kept[i];
    for (std::size_t i = 0; i < inner.size(); ++i) index[at(reduction.reduced[i])] = inner[i];
    body(index, reduction.lanes ? inner.back() : nullptr);
  });
}

ExprRef accumulated(LoopContext& context, const Reduction& reduction, const IndexExprs& kept, ScalarOp op,
                    DType dtype, const std::function<ExprRef(const IndexExprs&)>& element) {
  // Along an axis of extent 1 all elements go to one accumulator, so the other fifteen would not matter.
  Reduction walk = reduction;
  walk.lanes = reduction.lanes && !context.input_type(0).shape.back().is_constant(1);
  const ExprRef total = context.accumulator(op, dtype, walk.lanes);
  for_each_reduced(context, walk, kept, [&](const IndexExprs& index, const ExprRef& lane) {
    context.accumulate(total, element(index), lane);
  });
  return context.finish(total);
}

}  // namespace cohort
