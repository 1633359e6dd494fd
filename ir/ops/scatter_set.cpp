// scatter_set: x with x[i0, ..., ik] = y. Writes go in row-major order of the indices, so of equal indices
// the last wins.
#include "ir/ops/gradients.h"
#include "ir/ops/indexing.h"
#include "ir/ops/list.h"

namespace cohort {

namespace {

// The row-major number of each position of `shape`.
Symbol numbered(GradientContext& context, const Shape& shape) {
  using namespace symbols;
  if (const std::optional<Dim> count = element_count(shape))
    return context.reshaped(ops::index_along(context, {*count}, 0), shape);
  Symbol number = ops::index_along(context, shape, 0);
  for (std::size_t axis = 1; axis < shape.size(); ++axis)
    number = number * ops::element_count(context, {shape[axis]}, DType::kI64) +
             ops::index_along(context, shape, static_cast<int>(axis));
  return number;
}

// Which elements of y stayed: each write leaves its number where it writes, and one that finds another number
// there has been overwritten.
Symbol survivors(GradientContext& context, const std::vector<Symbol>& indices, const Shape& positions) {
  using namespace symbols;
  const Shape& x = context.input_type(0).shape;
  const Shape written(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(indices.size()));
  const Symbol number = numbered(context, positions);
  std::vector<Symbol> writes{context.zeros({DType::kI64, written}), number};
  writes.insert(writes.end(), indices.begin(), indices.end());
  std::vector<Symbol> reads{context.emit("scatter_set", writes)};
  reads.insert(reads.end(), indices.begin(), indices.end());
  const Symbol stayed = context.emit("gather", reads) == number;
  Shape shape = positions;
  shape.resize(positions.size() + x.size() - indices.size(), Dim(1));
  return context.reshaped(stayed, shape);
}

void gradient(GradientContext& context) {
  const Symbol g = context.cotangent();
  std::vector<Symbol> indices, cleared{g, symbols::number_like(g, 0)}, read{g};
  Shape positions;
  for (int i = 2; i < context.input_count(); ++i) {
    indices.push_back(context.input(i));
    positions = *broadcast(positions, context.input_type(i).shape);
  }
  cleared.insert(cleared.end(), indices.begin(), indices.end());
  read.insert(read.end(), indices.begin(), indices.end());
  if (context.wants(0)) context.add(0, context.emit("scatter_set", cleared));
  if (!context.wants(1)) return;
  const Symbol received = context.emit("gather", read);
  const bool one_write = positions.empty();
  context.add(1, one_write ? received : symbols::when(survivors(context, indices, positions), received));
}

}  // namespace

const OpDef& op_scatter_set() {
  static const OpDef def{
      .name = "scatter_set",
      .op_class = OpClass::kOpaque,
      .min_inputs = 3,
      .max_inputs = kAnyNumber,
      .meaning = "x with x[i0, ..., ik] = y; the last write wins",
      .infer = infer_scatter,
      .evaluate = [](EvalContext& context) { evaluate_scatter(context, false); },
      .loops = [](LoopContext& context) { scatter_loops(context, false); },
      .casting = Casting::kFollowFirst,
      .gradient = gradient,
  };
  return def;
}

}  // namespace cohort
