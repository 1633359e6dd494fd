// take_along_axis: result[..., j, ...] = x[..., index[..., j, ...], ...]; the other axes broadcast.
#include "ir/ops/gradients.h"
#include "ir/ops/indexing.h"
#include "ir/ops/list.h"

namespace cohort {

using namespace kernel;

namespace {

std::size_t index_axis(const Attrs& attrs, int rank) {
  const auto axis = attr<std::int64_t>(attrs, "axis");
  return static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
}

std::vector<Type> infer(const InferContext& context) {
  const Type &x = context.inputs[0], &index = context.inputs[1];
  const auto axis =
      static_cast<std::size_t>(normalized_axis(context, attr<std::int64_t>(context.attrs, "axis"), x.rank()));
  require_index_dtype(context, 1);
  const auto mismatch = [&] {
    fail(DiagId::kShapeMismatch, context.op.name, to_string(x.shape, context.dims),
         to_string(index.shape, context.dims));
  };
  if (index.rank() != x.rank()) mismatch();
  Shape data = x.shape, chosen = index.shape;
  data[axis] = chosen[axis] = 1;
  std::optional<Shape> shape = broadcast(data, chosen);
  if (!shape) mismatch();
  (*shape)[axis] = index.shape[axis];
  return {{x.dtype, std::move(*shape)}};
}

// Strides for reading `extents` along `result`, axes of extent 1 repeated; `axis` keeps its own.
std::vector<std::int64_t> reading_strides(const Extents& extents, std::size_t axis) {
  std::vector<std::int64_t> strides = strides_of(extents);
  for (std::size_t a = 0; a < extents.size(); ++a)
    if (a != axis && extents[a] == 1) strides[a] = 0;
  return strides;
}

void evaluate(EvalContext& context) {
  const Tensor &x = context.inputs[0], &index = context.inputs[1];
  const std::size_t axis = index_axis(context.attrs, x.rank());
  const Extents extents = context.result_extents(0);
  std::vector<std::int64_t> data_strides = reading_strides(x.extents(), axis);
  const std::int64_t along = data_strides[axis];
  data_strides[axis] = 0;
  const std::vector<std::int64_t> data = box_offsets(extents, data_strides);
  const std::vector<std::int64_t> chosen = box_offsets(extents, reading_strides(index.extents(), axis));
  const std::vector<std::int64_t> indices = index_elements(index);
  const auto bytes = static_cast<std::size_t>(dtype_bytes(x.dtype()));
  std::byte* out = context.results[0].mutable_data();
  for (std::size_t i = 0; i < data.size(); ++i) {
    const std::int64_t k =
        checked_index(context, indices[static_cast<std::size_t>(chosen[i])], x.extents()[axis]);
    std::memcpy(out + i * bytes, x.data() + static_cast<std::size_t>(data[i] + k * along) * bytes, bytes);
  }
}

ExprRef element(ElementContext& context) {
  const Shape& x = context.input_type(0).shape;
  const std::size_t axis = index_axis(context.attrs(), context.input_type(0).rank());
  IndexExprs from = context.index;
  for (std::size_t a = 0; a < from.size(); ++a)
    if (x[a].is_constant(1)) from[a] = constant_index(0);
  from[axis] = context.checked_index(as_index(context.load_broadcast(1, context.index)), x[axis]);
  return context.load(0, std::move(from));
}

void gradient(GradientContext& context) {
  const Type& x = context.input_type(0);
  const auto axis = static_cast<int>(index_axis(context.attrs(), x.rank()));
  context.add(0, ops::scattered_along(context, x, context.cotangent(), context.input(1), axis));
}

}  // namespace

const OpDef& op_take_along_axis() {
  static const OpDef def{
      .name = "take_along_axis",
      .op_class = OpClass::kGather,
      .min_inputs = 2,
      .max_inputs = 2,
      .attrs = {{"axis", AttrKind::kInt, true}},
      .meaning = "x[..., i[..., j, ...], ...]: an index for each element along an axis",
      .infer = infer,
      .evaluate = evaluate,
      .element = element,
      .gradient = gradient,
  };
  return def;
}

}  // namespace cohort
