// simplify_matmul: transposes go into the product's flags; a product over an axis of extent 1 is elementwise;
// of a product no rows and columns are computed that nothing reads.
//
//   matmul(transpose(a), b)         =>  matmul(a, b) {transpose_a}, for the last two axes
//   transpose(matmul(a, b))         =>  matmul(b, a) with both flags turned
//   slice(matmul(a, b))             =>  matmul(slice(a), slice(b))
//   matmul(a[m, 1], b[1, n])        =>  fma(a, b, 0), of integers mul(a, b)
//
// The second and third if nothing else reads the product.
// The order of each sum over k stays: factors commute bit for bit, and a sum starts from 0 and rounds once:
// -0.0 becomes 0, but what underflows to -0.0 keeps its sign.
#include <algorithm>

#include "compiler/emitter.h"
#include "compiler/pass.h"
#include "compiler/region.h"
#include "ir/op_def.h"
#include "ir/uses.h"

namespace cohort::passes {

namespace {

using Values = std::vector<ValueId>;

// Whether a transpose swaps the last two axes and nothing else.
bool swaps_last_two(const Attrs& attrs, std::int64_t rank) {
  if (rank < 2) return false;
  const Attr* axes = find_attr(attrs, "axes");
  if (!axes) return rank == 2;
  const IntList& list = std::get<IntList>(*axes);
  for (std::int64_t i = 0; i < rank; ++i) {
    const std::int64_t wanted = i == rank - 1 ? rank - 2 : i == rank - 2 ? rank - 1 : i;
    if ((*list[static_cast<std::size_t>(i)] + rank) % rank != wanted) return false;
  }
  return true;
}

Attrs flags(bool transpose_a, bool transpose_b) {
  Attrs attrs;
  if (transpose_a) attrs.push_back({"transpose_a", true});
  if (transpose_b) attrs.push_back({"transpose_b", true});
  return attrs;
}

Shape swapped(Shape shape) {
  std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
  return shape;
}

// `x` with its last two axes swapped, where one of them has extent 1.
ValueId swap_by_reshape(Emitter& e, ValueId x) { return e.reshape(x, swapped(e.shape(x))); }

Values outer_product(Emitter& e, const NodeView& node, bool transpose_a, bool transpose_b) {
  ValueId a = node.inputs[0], b = node.inputs[1];
  const Type result = e.infer(node).front();
  // [.., m, 1] times [.., 1, n]; a vector of one element is both.
  if (transpose_a) a = swap_by_reshape(e, a);
  if (transpose_b) b = swap_by_reshape(e, b);
  if (e.type(a).rank() == 1 && e.type(b).rank() > 1)
    b = e.reshape(b, result.shape);
  else if (e.type(b).rank() == 1 && e.type(a).rank() > 1)
    a = e.reshape(a, result.shape);
  else if (e.type(a).rank() == 1)
    a = e.reshape(a, {}), b = e.reshape(b, {});
  const ValueId value =
      is_float(result.dtype) ? e.emit("fma", {a, b, e.to().literal(result.dtype, 0)}) : e.emit("mul", {a, b});
  return {e.reshape(value, result.shape)};
}

Values matmul(Emitter& e, const NodeView& node) {
  Values inputs(node.inputs.begin(), node.inputs.end());
  bool transposed[2] = {attr_or(node.attrs, "transpose_a", false), attr_or(node.attrs, "transpose_b", false)};
  const Shape& a = e.shape(inputs[0]);
  if (a[a.size() - (transposed[0] ? 2 : 1)].is_constant(1))
    return outer_product(e, node, transposed[0], transposed[1]);
  bool changed = false;
  for (std::size_t i = 0; i < 2; ++i) {
    const Node* inner = e.made_by(inputs[i], "transpose");
    if (!inner || !swaps_last_two(inner->attrs, e.type(inputs[i]).rank())) continue;
    inputs[i] = inner->inputs[0];
    transposed[i] = !transposed[i];
    changed = true;
  }
  if (!changed) return {};
  return {e.emit("matmul", inputs, flags(transposed[0], transposed[1]))};
}

// Whether the node that is rewritten is wanted on the device on which the product is.
bool have_one_mark(Emitter& e, const Node& product) {
  const std::vector<SourceLoc>& locations = e.to().module().module().locations;
  return locations[e.source()->loc].device == locations[product.loc].device;
}

// A transpose of a product that nothing else reads.
Values transpose(Emitter& e, const NodeView& node, const Uses& uses) {
  if (!e.source() || uses.count[e.source()->inputs[0]] != 1) return {};
  const Node* product = e.made_by(node.inputs[0], "matmul");
  if (!product || !have_one_mark(e, *product) || !swaps_last_two(node.attrs, e.type(node.inputs[0]).rank()))
    return {};
  const Values inputs = product->inputs;
  if (e.type(inputs[0]).rank() < 2 || e.type(inputs[1]).rank() < 2) return {};
  const bool transpose_a = attr_or(product->attrs, "transpose_a", false);
  const bool transpose_b = attr_or(product->attrs, "transpose_b", false);
  return {e.emit("matmul", {inputs[1], inputs[0]}, flags(!transpose_b, !transpose_a))};
}

// Of a slice: what part of a product's rows or columns it has.
double part_of(const Progression& range, const Dim& extent) {
  return range.whole ? 1 : static_cast<double>(range.count) / static_cast<double>(extent.offset);
}
// x of which only some elements of one axis are wanted.
ValueId only(Emitter& e, ValueId x, std::size_t axis, const Progression& range) {
  const Shape shape = e.shape(x);
  Region region = whole_region(shape);
  region[axis] = range;
  return is_identity(region, shape) ? x : e.emit("slice", {x}, slice_attrs(region, shape));
}

// A slice of rows and columns of a product that nothing else reads. Copies of parts of the operands must be
// worth it.
Values slice(Emitter& e, const NodeView& node, const Uses& uses) {
  constexpr double kMostOfAll = 0.75;
  if (!e.source() || node.inputs.size() != 1 || uses.count[e.source()->inputs[0]] != 1) return {};
  const Node* product = e.made_by(node.inputs[0], "matmul");
  if (!product || !have_one_mark(e, *product)) return {};
  const Values inputs = product->inputs;
  const Attrs attrs = product->attrs;
  const Shape shape = e.shape(node.inputs[0]);
  const std::optional<Region> region = region_of(node.attrs, shape, 1, 1);
  const std::size_t rank_a = e.shape(inputs[0]).size(), rank_b = e.shape(inputs[1]).size();
  if (rank_a < 2 || rank_b < 2 || !region || is_empty(*region)) return {};
  Region others = *region;
  const Progression rows = others[shape.size() - 2], columns = others[shape.size() - 1];
  for (const std::size_t axis : {shape.size() - 2, shape.size() - 1})
    others[axis] = whole_region(shape)[axis];
  const double part = part_of(rows, shape[shape.size() - 2]) * part_of(columns, shape[shape.size() - 1]);
  if (!is_identity(others, shape) || part > kMostOfAll) return {};
  const ValueId a = only(e, inputs[0], rank_a - (attr_or(attrs, "transpose_a", false) ? 1 : 2), rows);
  const ValueId b = only(e, inputs[1], rank_b - (attr_or(attrs, "transpose_b", false) ? 2 : 1), columns);
  return {e.emit("matmul", {a, b}, attrs)};
}

}  // namespace

Function simplify_matmul(ModuleBuilder& module, const Function& function, const PassOptions&) {
  const Uses uses = count_uses(function);
  const RewriteNode apply = [&](Emitter& e, const NodeView& node) -> Values {
    if (node.op->name == "matmul") return matmul(e, node);
    if (node.op->name == "slice") return slice(e, node, uses);
    return node.op->name == "transpose" ? transpose(e, node, uses) : Values{};
  };
  return Emitter(module, function, apply).run();
}

}  // namespace cohort::passes
