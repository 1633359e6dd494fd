// simplify_slices: slices, writes of slices, and gathers by constant indices, read from the elements they
// touch.
//
//   slice(slice(x))                          =>  slice(x); x itself where the slice is all of it
//   slice(set_slice(x, y, R), S)             =>  slice(y)          if S lies within R
//                                            =>  slice(x, S)       if S and R share no element
//   slice(inc_slice(x, y, R), S)             =>  add(slice(x, S), slice(y)), or slice(x, S), likewise
//   slice(concat(x, y), S)                   =>  slice(x) or slice(y) if S lies within one
//   slice(broadcast(x))                      =>  broadcast(slice(x))
//   set_slice(set_slice(x, y, R), z, S)      =>  set_slice(x, z, S) if R lies within S
//   set_slice(x, y, R), R being all of x     =>  y;   set_slice(x, slice(x, R), R)  =>  x;   R empty  =>  x
//   concat(slice(x, 0..2), slice(x, 2..5))   =>  slice(x, 0..5)
//   take(x, [3, 5, 7]), gather likewise      =>  slice(x);  scatter_set, scatter_add  =>  set_slice,
//   inc_slice
//
// A slice is followed through as many writes in a row as the emitter allows, so n slices of n writes stay
// linear.
#include <algorithm>

#include "compiler/emitter.h"
#include "compiler/pass.h"
#include "compiler/region.h"
#include "ir/op_def.h"

