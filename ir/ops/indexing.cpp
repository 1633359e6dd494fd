#include "ir/ops/indexing.h"

#include <algorithm>

namespace cohort {

using namespace kernel;

void require_index_dtype(const InferContext& context, int input) {
  const DType dtype = context.inputs[static_cast<std::size_t>(input)].dtype;
  if (!is_integer(dtype)) fail(DiagId::kWrongDType, context.op.name, dtype_name(dtype), input);
}

Shape infer_indexed_shape(const InferContext& context, int first) {
  const Shape& x = context.inputs[0].shape;
  const std::size_t count = context.inputs.size() - static_cast<std::size_t>(first);
  if (count > x.size()) {
    fail(DiagId::kWrongShape, context.op.name, 0, to_string(x, context.dims),
         fmt::format("has fewer axes than the {} indices", count));
  }
  Shape shape;
  for (std::size_t i = static_cast<std::size_t>(first); i < context.inputs.size(); ++i) {
    require_index_dtype(context, static_cast<int>(i));
    const Shape& own = context.inputs[i].shape;
    const std::optional<Shape> both = broadcast(shape, own);
    if (!both)
      fail(DiagId::kShapeMismatch, context.op.name, to_string(shape, context.dims),
           to_string(own, context.dims));
    shape = *both;
  }
  shape.insert(shape.end(), x.begin() + static_cast<std::ptrdiff_t>(count), x.end());
  return shape;
}

namespace {

// Strides with which extents are read so that they broadcast to `to`.
std::vector<std::int64_t> broadcast_strides(const Extents& from, const Extents& to) {
  const std::vector<std::int64_t> own = strides_of(from);
  std::vector<std::int64_t> strides(to.size());
  for (std::size_t i = 0; i < from.size(); ++i)
    strides[to.size() - from.size() + i] = from[i] == 1 ? 0 : own[i];
  return strides;
}

// Extents that broadcast (infer has seen to it).
Extents broadcast_extents(Extents a, const Extents& b) {
  if (a.size() < b.size()) a.insert(a.begin(), b.size() - a.size(), 1);
  for (std::size_t i = 0; i < b.size(); ++i) {
    std::int64_t& extent = a[a.size() - b.size() + i];
    if (extent == 1) extent = b[i];
  }
  return a;
}

}  // namespace

IndexedBlocks indexed_blocks(const EvalContext& context, int first) {
  const Extents& x = context.inputs[0].extents();
  const std::span<const Tensor> indices = context.inputs.subspan(static_cast<std::size_t>(first));
  IndexedBlocks blocks;
  for (const Tensor& index : indices) blocks.positions = broadcast_extents(blocks.positions, index.extents());
  for (std::size_t axis = indices.size(); axis < x.size(); ++axis) blocks.size *= x[axis];
  blocks.offsets.assign(static_cast<std::size_t>(element_count(blocks.positions)), 0);
  const std::vector<std::int64_t> strides = strides_of(x);
  std::vector<std::vector<std::int64_t>> values, places;
  for (const Tensor& index : indices) {
    values.push_back(index_elements(index));
    places.push_back(box_offsets(blocks.positions, broadcast_strides(index.extents(), blocks.positions)));
  }
  for (std::size_t p = 0; p < blocks.offsets.size(); ++p)
    for (std::size_t axis = 0; axis < indices.size(); ++axis) {
      const std::int64_t value = values[axis][static_cast<std::size_t>(places[axis][p])];
      blocks.offsets[p] += checked_index(context, value, x[axis]) * strides[axis];
    }
  return blocks;
}

Shape broadcast_inputs(const NodeLowering& lowering, int first) {
  Shape shape;
  for (int i = first; i < lowering.input_count(); ++i)
    shape = *broadcast(shape, lowering.input_type(i).shape);
  return shape;
}

IndexExprs indexed_position(NodeLowering& lowering, int first, std::span<const ExprRef> index) {
  const Shape& x = lowering.input_type(0).shape;
  const std::size_t count = static_cast<std::size_t>(lowering.input_count() - first);
  const std::size_t trailing = x.size() - count;
  const std::span<const ExprRef> position = index.first(index.size() - trailing);
  IndexExprs result;
  for (std::size_t i = 0; i < count; ++i) {
    const ExprRef value = lowering.load_broadcast(first + static_cast<int>(i), position);
    result.push_back(lowering.checked_index(as_index(value), x[i]));
  }
  result.insert(result.end(), index.end() - static_cast<std::ptrdiff_t>(trailing), index.end());
  return result;
}

std::vector<Type> infer_scatter(const InferContext& context) {
  const Type &x = context.inputs[0], &y = context.inputs[1];
  if (y.dtype != x.dtype) fail(DiagId::kWrongDType, context.op.name, dtype_name(y.dtype), 1);
  const Shape indexed = infer_indexed_shape(context, 2);
  const std::optional<Shape> both = broadcast(y.shape, indexed);
  if (!both || *both != indexed)
    fail(DiagId::kShapeMismatch, context.op.name, to_string(y.shape, context.dims),
         to_string(indexed, context.dims));
  return {x};
}

void evaluate_scatter(EvalContext& context, bool add) {
  const Tensor &x = context.inputs[0], &y = context.inputs[1];
  const IndexedBlocks blocks = indexed_blocks(context, 2);
  Extents indexed = blocks.positions;
  indexed.insert(indexed.end(), x.extents().begin() + static_cast<std::ptrdiff_t>(context.inputs.size() - 2),
                 x.extents().end());
  const std::vector<std::int64_t> from = box_offsets(indexed, broadcast_strides(y.extents(), indexed));
  Tensor result = x;
  const std::int64_t bytes = dtype_bytes(x.dtype());
  std::byte* out = result.mutable_data();
  const std::int64_t strides[2] = {1, 1};
  std::size_t element = 0;
  for (const std::int64_t offset : blocks.offsets)
    for (std::int64_t i = 0; i < blocks.size; ++i, ++element) {
      std::byte* target = out + (offset + i) * bytes;
      const std::byte* source = y.data() + from[element] * bytes;
      if (add) {
        const void* const operands[2] = {target, source};
        evaluate_array(ScalarOp::k_add, x.dtype(), x.dtype(), 1, operands, strides, target);
      } else {
        std::memcpy(target, source, static_cast<std::size_t>(bytes));
      }
    }
  context.results[0] = std::move(result);
}

void scatter_loops(LoopContext& context, bool add) {
  const Type& x = context.input_type(0);
  context.for_each(x.shape,
                   [&](const IndexExprs& index) { context.store(0, index, context.load(0, index)); });
  const Shape positions = broadcast_inputs(context, 2);
  const Shape trailing(x.shape.begin() + (context.input_count() - 2), x.shape.end());
  context.for_each(positions, [&](const IndexExprs& position) {
    // The checked indices are the same for the whole block.
    IndexExprs target;
    for (int i = 2; i < context.input_count(); ++i) {
      const ExprRef value = context.load_broadcast(i, position);
      target.push_back(context.checked_index(as_index(value), x.shape[static_cast<std::size_t>(i - 2)]));
    }
    context.for_each(trailing, [&](const IndexExprs& inner) {
      IndexExprs to = target, from = position;
      to.insert(to.end(), inner.begin(), inner.end());
      from.insert(from.end(), inner.begin(), inner.end());
      ExprRef value = context.load_broadcast(1, from);
      if (add) value = apply(ScalarOp::k_add, {context.load_result(0, to), value});
      context.store(0, to, value);
    });
  });
}

}  // namespace cohort
