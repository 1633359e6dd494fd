// expand: writes operators that are special cases of others as those, so that later passes and the lowering
// meet fewer.
//
//   squeeze, expand                 =>  reshape
//   full(v) {shape}                 =>  broadcast(v) {shape}
//   flip(x) {axes}                  =>  slice(x) {axes, steps = -1}
//   split(x) {sizes}                =>  one slice for each size
//   stack(x, ...)                   =>  concat of reshapes
//   outer(a, b)                     =>  mul of reshapes
//   dot(a, b), ranks up to 2        =>  matmul, or mul if one is a scalar
//   reduce_*(x) over extents of 1   =>  reshape (with the identity where that shows: 0 + -0.0 is 0)
#include "compiler/emitter.h"
#include "compiler/pass.h"
#include "ir/diagnostics.h"
#include "ir/op_def.h"

namespace cohort::passes {

namespace {

using Values = std::vector<ValueId>;

// An attribute `axis` counted from 0.
std::size_t axis_of(const Attrs& attrs, std::int64_t fallback, std::size_t rank) {
  const std::int64_t axis = attr_or(attrs, "axis", fallback);
  return static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis);
}

Values to_reshape(Emitter& e, const NodeView& node) {
  return {e.reshape(node.inputs[0], e.result_shape(node))};
}

Values full(Emitter& e, const NodeView& node) {
  return {e.emit("broadcast", {node.inputs[0]}, {{"shape", e.result_shape(node)}})};
}

Values flip(Emitter& e, const NodeView& node) {
  const ValueId x = node.inputs[0];
  IntList axes;
  for (const int axis : normalized_axes(node.attrs, "axes", e.type(x).rank())) axes.push_back(axis);
  const IntList steps(axes.size(), -1);
  return {e.emit("slice", {x}, {{"axes", axes}, {"steps", steps}})};
}

Values split(Emitter& e, const NodeView& node) {
  const ValueId x = node.inputs[0];
  const std::size_t axis = axis_of(node.attrs, 0, e.shape(x).size());
  const std::vector<Type> types = e.infer(node);
  std::int64_t start = 0;
  for (const Type& type : types)
    if (!type.shape[axis].is_constant()) return {};  // a slice's ends are numbers
  Values parts;
  for (const Type& type : types) {
    const std::int64_t stop = start + type.shape[axis].offset;
    parts.push_back(e.emit("slice", {x},
                           {{"axes", IntList{static_cast<std::int64_t>(axis)}},
                            {"starts", IntList{start}},
                            {"stops", IntList{stop}}}));
    start = stop;
  }
  return parts;
}

Values stack(Emitter& e, const NodeView& node) {
  const std::size_t axis = axis_of(node.attrs, 0, e.shape(node.inputs[0]).size() + 1);
  Values parts;
  for (const ValueId input : Values(node.inputs.begin(), node.inputs.end())) {
    Shape shape = e.shape(input);
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), Dim(1));
    parts.push_back(e.reshape(input, shape));
  }
  return {e.emit("concat", parts, {{"axis", static_cast<std::int64_t>(axis)}})};
}

Values outer(Emitter& e, const NodeView& node) {
  const Shape shape = e.result_shape(node);
  const ValueId a = e.reshape(node.inputs[0], {shape[0], Dim(1)});
  const ValueId b = e.reshape(node.inputs[1], {shape[1]});
  return {e.emit("mul", {a, b})};
}

Values dot(Emitter& e, const NodeView& node) {
  const int a = e.type(node.inputs[0]).rank(), b = e.type(node.inputs[1]).rank();
  if (a == 0 || b == 0) return {e.emit("mul", node.inputs)};
  if (a > 2 || b > 2) return {};
  return {e.emit("matmul", node.inputs)};
}

// Whether all reduced axes have extent 1.
bool reduces_nothing(Emitter& e, const NodeView& node) {
  const Shape& shape = e.shape(node.inputs[0]);
  for (const int axis : normalized_axes(node.attrs, "axes", static_cast<int>(shape.size())))
    if (!shape[static_cast<std::size_t>(axis)].is_constant(1)) return false;
  return true;
}

Values reduce(Emitter& e, const NodeView& node) {
  if (!reduces_nothing(e, node)) return {};
  const Type result = e.infer(node).front();
  ValueId value = e.reshape(node.inputs[0], result.shape);
  if (e.type(value).dtype != result.dtype) value = e.emit("cast", {value}, {{"dtype", result.dtype}});
  const bool adds = node.op->name == "reduce_sum" || node.op->name == "reduce_mean";
  if (adds && is_float(result.dtype)) value = e.emit("add", {value, e.to().literal(result.dtype, 0)});
  return {value};
}

struct Expansion {
  std::string_view op;
  Values (*expand)(Emitter&, const NodeView&);
};
constexpr Expansion kExpansions[] = {
    {"squeeze", to_reshape}, {"expand", to_reshape},  {"full", full},          {"flip", flip},
    {"split", split},        {"stack", stack},        {"outer", outer},        {"dot", dot},
    {"reduce_sum", reduce},  {"reduce_prod", reduce}, {"reduce_mean", reduce}, {"reduce_max", reduce},
    {"reduce_min", reduce},  {"reduce_all", reduce},  {"reduce_any", reduce}};

}  // namespace

Function expand(ModuleBuilder& module, const Function& function, const PassOptions&) {
  const RewriteNode apply = [](Emitter& e, const NodeView& node) -> Values {
    for (const Expansion& expansion : kExpansions)
      if (expansion.op == node.op->name) return expansion.expand(e, node);
    return {};
  };
  return Emitter(module, function, apply).run();
}

}  // namespace cohort::passes
