#include "ir/ops/support.h"

#include <algorithm>

namespace cohort::ops {

void wrong_attribute(const InferContext& context, std::string_view name, const std::string& what) {
  fail(DiagId::kWrongAttribute, context.op.name, name, what);
}

void wrong_shape(const InferContext& context, std::size_t input, std::string_view what) {
  fail(DiagId::kWrongShape, context.op.name, input, to_string(context.inputs[input].shape, context.dims),
       what);
}

void check_axes(const InferContext& context, std::string_view name, int rank) {
  const Attr* given = find_attr(context.attrs, name);
  if (!given) return;
  std::vector<bool> seen(static_cast<std::size_t>(rank));
  for (const std::optional<std::int64_t>& axis : std::get<IntList>(*given)) {
    if (!axis) wrong_attribute(context, name, "has a null entry");
    const std::size_t at = static_cast<std::size_t>(normalized_axis(context, *axis, rank));
    if (seen[at]) wrong_attribute(context, name, fmt::format("names axis {} twice", at));
    seen[at] = true;
  }
}

std::vector<int> axes_in_order(const Attrs& attrs, std::string_view name, int rank) {
  std::vector<int> axes;
  if (const Attr* given = find_attr(attrs, name)) {
    for (const std::optional<std::int64_t>& axis : std::get<IntList>(*given)) {
      axes.push_back(static_cast<int>(*axis < 0 ? *axis + rank : *axis));
    }
  } else {
    for (int axis = 0; axis < rank; ++axis) axes.push_back(axis);
  }
  return axes;
}

int check_axis(const InferContext& context, std::int64_t fallback, int rank) {
  return normalized_axis(context, attr_or<std::int64_t>(context.attrs, "axis", fallback), rank);
}

int axis_attr(const Attrs& attrs, std::int64_t fallback, int rank) {
  const std::int64_t axis = attr_or<std::int64_t>(attrs, "axis", fallback);
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

std::vector<std::int64_t> check_ints(const InferContext& context, std::string_view name) {
  for (const std::optional<std::int64_t>& entry : attr<IntList>(context.attrs, name)) {
    if (!entry) wrong_attribute(context, name, "has a null entry");
  }
  return ints_attr(context.attrs, name);
}

std::vector<std::int64_t> ints_attr(const Attrs& attrs, std::string_view name) {
  std::vector<std::int64_t> values;
  for (const std::optional<std::int64_t>& entry : attr<IntList>(attrs, name)) values.push_back(*entry);
  return values;
}

const Shape& check_shape(const InferContext& context, std::string_view name) {
  const Shape& shape = attr<Shape>(context.attrs, name);
  for (const Dim& dim : shape) {
    if (min_extent(dim, context.dims) < 0) {
      wrong_attribute(context, name, fmt::format("has the negative extent {}", to_string(dim, context.dims)));
    }
  }
  return shape;
}

void check_rank(const InferContext& context, std::size_t input, int rank, std::string_view what) {
  if (context.inputs[input].rank() != rank) wrong_shape(context, input, what);
}

Dim negated(const Dim& a) { return *multiply(a, Dim(-1)); }

Dim add_extents(const InferContext& context, std::size_t axis, const Dim& a, const Dim& b) {
  const std::optional<Dim> total = add(a, b);
  if (!total) {
    fail(DiagId::kTwoDims, context.op.name, axis, to_string(a, context.dims), to_string(b, context.dims));
  }
  return *total;
}

Dim scale_extent(const InferContext& context, std::string_view name, std::size_t axis, const Dim& a,
                 std::int64_t factor) {
  if (factor < 0) wrong_attribute(context, name, fmt::format("has the negative value {}", factor));
  const std::optional<Dim> scaled = multiply(a, Dim(factor));
  if (!scaled) wrong_attribute(context, name, fmt::format("makes axis {} too long", axis));
  return *scaled;
}

Dim sum(const Dim& a, const Dim& b) {
  const std::optional<Dim> total = add(a, b);
  require(total.has_value(), "a sum that infer accepted is no dim");
  return *total;
}

ExprRef quotient(const ExprRef& a, const ExprRef& b) {
  if (kernel::is_constant_index(*b, 1)) return a;
  return kernel::op(ScalarOp::k_floor_div, {a, b}, DType::kI64);
}
ExprRef remainder(const ExprRef& a, const ExprRef& b) {
  if (kernel::is_constant_index(*b, 1)) return kernel::constant_index(0);
  return kernel::op(ScalarOp::k_mod, {a, b}, DType::kI64);
}
ExprRef compare(ScalarOp op, const ExprRef& a, const ExprRef& b) {
  return kernel::op(op, {a, b}, DType::kBool);
}
ExprRef select(const ExprRef& condition, const ExprRef& a, const ExprRef& b) {
  return kernel::op(ScalarOp::k_where, {condition, a, b}, a->dtype);
}
ExprRef cast_to(const ExprRef& value, DType dtype) {
  return value->dtype == dtype ? value : kernel::op(ScalarOp::k_cast, {value}, dtype);
}
ExprRef constant_of(DType dtype, double value) { return kernel::constant(make_scalar(dtype, value)); }

Layout layout_of(const Extents& extents) {
  Layout layout;
  layout.offsets.resize(extents.size());
  std::int64_t stride = 1;
  for (std::size_t axis = extents.size(); axis-- > 0;) {
    for (std::int64_t i = 0; i < extents[axis]; ++i) layout.offsets[axis].push_back(i * stride);
    stride *= extents[axis];
  }
  return layout;
}

Extents extents_of(const Layout& layout) {
  Extents extents;
  for (const auto& axis : layout.offsets) extents.push_back(static_cast<std::int64_t>(axis.size()));
  return extents;
}

Layout broadcast_layout(const Extents& own, const Extents& extents) {
  Layout layout = layout_of(own);
  layout.offsets.insert(layout.offsets.begin(), extents.size() - own.size(), {0});
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    if (layout.offsets[axis].size() == 1)
      layout.offsets[axis].assign(static_cast<std::size_t>(extents[axis]), 0);
  }
  return layout;
}

namespace {

template <typename Word>
void copy_axes(const Word* from, const Layout& source, Word* to, const Layout& target, std::size_t axis) {
  if (axis == source.offsets.size()) {
    *to = *from;
    return;
  }
  const std::vector<std::int64_t>&in = source.offsets[axis], &out = target.offsets[axis];
  if (axis + 1 == source.offsets.size()) {
    for (std::size_t i = 0; i < in.size(); ++i) to[out[i]] = from[in[i]];
    return;
  }
  for (std::size_t i = 0; i < in.size(); ++i) copy_axes(from + in[i], source, to + out[i], target, axis + 1);
}

bool is_empty(const Layout& layout) {
  return std::any_of(layout.offsets.begin(), layout.offsets.end(),
                     [](const auto& axis) { return axis.empty(); });
}

template <typename Word>
void copy_words(const Tensor& from, const Layout& source, Tensor& to, const Layout& target) {
  copy_axes(from.as<Word>() + source.base, source, to.mutable_as<Word>() + target.base, target, 0);
}

}  // namespace

void copy_elements(const Tensor& from, const Layout& source, Tensor& to, const Layout& target) {
  require(from.dtype() == to.dtype() && source.offsets.size() == target.offsets.size(),
          "copy_elements: layouts");
  if (is_empty(source)) return;
  switch (dtype_bytes(from.dtype())) {
    case 1:
      return copy_words<std::uint8_t>(from, source, to, target);
    case 2:
      return copy_words<std::uint16_t>(from, source, to, target);
    case 4:
      return copy_words<std::uint32_t>(from, source, to, target);
    default:
      return copy_words<std::uint64_t>(from, source, to, target);
  }
}

namespace {
void cast_elements(const void* from, DType dtype, std::int64_t stride, Tensor& to) {
  if (to.size() == 0) return;
  evaluate_array(ScalarOp::k_cast, dtype, to.dtype(), to.size(), {&from, 1}, {&stride, 1}, to.mutable_data());
}
}  // namespace

void fill(Tensor& tensor, Scalar value) { cast_elements(&value.bits, value.dtype, 0, tensor); }

Tensor cast_tensor(const Tensor& tensor, DType dtype) {
  if (tensor.dtype() == dtype) return tensor;
  Tensor result(dtype, tensor.extents());
  cast_elements(tensor.data(), tensor.dtype(), 1, result);
  return result;
}

std::vector<std::int64_t> integers(const Tensor& tensor) {
  const Tensor values = cast_tensor(tensor, DType::kI64);
  return {values.as<std::int64_t>(), values.as<std::int64_t>() + values.size()};
}

}  // namespace cohort::ops