namespace cohort::passes {

namespace {

using Values = std::vector<ValueId>;

ValueId slice_of(Emitter& e, ValueId x, const Region& region) {
  if (is_identity(region, e.shape(x))) return x;
  return e.emit("slice", {x}, slice_attrs(region, e.shape(x)));
}

std::optional<Region> written_region(Emitter& e, std::span<const ValueId> inputs, const Attrs& attrs) {
  return region_of(attrs, e.shape(inputs[0]), inputs.size(), 2);
}

// The extents of a slice of an array of `shape`.
Shape region_shape(const Region& region, const Shape& shape) {
  Shape result = shape;
  for (std::size_t i = 0; i < region.size(); ++i)
    if (!region[i].whole) result[i] = region[i].count;
  return result;
}

// The elements of `region` after the write `node`, from what was there before or what was written; kNoId if
// from both.
ValueId read_through(Emitter& e, const Node& node, const Region& region) {
  const Values inputs = node.inputs;
  const bool adds = node.op->name == "inc_slice";
  const auto written = written_region(e, inputs, node.attrs);
  if (!written) return kNoId;
  if (is_disjoint(region, *written)) return slice_of(e, inputs[0], region);
  if (!is_subset(region, *written)) return kNoId;
  const ValueId spread = e.fit(inputs[1], region_shape(*written, e.shape(inputs[0])));
  const ValueId y = slice_of(e, spread, relative_to(region, *written));
  return adds ? e.emit("add", {slice_of(e, inputs[0], region), y}) : y;
}

ValueId read_concat(Emitter& e, const Node& node, const Region& region) {
  const auto rank = static_cast<std::int64_t>(region.size());
  const std::int64_t given = attr_or<std::int64_t>(node.attrs, "axis", 0);
  const auto axis = static_cast<std::size_t>(given < 0 ? given + rank : given);
  Region moved = region;
  Progression& p = moved[axis];
  if (p.whole || p.count == 0) return kNoId;
  for (const ValueId part : Values(node.inputs)) {
    const Dim& extent = e.shape(part)[axis];
    if (!extent.is_constant()) return kNoId;
    if (p.least() >= 0 && p.greatest() < extent.offset) return slice_of(e, part, moved);
    if (p.least() < extent.offset) return kNoId;
    p.start -= extent.offset;
  }
  return kNoId;
}

ValueId read_broadcast(Emitter& e, const Node& node, const Region& region, const Shape& result) {
  const ValueId x = node.inputs[0];
  const Shape& shape = e.shape(x);
  const std::size_t added = region.size() - shape.size();
  Region kept = whole_region(shape);
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (!shape[i].is_constant(1)) kept[i] = region[i + added];
  return e.fit(slice_of(e, x, kept), result);
}

Values slice(Emitter& e, const NodeView& node) {
  ValueId x = node.inputs[0];
  const auto region = region_of(node.attrs, e.shape(x), node.inputs.size(), 1);
  if (!region) return {};
  if (is_identity(*region, e.shape(x))) return {x};
  if (is_empty(*region)) return {};  // simplify_shapes takes it
  if (const Node* inner = e.made_by(x, "slice")) {
    const ValueId base = inner->inputs[0];
    const auto first = region_of(inner->attrs, e.shape(base), inner->inputs.size(), 1);
    return first ? Values{slice_of(e, base, compose(*first, *region))} : Values{};
  }
  if (const Node* inner = e.made_by(x, "broadcast"))
    return {read_broadcast(e, *inner, *region, e.result_shape(node))};
  ValueId found = kNoId;
  if (const Node* inner = e.made_by(x, "concat")) found = read_concat(e, *inner, *region);
  const Node* write = e.made_by(x, "set_slice");
  if (!write) write = e.made_by(x, "inc_slice");
  if (write) found = read_through(e, *write, *region);
  return found == kNoId ? Values{} : Values{found};
}

// Operands of a write need not be spread out by hand.
ValueId without_broadcast(Emitter& e, ValueId y) {
  const Node* node = e.made_by(y, "broadcast");
  return node ? node->inputs[0] : y;
}

Values write(Emitter& e, const NodeView& node) {
  const ValueId x = node.inputs[0], y = node.inputs[1];
  const bool adds = node.op->name == "inc_slice";
  const auto region = written_region(e, node.inputs, node.attrs);
  if (!region) return {};
  if (is_empty(*region)) return {x};
  if (covers(*region, e.shape(x))) {
    // A reversed region is its own inverse, so slicing by it puts the elements where they belong.
    const ValueId placed = slice_of(e, e.fit(y, e.shape(x)), *region);
    return {adds ? e.emit("add", {x, placed}) : placed};
  }
  const Node* source = e.made_by(y, "slice");
  if (!adds && source && source->inputs[0] == x &&
      region_of(source->attrs, e.shape(x), source->inputs.size(), 1) == region)
    return {x};
  const Node* inner = e.made_by(x, "set_slice");
  if (!adds && inner) {
    const auto overwritten = written_region(e, inner->inputs, inner->attrs);
    if (overwritten && is_subset(*overwritten, *region))
      return {e.emit(*node.op, {{inner->inputs[0], y}}, node.attrs)};
  }
  if (const ValueId bare = without_broadcast(e, y); bare != y)
    return {e.emit(*node.op, {{x, bare}}, node.attrs)};
  return {};
}

// Neighbouring slices of one array that continue each other along the axis become one.
Values join_slices(Emitter& e, const NodeView& node) {
  const auto rank = static_cast<std::int64_t>(e.shape(node.inputs[0]).size());
  const std::int64_t given = attr_or<std::int64_t>(node.attrs, "axis", 0);
  const auto axis = static_cast<std::size_t>(given < 0 ? given + rank : given);
  struct Part {
    ValueId value, base;
    std::optional<Region> region;
  };
  std::vector<Part> parts;
  for (const ValueId input : node.inputs) {
    Part part{input, kNoId, std::nullopt};
    if (const Node* slice = e.made_by(input, "slice")) {
      part.base = slice->inputs[0];
      part.region = region_of(slice->attrs, e.shape(part.base), slice->inputs.size(), 1);
    }
    if (!parts.empty() && part.region && parts.back().region && parts.back().base == part.base) {
      Region joined = *parts.back().region;
      Progression& p = joined[axis];
      const Progression& q = (*part.region)[axis];
      if (!p.whole && p.count > 0 && q.count > 0 && q.start == p.start + p.step * p.count &&
          (q.count == 1 || q.step == p.step)) {
        p.count += q.count;
        Region expected = joined;
        expected[axis] = q;
        if (expected == *part.region) {
          parts.back() = {kNoId, part.base, joined};
          continue;
        }
      }
    }
    parts.push_back(std::move(part));
  }
  if (parts.size() == node.inputs.size()) return {};
  Values inputs;
  for (const Part& part : parts)
    inputs.push_back(part.value != kNoId ? part.value : slice_of(e, part.base, *part.region));
  if (inputs.size() == 1) return inputs;
  return {e.emit("concat", inputs, {{"axis", static_cast<std::int64_t>(axis)}})};
}

// The progression that constant indices of rank 0 or 1 make on an axis of constant extent.
std::optional<Progression> constant_indices(Emitter& e, ValueId indices, const Dim& extent) {
  const Tensor* tensor = e.constant(indices);
  if (!tensor || tensor->rank() > 1 || !extent.is_constant()) return std::nullopt;
  return as_progression(*tensor, extent.offset);
}

Values gather(Emitter& e, const NodeView& node) {
  if (node.inputs.size() != 2) return {};
  const ValueId x = node.inputs[0];
  const Shape shape = e.result_shape(node);
  const auto rank = static_cast<std::int64_t>(e.shape(x).size());
  const std::int64_t given =
      attr_or<std::int64_t>(node.attrs, "axis", 0);  // `gather` has none: it starts at 0
  const auto axis = static_cast<std::size_t>(given < 0 ? given + rank : given);
  const auto positions = constant_indices(e, node.inputs[1], e.shape(x)[axis]);
  if (!positions) return {};
  Region region = whole_region(e.shape(x));
  region[axis] = *positions;
  return {e.reshape(slice_of(e, x, region), shape)};
}

Values scatter(Emitter& e, const NodeView& node) {
  if (node.inputs.size() != 3 || e.type(node.inputs[2]).rank() != 1) return {};
  const ValueId x = node.inputs[0];
  const auto positions = constant_indices(e, node.inputs[2], e.shape(x)[0]);
  if (!positions) return {};
  Region region = whole_region(e.shape(x));
  region[0] = *positions;
  const std::string_view op = node.op->name == "scatter_add" ? "inc_slice" : "set_slice";
  return {e.emit(op, {x, node.inputs[1]}, slice_attrs(region, e.shape(x)))};
}

struct Simplification {
  std::string_view op;
  Values (*simplify)(Emitter&, const NodeView&);
};
constexpr Simplification kSimplifications[] = {
    {"slice", slice}, {"set_slice", write}, {"inc_slice", write},     {"concat", join_slices},
    {"take", gather}, {"gather", gather},   {"scatter_set", scatter}, {"scatter_add", scatter}};

}  // namespace

Function simplify_slices(ModuleBuilder& module, const Function& function, const PassOptions&) {
  const RewriteNode apply = [](Emitter& e, const NodeView& node) -> Values {
    for (const Simplification& s : kSimplifications)
      if (s.op == node.op->name) return s.simplify(e, node);
    return {};
  };
  return Emitter(module, function, apply).run();
}

}  // namespace cohort::passes
