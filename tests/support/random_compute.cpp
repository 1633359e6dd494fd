// Recipes for operators that compute over axes: reductions, scans, sorting, products.
#include "tests/support/random_recipes.h"

namespace cohort::test {

namespace {

using Results = std::vector<ValueId>;

Results one(ValueId value) { return {value}; }

// Some axes of `x`, none of which may be empty if `filled`. Nothing if there are none.
std::optional<IntList> some_axes(RandomContext& c, ValueId x, bool filled) {
  IntList axes;
  for (int i = 0; i < c.rank(x); ++i) {
    if (c.random.chance(40)) continue;
    if (filled && c.least(x, i) == 0) return std::nullopt;
    axes.push_back(c.written_axis(x, i));
  }
  if (axes.empty()) return std::nullopt;
  return axes;
}

template <int kind>
Results reduce_node(RandomContext& c) {
  constexpr std::string_view kOps[] = {"reduce_sum", "reduce_prod", "reduce_mean", "reduce_max",
                                       "reduce_min", "reduce_all",  "reduce_any",  "logsumexp"};
  constexpr std::string_view op = kOps[kind];
  const ValueId x = c.pick_rank(1);
  if (x == kNoId || (op == "logsumexp" && !c.options.transcendental)) return {};
  const auto axes = some_axes(c, x, op == "reduce_max" || op == "reduce_min");
  if (!axes) return {};
  return one(c.builder.make(op, {x}, {{"axes", *axes}, {"keepdims", c.random.chance(50)}}));
}

template <bool maximum>
Results arg_node(RandomContext& c) {
  const ValueId x = c.pick_rank(1);
  if (x == kNoId) return {};
  const int axis = c.axis_of(x);
  if (c.least(x, axis) == 0) return {};
  return one(c.builder.make(maximum ? "argmax" : "argmin", {x},
                            {{"axis", c.written_axis(x, axis)}, {"keepdims", c.random.chance(30)}}));
}

template <bool product>
Results scan_node(RandomContext& c) {
  const ValueId x = c.pick_rank(1);
  if (x == kNoId) return {};
  return one(
      c.builder.make(product ? "cumprod" : "cumsum", {x}, {{"axis", c.written_axis(x, c.axis_of(x))}}));
}

template <bool indices>
Results sort_node(RandomContext& c) {
  const ValueId x = c.pick_rank(1);
  if (x == kNoId) return {};
  return one(c.builder.make(indices ? "argsort" : "sort", {x}, {{"axis", c.written_axis(x, c.axis_of(x))}}));
}

Results topk_node(RandomContext& c) {
  const ValueId x = c.pick_rank(1);
  if (x == kNoId) return {};
  const int axis = c.axis_of(x);
  if (c.least(x, axis) == 0) return {};
  const ValueId values = c.builder.make(
      "topk", {x}, {{"axis", std::int64_t{axis}}, {"k", c.random.between(1, c.least(x, axis))}});
  return {values, values + 1};
}

Results searchsorted_node(RandomContext& c) {
  const ValueId x = c.pick_rank(1);
  if (x == kNoId || c.rank(x) != 1) return {};
  const ValueId sorted = c.builder.make("sort", {x});
  const std::string side = c.random.chance(50) ? "left" : "right";
  return one(
      c.builder.make("searchsorted", {sorted, c.builder.cast(c.pick(), c.type(x).dtype)}, {{"side", side}}));
}

// A partner for `x` in a product over its last axis: a constant of fitting shape.
Results matmul_node(RandomContext& c) {
  const ValueId x = c.pick_rank(1);
  if (x == kNoId) return {};
  const bool flip_x = c.rank(x) >= 2 && c.random.chance(30), flip_y = c.random.chance(30);
  const Dim& inner = c.type(x).shape[c.type(x).shape.size() - (flip_x ? 2 : 1)];
  if (!inner.is_constant()) return {};
  Extents extents{inner.offset};
  if (c.random.chance(80)) extents.insert(flip_y ? extents.begin() : extents.end(), c.choose(c.extents));
  const ValueId y = c.constant(c.random_tensor(c.type(x).dtype, extents));
  return one(c.builder.make("matmul", {x, y},
                            {{"transpose_a", flip_x}, {"transpose_b", flip_y && extents.size() == 2}}));
}

Results self_matmul_node(RandomContext& c) {
  const ValueId x = c.pick_rank(2);
  if (x == kNoId) return {};
  const bool flip = c.random.chance(50);
  return one(c.builder.make("matmul", {x, x}, {{"transpose_a", flip}, {"transpose_b", !flip}}));
}

Results dot_node(RandomContext& c) { return one(c.builder.make("dot", {c.pick(), c.pick()})); }
Results outer_node(RandomContext& c) {
  const ValueId x = c.pick(), y = c.pick();
  if (c.rank(x) > 1 || c.rank(y) > 1) return {};
  return one(c.builder.make("outer", {x, y}));
}

template <bool logarithm>
Results softmax_node(RandomContext& c) {
  const ValueId x = c.pick_rank(1);
  if (x == kNoId || !c.options.transcendental) return {};
  return one(c.builder.make(logarithm ? "log_softmax" : "softmax", {x},
                            {{"axis", c.written_axis(x, c.axis_of(x))}}));
}

// x x', or x itself if it is square.
ValueId square_matrix(RandomContext& c) {
  const ValueId x = c.pick_rank(2);
  if (x == kNoId) return kNoId;
  const Shape& shape = c.type(x).shape;
  if (shape[shape.size() - 1] == shape[shape.size() - 2] && c.random.chance(50)) return x;
  return c.builder.make("matmul", {x, x}, {{"transpose_b", true}});
}

constexpr std::string_view kMatrixOps[] = {"cholesky", "inv", "det", "slogdet", "lu", "qr", "eigh", "svd"};
template <int kind>
Results matrix_node(RandomContext& c) {
  constexpr std::string_view op = kMatrixOps[kind];
  if (op == "slogdet" && !c.options.transcendental) return {};
  const bool any = op == "lu" || op == "qr" || op == "svd";
  const ValueId x = any ? c.pick_rank(2) : square_matrix(c);
  if (x == kNoId) return {};
  Attrs attrs;
  if (op == "cholesky") attrs = {{"lower", c.random.chance(50)}};
  const ValueId first = c.builder.make(op, {x}, attrs);
  Results results;
  for (std::uint32_t r = 0; r < c.builder.function().nodes.back().result_count; ++r)
    results.push_back(first + r);
  return results;
}

template <bool triangular>
Results system_node(RandomContext& c) {
  const ValueId a = square_matrix(c);
  if (a == kNoId) return {};
  const ValueId b = c.random.chance(50) ? a : c.pick_rank(1);
  if (b == kNoId) return {};
  const Attrs attrs = triangular
                          ? Attrs{{"lower", c.random.chance(50)},
                                  {"transpose", c.random.chance(50)},
                                  {"unit_diagonal", c.random.chance(30)}}
                          : Attrs{{"assume", std::string(c.random.chance(50) ? "general" : "positive")}};
  return one(c.builder.make(triangular ? "solve_triangular" : "solve", {a, b}, attrs));
}

constexpr Recipe kRecipes[] = {{"reduce_sum", reduce_node<0>},
                               {"reduce_prod", reduce_node<1>},
                               {"reduce_mean", reduce_node<2>},
                               {"reduce_max", reduce_node<3>},
                               {"reduce_min", reduce_node<4>},
                               {"reduce_all", reduce_node<5>},
                               {"reduce_any", reduce_node<6>},
                               {"logsumexp", reduce_node<7>},
                               {"argmax", arg_node<true>},
                               {"argmin", arg_node<false>},
                               {"cumsum", scan_node<false>},
                               {"cumprod", scan_node<true>},
                               {"sort", sort_node<false>},
                               {"argsort", sort_node<true>},
                               {"topk", topk_node},
                               {"searchsorted", searchsorted_node},
                               {"matmul", matmul_node},
                               {"matmul", self_matmul_node},
                               {"dot", dot_node},
                               {"outer", outer_node},
                               {"softmax", softmax_node<false>},
                               {"log_softmax", softmax_node<true>},
                               {"cholesky", matrix_node<0>},
                               {"inv", matrix_node<1>},
                               {"det", matrix_node<2>},
                               {"slogdet", matrix_node<3>},
                               {"lu", matrix_node<4>},
                               {"qr", matrix_node<5>},
                               {"eigh", matrix_node<6>},
                               {"svd", matrix_node<7>},
                               {"solve_triangular", system_node<true>},
                               {"solve", system_node<false>}};

}  // namespace

std::span<const Recipe> compute_recipes() { return kRecipes; }

}  // namespace cohort::test
