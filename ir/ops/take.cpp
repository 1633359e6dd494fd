// take: np.take along one axis. result[..., i..., ...] = x[..., index[i...], ...].
#include "ir/ops/gradients.h"
#include "ir/ops/indexing.h"
#include "ir/ops/list.h"

namespace cohort {

using namespace kernel;

namespace {

std::size_t take_axis(const Attrs& attrs, int rank) {
  const std::int64_t axis = attr_or<std::int64_t>(attrs, "axis", 0);
  return static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
}

std::vector<Type> infer(const InferContext& context) {
  const Type &x = context.inputs[0], &index = context.inputs[1];
  const int axis = normalized_axis(context, attr_or<std::int64_t>(context.attrs, "axis", 0), x.rank());
  require_index_dtype(context, 1);
  Shape shape(x.shape.begin(), x.shape.begin() + axis);
  shape.insert(shape.end(), index.shape.begin(), index.shape.end());
  shape.insert(shape.end(), x.shape.begin() + axis + 1, x.shape.end());
  return {{x.dtype, std::move(shape)}};
}

void evaluate(EvalContext& context) {
  const Tensor& x = context.inputs[0];
  const std::size_t axis = take_axis(context.attrs, x.rank());
  const Extents& extents = x.extents();
  std::int64_t outer = 1, inner = dtype_bytes(x.dtype());
  for (std::size_t a = 0; a < axis; ++a) outer *= extents[a];
  for (std::size_t a = axis + 1; a < extents.size(); ++a) inner *= extents[a];
  if (context.results[0].size() == 0) return;
  std::vector<std::int64_t> indices = index_elements(context.inputs[1]);
  for (std::int64_t& index : indices) index = checked_index(context, index, extents[axis]);
  std::byte* out = context.results[0].mutable_data();
  for (std::int64_t o = 0; o < outer; ++o)
    for (const std::int64_t index : indices) {
      std::memcpy(out, x.data() + (o * extents[axis] + index) * inner, static_cast<std::size_t>(inner));
      out += inner;
    }
}

ExprRef element(ElementContext& context) {
  const Type &x = context.input_type(0), &index = context.input_type(1);
  const std::size_t axis = take_axis(context.attrs(), x.rank());
  const auto begin = context.index.begin() + static_cast<std::ptrdiff_t>(axis), end = begin + index.rank();
  IndexExprs from(context.index.begin(), begin);
  from.push_back(context.checked_index(as_index(context.load(1, IndexExprs(begin, end))), x.shape[axis]));
  from.insert(from.end(), end, context.index.end());
  return context.load(0, std::move(from));
}

void gradient(GradientContext& context) {
  const Type& x = context.input_type(0);
  const std::size_t axis = take_axis(context.attrs(), x.rank());
  // The axes before the taken one are indexed by themselves: the index has its own axes behind theirs.
  Shape places(x.shape.begin(), x.shape.begin() + static_cast<std::ptrdiff_t>(axis));
  places.resize(axis + static_cast<std::size_t>(context.input_type(1).rank()), Dim(1));
  std::vector<Symbol> indices;
  for (std::size_t a = 0; a < axis; ++a)
    indices.push_back(ops::index_along(context, places, static_cast<int>(a)));
  indices.push_back(context.input(1));
  context.add(0, ops::scattered(context, x, context.cotangent(), indices));
}

}  // namespace

const OpDef& op_take() {
  static const OpDef def{
      .name = "take",
      .op_class = OpClass::kGather,
      .min_inputs = 2,
      .max_inputs = 2,
      .attrs = {{"axis", AttrKind::kInt, false, std::int64_t{0}}},
      .meaning = "elements of x along an axis, chosen by integers; negative ones count from the end",
      .infer = infer,
      .evaluate = evaluate,
      .element = element,
      .gradient = gradient,
  };
  return def;
}

}  // namespace cohort
