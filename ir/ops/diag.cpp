// diag(x) {k?}: the square matrix with the vector x on its k-th diagonal; the k-th diagonal of a matrix.
#include <algorithm>

#include "ir/ops/gradients.h"
#include "ir/ops/list.h"
#include "ir/ops/support.h"

namespace cohort {

namespace {

struct Diagonal {
  std::int64_t row, column;  // of its first element
};
Diagonal diagonal(const Attrs& attrs) {
  const std::int64_t k = attr_or<std::int64_t>(attrs, "k", 0);
  return {std::max<std::int64_t>(0, -k), std::max<std::int64_t>(0, k)};
}

std::vector<Type> infer(const InferContext& context) {
  constexpr std::int64_t kGreatest = std::int64_t{1} << 40;
  const Type& x = context.inputs[0];
  const std::int64_t k = attr_or<std::int64_t>(context.attrs, "k", 0);
  if (k < -kGreatest || k > kGreatest) ops::wrong_attribute(context, "k", fmt::format("is {}", k));
  const Diagonal first = diagonal(context.attrs);
  if (x.rank() == 1) {
    const Dim n = ops::sum(x.shape[0], Dim(first.row + first.column));
    return {{x.dtype, {n, n}}};
  }
  if (x.rank() != 2) ops::wrong_shape(context, 0, "is neither a vector nor a matrix");
  const Dim below = ops::sum(x.shape[0], Dim(-first.row)), right = ops::sum(x.shape[1], Dim(-first.column));
  if (below == right && min_extent(below, context.dims) >= 0) return {{x.dtype, {below}}};
  if (!below.is_constant() || !right.is_constant()) {
    ops::wrong_shape(context, 0, "has named dims that leave the length of the diagonal open");
  }
  return {{x.dtype, {std::max<std::int64_t>(0, std::min(below.offset, right.offset))}}};
}

void evaluate(EvalContext& context) {
  const Tensor& x = context.inputs[0];
  Tensor& result = context.results[0];
  const bool from_vector = x.rank() == 1;
  const std::int64_t columns = from_vector ? result.extents()[1] : x.extents()[1];
  const std::int64_t count = from_vector ? x.size() : result.size();
  const Diagonal first = diagonal(context.attrs);
  const ops::Layout vector = ops::layout_of({count});
  ops::Layout matrix = vector;
  matrix.base = first.row * columns + first.column;
  for (std::int64_t& offset : matrix.offsets[0]) offset *= columns + 1;
  ops::copy_elements(x, from_vector ? vector : matrix, result, from_vector ? matrix : vector);
}

void loops(LoopContext& context) {
  const Diagonal first = diagonal(context.attrs());
  const kernel::ExprRef row = kernel::constant_index(first.row),
                        column = kernel::constant_index(first.column);
  if (context.input_type(0).rank() == 2) {
    context.for_each(context.result_type().shape[0], [&](kernel::ExprRef i) {
      context.store(0, {i}, context.load(0, {row + i, column + i}));
    });
    return;
  }
  const kernel::ExprRef zero = ops::constant_of(context.result_type().dtype, 0);
  context.for_each(context.result_type().shape,
                   [&](ops::Index index) { context.store(0, std::move(index), zero); });
  context.for_each(context.input_type(0).shape[0], [&](kernel::ExprRef i) {
    context.store(0, {row + i, column + i}, context.load(0, {i}));
  });
}

void gradient(GradientContext& context) {
  const Type& x = context.input_type(0);
  const Symbol g = context.cotangent();
  const Diagonal first = diagonal(context.attrs());
  const Dim n = context.result_type().shape[0];
  const Dim side = ops::sum(n, Dim(first.row + first.column));
  if (x.rank() == 1 || x.shape == Shape{side, side}) {
    context.add(0, context.emit("diag", {g}, context.attrs()));
    return;
  }
  using namespace symbols;
  const Symbol i = ops::index_along(context, {n}, 0);
  const Symbol row = i + ops::literal_int(context, DType::kI64, first.row),
               column = i + ops::literal_int(context, DType::kI64, first.column);
  context.add(0, ops::scattered(context, x, g, {row, column}));
}

}  // namespace

const OpDef& op_diag() {
  static const OpDef def{.name = "diag",
                         .op_class = OpClass::kOpaque,
                         .attrs = {{"k", AttrKind::kInt, false, std::int64_t{0}}},
                         .meaning = "vector to matrix, matrix to its k-th diagonal",
                         .infer = infer,
                         .evaluate = evaluate,
                         .loops = loops,
                         .gradient = gradient};
  return def;
}

}  // namespace cohort
