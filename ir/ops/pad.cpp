// pad(x) {low, high, mode?, value?}: x with low[i] elements before and high[i] after it on axis i. Modes:
// `constant` (default; `value`, by default 0), `edge` (the nearest element), `reflect` (mirrored, the edge
// not repeated), `wrap` (x continued periodically). Widths beyond the axis continue the pattern.
#include <algorithm>

#include "ir/ops/axis_parts.h"
#include "ir/ops/gradients.h"
#include "ir/ops/list.h"
#include "ir/scalar_meaning.h"

namespace cohort {

namespace {

enum class Mode { kConstant, kEdge, kReflect, kWrap };

std::optional<Mode> mode_of(const Attrs& attrs) {
  const std::string name = attr_or(attrs, "mode", std::string("constant"));
  if (name == "constant") return Mode::kConstant;
  if (name == "edge") return Mode::kEdge;
  if (name == "reflect") return Mode::kReflect;
  if (name == "wrap") return Mode::kWrap;
  return std::nullopt;
}

// Beyond what memory holds, and small enough to be added.
constexpr std::int64_t kMaxWidth = std::int64_t{1} << 48;

double pad_value(const Attrs& attrs) { return attr_or(attrs, "value", 0.0); }

std::vector<std::int64_t> check_widths(const InferContext& context, std::string_view name) {
  const std::vector<std::int64_t> widths = ops::check_ints(context, name);
  const int rank = context.inputs[0].rank();
  if (static_cast<int>(widths.size()) != rank) {
    ops::wrong_attribute(context, name, fmt::format("has {} entries for rank {}", widths.size(), rank));
  }
  for (std::int64_t width : widths) {
    if (width < 0) ops::wrong_attribute(context, name, fmt::format("has the negative entry {}", width));
    if (width > kMaxWidth) ops::wrong_attribute(context, name, fmt::format("has the entry {}", width));
  }
  return widths;
}

std::vector<Type> infer(const InferContext& context) {
  Type result = context.inputs[0];
  const std::optional<Mode> mode = mode_of(context.attrs);
  if (!mode) ops::wrong_attribute(context, "mode", "is none of constant, edge, reflect, wrap");
  const std::vector<std::int64_t> low = check_widths(context, "low"), high = check_widths(context, "high");
  for (std::size_t axis = 0; axis < result.shape.size(); ++axis) {
    const Dim n = result.shape[axis];
    const bool has_nothing_to_repeat = low[axis] + high[axis] > 0 && min_extent(n, context.dims) == 0;
    if (*mode != Mode::kConstant && has_nothing_to_repeat) {
      ops::wrong_shape(context, 0, fmt::format("has no element to repeat on axis {}", axis));
    }
    result.shape[axis] = ops::sum(n, Dim(low[axis] + high[axis]));
  }
  return {result};
}

// Which index of an axis of n elements stands at `at`, which counts from the first element and may lie
// outside.
std::int64_t source_index(Mode mode, std::int64_t at, std::int64_t n) {
  if (mode == Mode::kEdge) return std::clamp<std::int64_t>(at, 0, n - 1);
  if (mode == Mode::kWrap) return meaning::mod(at, n);
  const std::int64_t period = 2 * (n - 1);
  const std::int64_t phase = meaning::mod(at, period);
  return phase < n ? phase : period - phase;
}

// The same as loop IR. For n = 1 the period is 0, and so is x % 0.
kernel::ExprRef source_index(Mode mode, const kernel::ExprRef& at, const kernel::ExprRef& n) {
  const kernel::ExprRef one = kernel::constant_index(1), two = kernel::constant_index(2);
  const auto index_op = [](ScalarOp op, const kernel::ExprRef& a, const kernel::ExprRef& b) {
    return kernel::op(op, {a, b}, DType::kI64);
  };
  if (mode == Mode::kEdge) {
    return index_op(ScalarOp::k_max, index_op(ScalarOp::k_min, at, n - one), kernel::constant_index(0));
  }
  if (mode == Mode::kWrap) return ops::remainder(at, n);
  const kernel::ExprRef period = two * (n - one);
  const kernel::ExprRef phase = index_op(ScalarOp::k_mod, at, period);
  return ops::select(ops::compare(ScalarOp::k_lt, phase, n), phase, period - phase);
}

void evaluate(EvalContext& context) {
  const Tensor& x = context.inputs[0];
  Tensor& result = context.results[0];
  const Mode mode = *mode_of(context.attrs);
  const std::vector<std::int64_t> low = ops::ints_attr(context.attrs, "low");
  ops::Layout source = ops::layout_of(x.extents()), target = ops::layout_of(result.extents());
  for (std::size_t axis = 0; axis < low.size(); ++axis) {
    std::vector<std::int64_t>&from = source.offsets[axis], &to = target.offsets[axis];
    const std::int64_t n = x.extents()[axis];
    if (mode == Mode::kConstant) {
      to.erase(to.begin(), to.begin() + low[axis]);
      to.resize(static_cast<std::size_t>(n));
    } else if (n > 0) {
      const std::vector<std::int64_t> inside = from;
      from.clear();
      for (std::int64_t i = 0; i < result.extents()[axis]; ++i) {
        from.push_back(inside[static_cast<std::size_t>(source_index(mode, i - low[axis], n))]);
      }
    }
  }
  if (mode == Mode::kConstant) ops::fill(result, make_scalar(x.dtype(), pad_value(context.attrs)));
  ops::copy_elements(x, source, result, target);
}

// Two slabs for each padded axis, inside x on the axes before it and across the whole result on those after
// it; then x.
void store_constant(LoopContext& context, const std::vector<std::int64_t>& low,
                    const std::vector<std::int64_t>& high) {
  const Shape& x = context.input_type(0).shape;
  const kernel::ExprRef value = ops::constant_of(context.result_type().dtype, pad_value(context.attrs()));
  Shape shape = context.result_type().shape, start(shape.size());
  const auto store_at = [&](const ops::Index& index, const kernel::ExprRef& element) {
    ops::Index place;
    for (std::size_t axis = 0; axis < index.size(); ++axis)
      place.push_back(index[axis] + kernel::extent(start[axis]));
    context.store(0, std::move(place), element);
  };
  const auto store_slab = [&](std::size_t axis, const Dim& from, std::int64_t width) {
    if (width == 0) return;
    start[axis] = from;
    shape[axis] = width;
    context.for_each(shape, [&](const ops::Index& index) { store_at(index, value); });
  };
  for (std::size_t axis = 0; axis < x.size(); ++axis) {
    store_slab(axis, 0, low[axis]);
    store_slab(axis, ops::sum(x[axis], Dim(low[axis])), high[axis]);
    start[axis] = low[axis];
    shape[axis] = x[axis];
  }
  context.for_each(shape, [&](const ops::Index& index) { store_at(index, context.load(0, index)); });
}

void loops(LoopContext& context) {
  const Mode mode = *mode_of(context.attrs());
  const std::vector<std::int64_t> low = ops::ints_attr(context.attrs(), "low");
  const std::vector<std::int64_t> high = ops::ints_attr(context.attrs(), "high");
  if (mode == Mode::kConstant) return store_constant(context, low, high);
  std::vector<std::vector<ops::AxisPart>> parts;
  int cuts = 0;
  for (std::size_t axis = 0; axis < low.size(); ++axis) {
    const Dim& n = context.input_type(0).shape[axis];
    const auto range = [&](const Dim& start, const Dim& extent, const Dim& at) -> ops::AxisPart {
      return {start, extent,
              [mode, first = kernel::extent(at), end = kernel::extent(n)](const kernel::ExprRef& i) {
                return source_index(mode, i + first, end);
              }};
    };
    if (low[axis] + high[axis] > 0 && cuts++ >= ops::kMaxCutAxes) {
      parts.push_back({range(0, context.result_type().shape[axis], -low[axis])});
    } else {
      parts.push_back({range(0, low[axis], -low[axis]), ops::shifted_part(low[axis], n, 0),
                       range(ops::sum(n, Dim(low[axis])), high[axis], n)});
    }
  }
  ops::store_parts(context, parts);
}

// Which index of x each index along `axis` of the result shows.
Symbol source_along(GradientContext& context, Mode mode, int axis, std::int64_t low, std::size_t rank) {
  using namespace symbols;
  const auto at = static_cast<std::size_t>(axis);
  Shape shape(rank, Dim(1));
  shape[at] = context.result_type().shape[at];
  const Symbol index = ops::index_along(context, shape, axis);
  const Symbol place = low == 0 ? index : index - ops::literal_int(context, DType::kI64, low);
  const Symbol n = ops::element_count(context, {context.input_type(0).shape[at]}, DType::kI64);
  if (mode == Mode::kEdge) return context.emit("clip", {place, number_like(place, 0), n - 1.0});
  if (mode == Mode::kWrap) return context.emit("mod", {place, n});
  const Symbol period = 2.0 * (n - 1.0), phase = context.emit("mod", {place, period});
  return where(phase < n, phase, period - phase);
}

void gradient(GradientContext& context) {
  const Mode mode = *mode_of(context.attrs());
  const std::vector<std::int64_t> low = ops::ints_attr(context.attrs(), "low"),
                                  high = ops::ints_attr(context.attrs(), "high");
  if (mode == Mode::kConstant) {
    IntList axes, starts, stops;
    for (std::size_t axis = 0; axis < low.size(); ++axis) {
      if (low[axis] + high[axis] == 0) continue;
      axes.push_back(static_cast<std::int64_t>(axis));
      starts.push_back(low[axis]);
      stops.push_back(high[axis] == 0 ? std::nullopt : std::optional(-high[axis]));
    }
    const Attrs inside{{"axes", axes}, {"starts", starts}, {"stops", stops}};
    context.add(0, axes.empty() ? context.cotangent() : context.emit("slice", {context.cotangent()}, inside));
    return;
  }
  std::size_t rank = low.size();  // up to the last padded axis
  while (rank > 0 && low[rank - 1] + high[rank - 1] == 0) --rank;
  if (rank == 0) return ops::pass_cotangent(context);
  std::vector<Symbol> indices;
  for (std::size_t axis = 0; axis < rank; ++axis)
    indices.push_back(source_along(context, mode, static_cast<int>(axis), low[axis], rank));
  context.add(0, ops::scattered(context, context.input_type(0), context.cotangent(), indices));
}

}  // namespace

const OpDef& op_pad() {
  static const OpDef def{.name = "pad",
                         .op_class = OpClass::kOpaque,
                         .attrs = {{"high", AttrKind::kInts, true},
                                   {"low", AttrKind::kInts, true},
                                   {"mode", AttrKind::kString, false, std::string("constant")},
                                   {"value", AttrKind::kFloat, false, 0.0}},
                         .meaning = "x with elements added before and after it along its axes",
                         .infer = infer,
                         .evaluate = evaluate,
                         .loops = loops,
                         .gradient = gradient};
  return def;
}

}  // namespace cohort
