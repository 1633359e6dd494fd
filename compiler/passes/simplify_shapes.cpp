// simplify_shapes: index maps that say the same in fewer steps.
//
//   reshape(reshape(x))                          =>  reshape(x)          also of broadcast, transpose; x
//   itself where transpose(transpose(x))                      =>  transpose(x)        nothing is left to do
//   transpose(x) that moves extents of 1 only    =>  reshape(x)
//   broadcast(x) that adds leading 1s only       =>  reshape(x)
//   concat(x), tile by 1, roll by 0, pad by 0, repeat 1  =>  x
//   concat(concat(x, y), z) on one axis          =>  concat(x, y, z)     and empty operands are dropped
//   f(broadcast(x), y)                           =>  f(x, y)             elementwise f spreads operands
//   itself f(broadcast(x), broadcast(y))                =>  broadcast(f(x, y)) slice, reshape, transpose,
//   tile ... of a scalar spread out  =>  broadcast of the scalar anything of which no element is left =>
//   broadcast of a zero
#include <algorithm>

#include "compiler/effects.h"
#include "compiler/emitter.h"
#include "compiler/pass.h"
#include "ir/op_def.h"

namespace cohort::passes {

namespace {

using Values = std::vector<ValueId>;

Values reshape(Emitter& e, const NodeView& node) {
  ValueId x = node.inputs[0];
  const Shape shape = e.result_shape(node);
  if (e.shape(x) == shape) return {x};
  const Node* inner = e.made_by(x, "reshape");
  if (!inner) return {};
  x = inner->inputs[0];
  return {e.shape(x) == shape ? x : e.emit("reshape", {x}, {{"shape", shape}})};
}

// The axes of a transpose, written out.
std::vector<std::size_t> permutation(const Attrs& attrs, std::size_t rank) {
  std::vector<std::size_t> axes;
  const Attr* given = find_attr(attrs, "axes");
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t axis = given ? *std::get<IntList>(*given)[i] : static_cast<std::int64_t>(rank - 1 - i);
    axes.push_back(static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis));
  }
  return axes;
}

// Whether the axes whose extent is not 1 keep their order.
bool moves_nothing(const std::vector<std::size_t>& axes, const Shape& shape) {
  std::size_t last = 0;
  for (const std::size_t axis : axes) {
    if (shape[axis].is_constant(1)) continue;
    if (axis < last) return false;
    last = axis;
  }
  return true;
}

Values transpose(Emitter& e, const NodeView& node) {
  ValueId x = node.inputs[0];
  const std::size_t rank = e.shape(x).size();
  std::vector<std::size_t> axes = permutation(node.attrs, rank);
  const Shape result = e.result_shape(node);
  if (moves_nothing(axes, e.shape(x))) return {e.reshape(x, result)};
  const Node* inner = e.made_by(x, "transpose");
  if (!inner) return {};
  const std::vector<std::size_t> first = permutation(inner->attrs, rank);
  x = inner->inputs[0];
  IntList composed;
  for (const std::size_t axis : axes) composed.push_back(static_cast<std::int64_t>(first[axis]));
  return {e.emit("transpose", {x}, {{"axes", composed}})};
}

Values broadcast(Emitter& e, const NodeView& node) {
  ValueId x = node.inputs[0];
  const Shape shape = e.result_shape(node);
  if (e.shape(x) == shape) return {x};
  if (const Node* inner = e.made_by(x, "broadcast")) return {e.fit(inner->inputs[0], shape)};
  const Shape& old = e.shape(x);
  const auto added = static_cast<std::ptrdiff_t>(shape.size() - old.size());
  const bool leading_ones =
      std::all_of(shape.begin(), shape.begin() + added, [](const Dim& d) { return d.is_constant(1); });
  if (leading_ones && std::equal(old.begin(), old.end(), shape.begin() + added)) return {e.reshape(x, shape)};
  return {};
}

constexpr std::size_t kMostParts = 64;

