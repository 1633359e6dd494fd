// Recipes for operators that move elements: index maps, slices, gathers and scatters.
#include <algorithm>

#include "tests/support/random_recipes.h"

namespace cohort::test {

namespace {

using Results = std::vector<ValueId>;

Shape to_shape(const Extents& extents) { return {extents.begin(), extents.end()}; }
Extents constant_extents(const Type& type) { return evaluate(type.shape, {}); }

Results one(ValueId value) { return {value}; }

Results broadcast_node(RandomContext& c) {
  const ValueId x = c.pick();
  if (c.rank(x) >= 3) return {};
  Shape shape = c.type(x).shape;
  for (Dim& d : shape)
    if (d.is_constant(1)) d = c.choose(c.extents);
  if (c.random.chance(60)) shape.insert(shape.begin(), Dim(c.choose(c.extents)));
  return one(c.builder.make("broadcast", {x}, {{"shape", shape}}));
}

Results reshape_node(RandomContext& c) {
  const ValueId x = c.pick();
  Shape shape = c.type(x).shape;
  for (std::size_t i = shape.size(); i > 1; --i)
    std::swap(shape[i - 1], shape[static_cast<std::size_t>(c.random.below(static_cast<std::int64_t>(i)))]);
  if (c.random.chance(30)) shape.insert(shape.begin(), Dim(1));
  if (shape.size() > 1 && c.random.chance(50))
    if (const auto merged = multiply(shape[0], shape[1])) {
      shape.erase(shape.begin());
      shape[0] = *merged;
    }
  return one(c.builder.make("reshape", {x}, {{"shape", shape}}));
}

Results transpose_node(RandomContext& c) {
  const ValueId x = c.pick_rank(2);
  if (x == kNoId) return {};
  if (c.random.chance(30)) return one(c.builder.make("transpose", {x}));
  IntList axes;
  for (int i = 0; i < c.rank(x); ++i) axes.push_back(i);
  for (std::size_t i = axes.size(); i > 1; --i)
    std::swap(axes[i - 1], axes[static_cast<std::size_t>(c.random.below(static_cast<std::int64_t>(i)))]);
  return one(c.builder.make("transpose", {x}, {{"axes", axes}}));
}

Results squeeze_node(RandomContext& c) { return one(c.builder.make("squeeze", {c.pick()})); }

Results expand_node(RandomContext& c) {
  const ValueId x = c.pick();
  if (c.rank(x) >= 3) return {};
  return one(c.builder.make("expand", {x}, {{"axes", IntList{c.random.between(-c.rank(x) - 1, c.rank(x))}}}));
}

// Attributes of a slice with constant starts on some axes of constant extent.
Attrs slice_attrs(RandomContext& c, ValueId x) {
  IntList axes, starts, stops, steps;
  for (int i = 0; i < c.rank(x); ++i) {
    const Dim& dim = c.type(x).shape[static_cast<std::size_t>(i)];
    if (!dim.is_constant() || c.random.chance(40)) continue;
    const std::int64_t n = dim.offset;
    const auto bound = [&]() -> std::optional<std::int64_t> {
      if (c.random.chance(25)) return std::nullopt;
      return c.random.between(-n - 1, n + 1);
    };
    axes.push_back(c.written_axis(x, i));
    starts.push_back(bound());
    stops.push_back(bound());
    constexpr std::int64_t kSteps[] = {1, 1, 1, 2, 3, -1, -2};
    steps.push_back(kSteps[c.random.below(7)]);
  }
  return {{"axes", axes}, {"starts", starts}, {"stops", stops}, {"steps", steps}};
}

Results slice_node(RandomContext& c) {
  const ValueId x = c.pick_rank(1);
  if (x == kNoId) return {};
  return one(c.builder.make("slice", {x}, slice_attrs(c, x)));
}

Results dynamic_slice_node(RandomContext& c) {
  const ValueId x = c.pick_rank(1);
  if (x == kNoId) return {};
  const int axis = c.axis_of(x);
  const std::int64_t n = c.least(x, axis);
  if (n == 0) return {};
  const std::int64_t size = c.random.between(1, n);
  const ValueId start = c.builder.make("abs", {c.index(n - size + 1, {})});
  if (n - size + 1 <= 1) return {};
  const ValueId safe =
      c.builder.make("mod", {start, c.builder.literal_int(c.type(start).dtype, n - size + 1)});
  return one(c.builder.make("slice", {x, safe}, {{"axes", IntList{axis}}, {"sizes", Shape{Dim(size)}}}));
}

Results set_slice_like(RandomContext& c, std::string_view op) {
  const ValueId x = c.pick_rank(1);
  if (x == kNoId) return {};
  const Attrs attrs = slice_attrs(c, x);
  if (c.random.chance(40)) return one(c.builder.make(op, {x, c.pick()}, attrs));
  const ValueId region = c.builder.make("slice", {x}, attrs);
  const ValueId y = c.random.chance(50)
                        ? c.builder.make(c.type(x).dtype == DType::kBool ? "not" : "square", {region})
                        : c.constant(c.random_tensor(c.type(x).dtype, {}));
  return one(c.builder.make(op, {x, y}, attrs));
}
Results set_slice_node(RandomContext& c) { return set_slice_like(c, "set_slice"); }
Results inc_slice_node(RandomContext& c) { return set_slice_like(c, "inc_slice"); }

Results take_node(RandomContext& c) {
  const ValueId x = c.pick_rank(1);
  if (x == kNoId) return {};
  const int axis = c.axis_of(x);
  if (c.least(x, axis) == 0) return {};
  const ValueId i = c.index(c.least(x, axis), c.random_extents(static_cast<int>(c.random.below(3))));
  return one(c.builder.make("take", {x, i}, {{"axis", c.written_axis(x, axis)}}));
}

Results take_along_axis_node(RandomContext& c) {
  const ValueId x = c.pick_rank(1, true);
  if (x == kNoId) return {};
  const int axis = c.axis_of(x);
  if (c.least(x, axis) == 0) return {};
  Extents extents = constant_extents(c.type(x));
  extents[static_cast<std::size_t>(axis)] = c.choose(c.extents);
  const ValueId i = c.index(c.least(x, axis), extents);
  return one(c.builder.make("take_along_axis", {x, i}, {{"axis", c.written_axis(x, axis)}}));
}

// Indices into the leading axes of `x`, all of one shape; empty if an axis may be empty.
std::vector<ValueId> indices_into(RandomContext& c, ValueId x, Extents& shape) {
  shape = c.random_extents(static_cast<int>(c.random.below(2)));
  std::vector<ValueId> indices;
  const std::int64_t count = c.random.between(1, c.rank(x));
  for (int axis = 0; axis < count; ++axis) {
    if (c.least(x, axis) == 0) return {};
    indices.push_back(c.index(c.least(x, axis), shape));
  }
  return indices;
}

Results gather_node(RandomContext& c) {
  const ValueId x = c.pick_rank(1);
  if (x == kNoId) return {};
  Extents shape;
  std::vector<ValueId> inputs = indices_into(c, x, shape);
  if (inputs.empty()) return {};
  inputs.insert(inputs.begin(), x);
  return one(c.builder.make("gather", inputs));
}

Results scatter(RandomContext& c, std::string_view op) {
  const ValueId x = c.pick_rank(1, true);
  if (x == kNoId) return {};
  Extents shape;
  std::vector<ValueId> inputs = indices_into(c, x, shape);
  if (inputs.empty()) return {};
  for (int axis = static_cast<int>(inputs.size()); axis < c.rank(x); ++axis)
    shape.push_back(c.type(x).shape[static_cast<std::size_t>(axis)].offset);
  const ValueId y = c.constant(c.random_tensor(c.type(x).dtype, shape));
  inputs.insert(inputs.begin(), {x, c.random.chance(50) ? y : c.builder.make("add", {y, y})});
  return one(c.builder.make(op, inputs));
}
Results scatter_set_node(RandomContext& c) { return scatter(c, "scatter_set"); }
Results scatter_add_node(RandomContext& c) { return scatter(c, "scatter_add"); }

Results concat_node(RandomContext& c) {
  const ValueId x = c.pick_rank(1);
  if (x == kNoId) return {};
  const int axis = c.axis_of(x);
  std::vector<ValueId> inputs{x};
  for (int tries = 0; tries < 10 && inputs.size() < 3; ++tries) {
    const ValueId other = c.pick();
    Shape a = c.type(x).shape, b = c.type(other).shape;
    if (a.size() != b.size()) continue;
    a[static_cast<std::size_t>(axis)] = b[static_cast<std::size_t>(axis)] = Dim(0);
    if (a == b) inputs.push_back(other);
  }
  return one(c.builder.make("concat", inputs, {{"axis", c.written_axis(x, axis)}}));
}

Results add_n_node(RandomContext& c) {
  const ValueId x = c.pick();
  const ValueId y =
      c.type(x).dtype == DType::kBool ? c.builder.make("not", {x}) : c.builder.make("square", {x});
  std::vector<ValueId> terms;
  for (std::int64_t n = c.random.between(1, 9); n > 0; --n) terms.push_back(n % 2 ? x : y);
  return one(c.builder.make("add_n", terms));
}

Results stack_node(RandomContext& c) {
  const ValueId x = c.pick();
  if (c.rank(x) >= 3) return {};
  const ValueId y =
      c.type(x).dtype == DType::kBool ? c.builder.make("not", {x}) : c.builder.make("square", {x});
  return one(c.builder.make("stack", {x, y, x}, {{"axis", c.random.between(-c.rank(x) - 1, c.rank(x))}}));
}

Results split_node(RandomContext& c) {
  const ValueId x = c.pick_rank(1, true);
  if (x == kNoId) return {};
  const int axis = c.axis_of(x);
  const std::int64_t n = c.least(x, axis), first = c.random.between(0, n);
  const ValueId parts = c.builder.make(
      "split", {x}, {{"axis", c.written_axis(x, axis)}, {"sizes", Shape{Dim(first), Dim(n - first)}}});
  return {parts, parts + 1};
}

Results pad_node(RandomContext& c) {
  const ValueId x = c.pick_rank(1, true);
  if (x == kNoId) return {};
  const std::string mode = c.choose(std::vector<std::string>{"constant", "edge", "reflect", "wrap"});
  IntList low, high;
  for (int axis = 0; axis < c.rank(x); ++axis) {
    const std::int64_t n = c.least(x, axis),
                       most = mode == "constant"
                                  ? 3
                                  : std::max<std::int64_t>(0, std::min<std::int64_t>(n - 1, 3));
    low.push_back(c.random.between(0, most));
    high.push_back(c.random.between(0, most));
  }
  return one(c.builder.make("pad", {x}, {{"low", low}, {"high", high}, {"mode", mode}}));
}

Results tile_node(RandomContext& c) {
  const ValueId x = c.pick_rank(1);
  if (x == kNoId) return {};
  IntList reps;
  for (int i = 0; i < c.rank(x); ++i) reps.push_back(c.random.between(1, 2));
  return one(c.builder.make("tile", {x}, {{"reps", reps}}));
}

Results repeat_node(RandomContext& c) {
  const ValueId x = c.pick_rank(1);
  if (x == kNoId) return {};
  return one(c.builder.make("repeat", {x},
                            {{"repeats", c.random.between(1, 3)}, {"axis", std::int64_t{c.axis_of(x)}}}));
}

Results roll_node(RandomContext& c) {
  const ValueId x = c.pick_rank(1);
  if (x == kNoId) return {};
  return one(c.builder.make("roll", {x},
                            {{"shifts", IntList{c.random.between(-4, 4)}}, {"axes", IntList{c.axis_of(x)}}}));
}

Results flip_node(RandomContext& c) {
  const ValueId x = c.pick_rank(1);
  if (x == kNoId) return {};
  if (c.random.chance(40)) return one(c.builder.make("flip", {x}));
  return one(c.builder.make("flip", {x}, {{"axes", IntList{c.axis_of(x)}}}));
}

Results iota_node(RandomContext& c) {
  const Extents extents = c.random_extents(static_cast<int>(c.random.between(1, 2)));
  const auto axis = c.random.below(static_cast<std::int64_t>(extents.size()));
  return one(c.builder.make("iota", {},
                            {{"shape", to_shape(extents)}, {"axis", axis}, {"dtype", c.choose(c.dtypes)}}));
}

Results full_node(RandomContext& c) {
  const ValueId v = c.constant(c.random_tensor(c.choose(c.dtypes), {}));
  return one(c.builder.make("full", {v}, {{"shape", to_shape(c.random_extents(2))}}));
}

Results eye_like(RandomContext& c, std::string_view op) {
  return one(c.builder.make(op, {},
                            {{"n", c.choose(c.extents)},
                             {"m", c.choose(c.extents)},
                             {"k", c.random.between(-1, 1)},
                             {"dtype", c.choose(c.dtypes)}}));
}
Results eye_node(RandomContext& c) { return eye_like(c, "eye"); }
Results tri_node(RandomContext& c) { return eye_like(c, "tri"); }

Results diag_node(RandomContext& c) {
  const ValueId x = c.pick_rank(1, true);
  if (x == kNoId || c.rank(x) > 2) return {};
  return one(c.builder.make("diag", {x}, {{"k", c.random.between(-1, 1)}}));
}

Results one_hot_node(RandomContext& c) {
  const ValueId i = c.index(5, c.random_extents(1));
  return one(
      c.builder.make("one_hot", {i}, {{"depth", c.random.between(3, 5)}, {"dtype", c.choose(c.dtypes)}}));
}

Results copy_node(RandomContext& c) { return one(c.builder.make("copy", {c.pick()})); }
Results stop_gradient_node(RandomContext& c) { return one(c.builder.make("stop_gradient", {c.pick()})); }
Results size_node(RandomContext& c) {
  return one(c.builder.make("size", {}, {{"shape", to_shape(c.random_extents(2))}}));
}

constexpr Recipe kRecipes[] = {{"broadcast", broadcast_node},
                               {"reshape", reshape_node},
                               {"transpose", transpose_node},
                               {"squeeze", squeeze_node},
                               {"expand", expand_node},
                               {"slice", slice_node},
                               {"slice", dynamic_slice_node},
                               {"set_slice", set_slice_node},
                               {"inc_slice", inc_slice_node},
                               {"take", take_node},
                               {"take_along_axis", take_along_axis_node},
                               {"gather", gather_node},
                               {"scatter_set", scatter_set_node},
                               {"scatter_add", scatter_add_node},
                               {"add_n", add_n_node},
                               {"concat", concat_node},
                               {"stack", stack_node},
                               {"split", split_node},
                               {"pad", pad_node},
                               {"tile", tile_node},
                               {"repeat", repeat_node},
                               {"roll", roll_node},
                               {"flip", flip_node},
                               {"iota", iota_node},
                               {"full", full_node},
                               {"eye", eye_node},
                               {"tri", tri_node},
                               {"diag", diag_node},
                               {"one_hot", one_hot_node},
                               {"copy", copy_node},
                               {"stop_gradient", stop_gradient_node},
                               {"size", size_node}};

}  // namespace

std::span<const Recipe> shape_recipes() { return kRecipes; }

}  // namespace cohort::test
