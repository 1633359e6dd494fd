#include "ir/ops/random_support.h"

#include "ir/diagnostics.h"
#include "ir/ops/support.h"

namespace cohort::ops {

RandomBuilder::RandomBuilder(FunctionBuilder& builder, std::string_view op, std::span<const ValueId> inputs,
                             const Attrs& attrs)
    : builder_(builder),
      op_(op),
      inputs_(inputs),
      attrs_(attrs),
      first_node_(builder.function().nodes.size()) {
  for (const ValueId input : inputs.first(2))
    if (!is_integer(builder.type(input).dtype))
      fail(DiagId::kWrongDType, op, dtype_name(builder.type(input).dtype), input == inputs[0] ? 0 : 1);
}

DType RandomBuilder::float_attr() const {
  const DType dtype = attr_or(attrs_, "dtype", DType::kF64);
  if (!is_float(dtype)) fail(DiagId::kWrongAttribute, op_, "dtype", fmt::format("is {}", dtype_name(dtype)));
  return dtype;
}
DType RandomBuilder::float_of(std::size_t i) const {
  const DType dtype = builder_.type(inputs_[i]).dtype;
  return is_float(dtype) ? dtype : DType::kF64;
}

Shape RandomBuilder::result_shape(std::span<const Shape> parameters) const {
  if (const Attr* given = find_attr(attrs_, "shape")) return std::get<Shape>(*given);
  std::vector<Shape> all{shape_of(inputs_[0]), shape_of(inputs_[1])};
  all.insert(all.end(), parameters.begin(), parameters.end());
  Shape shape;
  const Dims& dims = builder_.module().module().dims;
  for (const Shape& other : all) {
    std::optional<Shape> both = broadcast(shape, other);
    if (!both) fail(DiagId::kShapeMismatch, op_, to_string(shape, dims), to_string(other, dims));
    shape = std::move(*both);
  }
  return shape;
}

ValueId RandomBuilder::element_numbers(const Shape& shape) {
  const Dims& dims = builder_.module().module().dims;
  std::int64_t stride = 1;
  ValueId sum = builder_.literal_int(DType::kU64, 0);
  bool is_first = true;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    if (shape[axis] != Dim(1)) {
      ValueId part = make(
          "iota", {}, {{"axis", static_cast<std::int64_t>(axis)}, {"dtype", DType::kU64}, {"shape", shape}});
      if (stride != 1) part = make("mul", {part, builder_.literal_int(DType::kU64, stride)});
      sum = is_first ? part : make("add", {part, sum});
      is_first = false;
    }
    stride *= max_extent(shape[axis], dims);
  }
  return is_first ? make("broadcast", {sum}, {{"shape", shape}}) : sum;
}

ValueId RandomBuilder::bits(const Shape& shape, bool inner) {
  const auto stream = [&](std::size_t i) {
    const ValueId value = builder_.cast(inputs_[i], DType::kU64);
    return inner && !shape_of(value).empty() ? make("expand", {value}, {{"axes", IntList{-1}}}) : value;
  };
  const ValueId key = stream(0), draw = stream(1);
  return make("philox_bits", {key, draw, element_numbers(shape)});
}
ValueId RandomBuilder::midpoints(const Shape& shape, bool inner) {
  const ValueId high = make("shift_right", {bits(shape, inner), builder_.literal_int(DType::kU64, 12)});
  return make("mul", {make("add", {builder_.cast(high, DType::kF64), f64(0.5)}), f64(0x1p-52)});
}
ValueId RandomBuilder::uniform(const Shape& shape, DType dtype) {
  const int digits = dtype == DType::kF64 ? 53 : dtype == DType::kF32 ? 24 : dtype == DType::kF16 ? 11 : 8;
  const ValueId high = make("shift_right", {bits(shape), builder_.literal_int(DType::kU64, 64 - digits)});
  const ValueId step = builder_.literal(dtype, std::ldexp(1.0, -digits));
  return make("mul", {builder_.cast(high, dtype), step});
}

ValueId RandomBuilder::finish(ValueId value, const Shape& shape, std::string name, LocId loc) {
  if (shape_of(value) != shape)
    fail(DiagId::kWrongAttribute, op_, "shape", "is not what the inputs broadcast to");
  Function& function = builder_.function();
  function.values[value].name = std::move(name);
  for (std::size_t node = first_node_; node < function.nodes.size(); ++node) function.nodes[node].loc = loc;
  return value;
}

}  // namespace cohort::ops
