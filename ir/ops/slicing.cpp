#include "ir/ops/slicing.h"

#include <algorithm>

namespace cohort::ops {

namespace {

using Entry = std::optional<std::int64_t>;

std::size_t index_of(int axis) { return static_cast<std::size_t>(axis); }

// Entry i of a list attribute; null if the list or the entry is absent.
Entry entry_of(const Attrs& attrs, std::string_view name, std::size_t i) {
  const Attr* list = find_attr(attrs, name);
  return list ? std::get<IntList>(*list)[i] : Entry();
}

// How many axes are sliced: as many as the longest list says (infer refuses lists of unequal length).
std::size_t axis_count(const Attrs& attrs, int index_inputs) {
  if (index_inputs > 0) return static_cast<std::size_t>(index_inputs);
  for (std::string_view name : {"axes", "starts", "stops", "steps"}) {
    if (const Attr* list = find_attr(attrs, name)) return std::get<IntList>(*list).size();
  }
  return 0;
}

// Python: negative entries count from the end; clamped to [0, n], where the step is negative to [-1, n - 1].
// On a named extent infer has made sure that clamping changes nothing.
Dim position(Entry entry, const Dim& n, std::int64_t step, const Dim& absent) {
  if (!entry) return absent;
  const Dim at = *entry < 0 ? sum(n, Dim(*entry)) : Dim(*entry);
  if (!n.is_constant()) return at;
  const std::int64_t low = step > 0 ? 0 : -1;
  return std::clamp(at.offset, low, std::max(low, n.offset + low));
}

// ceil(distance / step) for distance >= 0, else 0.
std::optional<Dim> steps_within(const Dim& distance, std::int64_t step) {
  if (distance.is_constant()) return Dim(distance.offset <= 0 ? 0 : (distance.offset - 1) / step + 1);
  if (distance.scale % step != 0) return std::nullopt;
  // Rounding up the offset alone is right because the named part is a multiple of the step.
  const std::int64_t raised = distance.offset + step - 1;
  return Dim::named(distance.symbol, distance.scale / step,
                    raised >= 0 ? raised / step : -((step - 1 - raised) / step));
}

// The signed way from start to stop, in the direction of the step.
Dim distance_of(const Dim& start, const Dim& stop, std::int64_t step) {
  return step > 0 ? sum(stop, negated(start)) : sum(start, negated(stop));
}

struct Ends {
  Dim start, stop;
};
Ends ends_of(const Attrs& attrs, std::size_t i, const Dim& n, std::int64_t step) {
  const Dim first = step > 0 ? Dim(0) : sum(n, Dim(-1));
  const Dim last = step > 0 ? n : Dim(-1);
  return {position(entry_of(attrs, "starts", i), n, step, first),
          position(entry_of(attrs, "stops", i), n, step, last)};
}

SlicedAxis sliced_axis(const Attrs& attrs, const Shape& shape, std::size_t i, int axis) {
  SlicedAxis result;
  result.axis = axis;
  result.step = entry_of(attrs, "steps", i).value_or(1);
  const Ends ends = ends_of(attrs, i, shape[index_of(axis)], result.step);
  const std::optional<Dim> extent =
      steps_within(distance_of(ends.start, ends.stop, result.step), std::abs(result.step));
  require(extent.has_value(), "the extent of a slice that infer accepted is no dim");
  result.start = ends.start;
  result.extent = *extent;
  return result;
}

std::vector<int> axes_of(const Attrs& attrs, int rank, std::size_t count) {
  std::vector<int> axes = axes_in_order(attrs, "axes", rank);
  axes.resize(count);
  return axes;
}

void check_list_length(const InferContext& context, std::string_view name, std::size_t count) {
  const Attr* list = find_attr(context.attrs, name);
  if (!list || std::get<IntList>(*list).size() == count) return;
  wrong_attribute(context, name,
                  fmt::format("has {} entries for {} axes", std::get<IntList>(*list).size(), count));
}

void refuse(const InferContext& context, std::string_view name, std::string_view why) {
  if (find_attr(context.attrs, name)) wrong_attribute(context, name, std::string(why));
}

// On a named extent an entry must lie inside the axis whatever the dim's value.
void check_inside(const InferContext& context, std::string_view name, std::size_t i, const Dim& n,
                  std::int64_t step) {
  const Entry entry = entry_of(context.attrs, name, i);
  if (!entry || n.is_constant()) return;
  const std::int64_t least = min_extent(n, context.dims);
  const std::int64_t low = step > 0 ? 0 : -1;
  const bool inside = *entry < 0 ? *entry >= low - least : *entry <= least + low;
  if (inside) return;
  wrong_attribute(context, name,
                  fmt::format("has the entry {}, which may lie outside an axis of extent `{}` (at least {})",
                              *entry, to_string(n, context.dims), least));
}

void check_static_axis(const InferContext& context, std::size_t i, int axis) {
  const Dim& n = context.inputs[0].shape[index_of(axis)];
  const std::int64_t step = entry_of(context.attrs, "steps", i).value_or(1);
  check_inside(context, "starts", i, n, step);
  check_inside(context, "stops", i, n, step);
  const Ends ends = ends_of(context.attrs, i, n, step);
  const Dim distance = distance_of(ends.start, ends.stop, step);
  if (distance.is_constant()) return;
  const std::string text = to_string(distance, context.dims);
  if (min_extent(distance, context.dims) < 0) {
    wrong_attribute(context, "stops",
                    fmt::format("makes axis {} of extent `{}`, which may be negative", axis, text));
  }
  if (!steps_within(distance, std::abs(step))) {
    wrong_attribute(context, "steps",
                    fmt::format("has the entry {}, which does not divide `{}` on axis {}", step, text, axis));
  }
}

void check_runtime_axis(const InferContext& context, std::size_t i, int axis, int inputs_before) {
  const std::size_t input = static_cast<std::size_t>(inputs_before) + i;
  const Type& type = context.inputs[input];
  if (!is_integer(type.dtype)) fail(DiagId::kWrongDType, context.op.name, dtype_name(type.dtype), input);
  check_rank(context, input, 0, "is no scalar");
  const Dim& n = context.inputs[0].shape[index_of(axis)];
  const Dim& size = attr<Shape>(context.attrs, "sizes")[i];
  const std::int64_t step = std::abs(entry_of(context.attrs, "steps", i).value_or(1));
  const std::int64_t room = max_extent(n, context.dims);
  const std::int64_t least = min_extent(size, context.dims);
  if (least == 0 && !size.is_constant()) {
    wrong_attribute(context, "sizes",
                    fmt::format("has the entry `{}`, which may be 0", to_string(size, context.dims)));
  }
  const bool overflows = max_extent(size, context.dims) > (INT64_MAX >> 2) / step;
  if (overflows || (least > 0 && (room <= 0 || (least - 1) > (room - 1) / step))) {
    wrong_attribute(context, "sizes",
                    fmt::format("has the entry {}, which exceeds axis {} of extent {}",
                                to_string(size, context.dims), axis, to_string(n, context.dims)));
  }
}

// x[index] where `start` is the first index as given: fails unless all `size` elements lie within [0, n).
std::int64_t checked_start(const EvalContext& context, std::int64_t start, std::int64_t step,
                           std::int64_t size, std::int64_t n) {
  if (size == 0) return 0;
  if (start < -n || start >= n) fail(DiagId::kIndexOutOfRange, context.op.name, start, n);
  const std::int64_t first = start < 0 ? start + n : start;
  const std::int64_t last = first + (size - 1) * step;
  if (last < 0 || last >= n) fail(DiagId::kIndexOutOfRange, context.op.name, last, n);
  return first;
}

}  // namespace

std::vector<AttrSpec> slice_attrs() {
  return {{"axes", AttrKind::kInts},
          {"sizes", AttrKind::kShape},
          {"starts", AttrKind::kInts},
          {"steps", AttrKind::kInts},
          {"stops", AttrKind::kInts}};
}

std::vector<SlicedAxis> sliced_axes(const Attrs& attrs, const Shape& shape, int inputs, int inputs_before) {
  const int index_inputs = inputs - inputs_before;
  const std::size_t count = axis_count(attrs, index_inputs);
  const std::vector<int> axes = axes_of(attrs, static_cast<int>(shape.size()), count);
  std::vector<SlicedAxis> result;
  for (std::size_t i = 0; i < count; ++i) {
    if (index_inputs == 0) {
      result.push_back(sliced_axis(attrs, shape, i, axes[i]));
    } else {
      const std::int64_t step = entry_of(attrs, "steps", i).value_or(1);
      result.push_back(
          {axes[i], step, 0, attr<Shape>(attrs, "sizes")[i], inputs_before + static_cast<int>(i)});
    }
  }
  return result;
}

Shape check_slice(const InferContext& context, int inputs_before) {
  const Shape& x = context.inputs[0].shape;
  const int inputs = static_cast<int>(context.inputs.size());
  const int index_inputs = inputs - inputs_before;
  const std::size_t count = axis_count(context.attrs, index_inputs);
  check_axes(context, "axes", static_cast<int>(x.size()));
  if (index_inputs > 0) {
    for (std::string_view name : {"starts", "stops"})
      refuse(context, name, "does not go with starts as inputs");
    if (!find_attr(context.attrs, "sizes")) fail(DiagId::kMissingAttribute, context.op.name, "sizes");
    const std::size_t sizes = check_shape(context, "sizes").size();
    if (sizes != count)
      wrong_attribute(context, "sizes", fmt::format("has {} entries for {} axes", sizes, count));
  } else {
    refuse(context, "sizes", "needs a start for each axis as an input");
  }
  for (std::string_view name : {"axes", "starts", "stops", "steps"}) check_list_length(context, name, count);
  if (count > x.size()) fail(DiagId::kAxisOutOfRange, context.op.name, count - 1, x.size());
  const std::vector<int> axes = axes_of(context.attrs, static_cast<int>(x.size()), count);
  for (std::size_t i = 0; i < count; ++i) {
    const Entry step = entry_of(context.attrs, "steps", i);
    if (step == 0 || step == INT64_MIN)
      wrong_attribute(context, "steps", fmt::format("has the entry {}", *step));
    if (index_inputs > 0)
      check_runtime_axis(context, i, axes[i], inputs_before);
    else
      check_static_axis(context, i, axes[i]);
  }
  Shape shape = x;
  for (const SlicedAxis& axis : sliced_axes(context.attrs, x, inputs, inputs_before)) {
    shape[index_of(axis.axis)] = axis.extent;
  }
  return shape;
}

namespace {
void check_update(const InferContext& context, const Shape& slice) {
  const Type& y = context.inputs[1];
  if (y.dtype != context.inputs[0].dtype) fail(DiagId::kWrongDType, context.op.name, dtype_name(y.dtype), 1);
  if (broadcast(y.shape, slice) != slice) {
    fail(DiagId::kShapeMismatch, context.op.name, to_string(slice, context.dims),
         to_string(y.shape, context.dims));
  }
}
}  // namespace

std::vector<Type> infer_slice_update(const InferContext& context) {
  check_update(context, check_slice(context, 2));
  return {context.inputs[0]};
}

Layout slice_layout(const EvalContext& context, int inputs_before) {
  const Extents& extents = context.inputs[0].extents();
  const Shape shape(extents.begin(), extents.end());
  Layout layout = layout_of(extents);
  for (const SlicedAxis& axis :
       sliced_axes(context.attrs, shape, static_cast<int>(context.inputs.size()), inputs_before)) {
    std::vector<std::int64_t>& offsets = layout.offsets[index_of(axis.axis)];
    const std::int64_t size = evaluate(axis.extent, context.dims);
    std::int64_t start = evaluate(axis.start, context.dims);
    if (axis.input >= 0) {
      start = checked_start(context, element_as_int(context.inputs[index_of(axis.input)], 0), axis.step, size,
                            extents[index_of(axis.axis)]);
    }
    std::vector<std::int64_t> sliced;
    for (std::int64_t i = 0; i < size; ++i)
      sliced.push_back(offsets[static_cast<std::size_t>(start + i * axis.step)]);
    offsets = std::move(sliced);
  }
  return layout;
}

SliceMap::SliceMap(NodeLowering& lowering, int inputs_before) : shape_(lowering.input_type(0).shape) {
  const Shape x = shape_;
  axes_ = sliced_axes(lowering.attrs(), x, lowering.input_count(), inputs_before);
  for (const SlicedAxis& axis : axes_) {
    shape_[index_of(axis.axis)] = axis.extent;
    if (axis.input < 0) {
      starts_.push_back(kernel::extent(axis.start));
      continue;
    }
    const Dim& n = x[index_of(axis.axis)];
    if (axis.extent.is_constant(0)) {
      starts_.push_back(kernel::constant_index(0));
      continue;
    }
    const ExprRef first = lowering.checked_index(lowering.load(axis.input, {}), n);
    const ExprRef last =
        first + kernel::extent(sum(axis.extent, Dim(-1))) * kernel::constant_index(axis.step);
    lowering.check_index(last, n);
    starts_.push_back(first);
  }
}

Index SliceMap::operator()(Index index) const {
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    ExprRef& at = index[index_of(axes_[i].axis)];
    at = at * kernel::constant_index(axes_[i].step) + starts_[i];
  }
  return index;
}

void slice_update_loops(LoopContext& context, bool increase) {
  const SliceMap map(context, 2);
  context.for_each(context.result_type().shape, [&](Index index) {
    const ExprRef old = context.load(0, index);
    context.store(0, std::move(index), old);
  });
  context.for_each(map.shape(), [&](const Index& index) {
    const Index place = map(index);
    const ExprRef y = context.load_broadcast(1, index);
    context.store(0, place, increase ? context.load_result(0, place) + y : y);
  });
}

}  // namespace cohort::ops
