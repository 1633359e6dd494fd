#include "ir/ops/gradients.h"

namespace cohort::ops {

void pass_cotangent(GradientContext& context) { context.add(0, context.cotangent()); }

IntList int_list(std::span<const int> axes) { return {axes.begin(), axes.end()}; }

Symbol cast(const Symbol& x, DType dtype) { return {x.to, x.to->cast(x.value, dtype)}; }

Symbol literal_int(GradientContext& context, DType dtype, std::int64_t value) {
  return {&context.to(), context.to().literal_int(dtype, value)};
}

Symbol element_count(GradientContext& context, const Shape& shape, DType dtype) {
  if (is_constant(shape)) return literal_int(context, dtype, cohort::element_count(evaluate(shape, {})));
  return cast(context.emit("size", {}, {{"shape", shape}}), dtype);
}

Symbol index_along(GradientContext& context, const Shape& shape, int axis) {
  const auto at = static_cast<std::size_t>(axis);
  Shape own(shape.size(), Dim(1));
  own[at] = shape[at];
  return context.emit("iota", {}, {{"axis", std::int64_t{axis}}, {"shape", own}});
}

Symbol with_new_axis(GradientContext& context, const Symbol& x, int axis) {
  Shape shape = x.type().shape;
  shape.insert(shape.begin() + axis, Dim(1));
  return context.reshaped(x, shape);
}

Symbol scattered(GradientContext& context, const Type& type, const Symbol& y,
                 const std::vector<Symbol>& indices) {
  std::vector<Symbol> inputs{context.zeros(type), y};
  inputs.insert(inputs.end(), indices.begin(), indices.end());
  return context.emit("scatter_add", inputs);
}

Symbol scattered_along(GradientContext& context, const Type& type, const Symbol& y, const Symbol& index,
                       int axis) {
  std::vector<Symbol> indices;
  for (int a = 0; a < type.rank(); ++a) {
    const Dim& extent = type.shape[static_cast<std::size_t>(a)];
    if (a == axis)
      indices.push_back(index);
    else if (extent.is_constant(1))  // it repeated where the index has more
      indices.push_back(literal_int(context, DType::kI64, 0));
    else
      indices.push_back(index_along(context, type.shape, a));
  }
  return scattered(context, type, y, indices);
}

Symbol summed_from_end(GradientContext& context, const Symbol& x, int axis) {
  const std::int64_t at = axis;
  const Attrs along{{"axes", IntList{at}}};
  const Symbol sums = context.emit("cumsum", {context.emit("flip", {x}, along)}, {{"axis", at}});
  return context.emit("flip", {sums}, along);
}

Symbol reduced(GradientContext& context, std::string_view op, const Symbol& x, std::span<const int> axes,
               DType dtype) {
  return context.emit(op, {x}, {{"axes", int_list(axes)}, {"dtype", dtype}, {"keepdims", true}});
}

}  // namespace cohort::ops