Values concat(Emitter& e, const NodeView& node) {
  if (node.inputs.size() == 1) return {node.inputs[0]};
  const auto rank = static_cast<std::int64_t>(e.shape(node.inputs[0]).size());
  const auto axis_of = [&](const Attrs& attrs) {
    const std::int64_t axis = attr_or<std::int64_t>(attrs, "axis", 0);
    return axis < 0 ? axis + rank : axis;
  };
  const std::int64_t axis = axis_of(node.attrs);
  Values parts;
  for (const ValueId input : node.inputs) {
    const Node* inner = e.made_by(input, "concat");
    // Bounded, so that a chain of concats that each add one part is not copied over and over.
    const bool short_enough = inner && parts.size() + inner->inputs.size() <= kMostParts;
    if (short_enough && axis_of(inner->attrs) == axis)
      parts.insert(parts.end(), inner->inputs.begin(), inner->inputs.end());
    else
      parts.push_back(input);
  }
  const auto empty = [&](ValueId part) {
    return e.shape(part)[static_cast<std::size_t>(axis)].is_constant(0);
  };
  if (!std::all_of(parts.begin(), parts.end(), empty))
    std::erase_if(parts, empty);
  else
    parts.resize(1);
  if (Values(node.inputs.begin(), node.inputs.end()) == parts) return {};
  return {e.emit("concat", parts, {{"axis", axis}})};
}

bool all_equal(const Attrs& attrs, std::string_view name, std::int64_t value) {
  const IntList& list = attr<IntList>(attrs, name);
  return std::all_of(list.begin(), list.end(), [&](const auto& entry) { return entry == value; });
}

bool does_nothing(Emitter& e, const NodeView& node) {
  const std::string_view op = node.op->name;
  if (op == "tile")
    return all_equal(node.attrs, "reps", 1) && e.shape(node.inputs[0]) == e.result_shape(node);
  if (op == "repeat") return attr<std::int64_t>(node.attrs, "repeats") == 1;
  if (op == "roll") return all_equal(node.attrs, "shifts", 0);
  return op == "pad" && all_equal(node.attrs, "low", 0) && all_equal(node.attrs, "high", 0);
}

// Operators that only choose elements of their first input: of one scalar they choose that.
bool chooses(std::string_view op) {
  constexpr std::string_view kOps[] = {"repeat", "reshape", "roll", "slice", "tile", "transpose"};
  return std::binary_search(std::begin(kOps), std::end(kOps), op);
}

// The scalar that `value` spreads over its shape.
ValueId spread_scalar(Emitter& e, ValueId value) {
  const Node* node = e.made_by(value, "broadcast");
  return node && e.type(node->inputs[0]).rank() == 0 ? node->inputs[0] : kNoId;
}

Values elementwise(Emitter& e, const NodeView& node) {
  Values inputs(node.inputs.begin(), node.inputs.end());
  bool any = false;
  for (ValueId& input : inputs)
    if (const Node* inner = e.made_by(input, "broadcast")) input = inner->inputs[0], any = true;
  if (!any) return {};
  const Shape shape = e.result_shape(node);
  const Shape bare = e.result_shape({node.op, inputs, node.attrs});
  if (bare == shape) return {e.emit(*node.op, inputs, node.attrs)};
  return {e.fit(e.emit(*node.op, inputs, node.attrs), shape)};
}

// The result's type if it has no elements, whatever the values of named dims.
std::optional<Type> empty_result(Emitter& e, const NodeView& node) {
  if (node.op->name == "broadcast" || has_effect(*node.op)) return std::nullopt;
  std::vector<Type> types = e.infer(node);
  if (types.size() != 1) return std::nullopt;
  const Shape& shape = types[0].shape;
  const bool empty = std::any_of(shape.begin(), shape.end(), [](const Dim& d) { return d.is_constant(0); });
  return empty ? std::optional(std::move(types[0])) : std::nullopt;
}

Values simplify_node(Emitter& e, const NodeView& node) {
  const std::string_view op = node.op->name;
  if (const auto empty = empty_result(e, node)) return {e.fit(e.to().literal(empty->dtype, 0), empty->shape)};
  if (node.op->scalar != ScalarOp::kNone) return elementwise(e, node);
  if (chooses(op) && node.inputs.size() == 1)
    if (const ValueId scalar = spread_scalar(e, node.inputs[0]); scalar != kNoId)
      return {e.fit(scalar, e.result_shape(node))};
  if (op == "reshape") return reshape(e, node);
  if (op == "transpose") return transpose(e, node);
  if (op == "broadcast") return broadcast(e, node);
  if (op == "concat") return concat(e, node);
  if (does_nothing(e, node)) return {node.inputs[0]};
  return {};
}

}  // namespace

Function simplify_shapes(ModuleBuilder& module, const Function& function, const PassOptions&) {
  return Emitter(module, function, simplify_node).run();
}

}  // namespace cohort::passes
