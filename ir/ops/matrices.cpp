#include "ir/ops/matrices.h"

#include "ir/ops/elements.h"
#include "ir/ops/loop_support.h"
#include "ir/ops/matrix_calls.h"

namespace cohort::ops {

using namespace symbols;

std::vector<Type> input_types(const EvalContext& context) {
  std::vector<Type> types;
  for (const Tensor& x : context.inputs)
    types.push_back({x.dtype(), Shape(x.extents().begin(), x.extents().end())});
  return types;
}

std::vector<Type> input_types(const LoopContext& context) {
  std::vector<Type> types;
  for (int i = 0; i < context.input_count(); ++i) types.push_back(context.input_type(i));
  return types;
}

namespace {

void check_float(const InferContext& context, std::size_t input) {
  const DType dtype = context.inputs[input].dtype;
  if (dtype != DType::kF32 && dtype != DType::kF64)
    fail(DiagId::kWrongDType, context.op.name, dtype_name(dtype), input);
}

}  // namespace

void check_matrix(const InferContext& context, std::size_t input) {
  check_float(context, input);
  if (context.inputs[input].rank() < 2) wrong_shape(context, input, "is no matrix");
}

void check_square(const InferContext& context, std::size_t input) {
  check_matrix(context, input);
  const Type& x = context.inputs[input];
  if (extent_from_end(x, 0) != extent_from_end(x, 1)) wrong_shape(context, input, "is not square");
}

Shape batch_of(const Type& type, int core) { return {type.shape.begin(), type.shape.end() - core}; }

Type with_core(const Type& type, const Shape& core) {
  Shape shape = batch_of(type);
  shape.insert(shape.end(), core.begin(), core.end());
  return {type.dtype, std::move(shape)};
}

Dim smaller_extent(const Type& type) {
  const Dim m = extent_from_end(type, 1), n = extent_from_end(type, 0);
  return m == n || m.offset >= n.offset ? n : m;
}

void check_smaller(const InferContext& context, std::size_t input) {
  const Dim m = extent_from_end(context.inputs[input], 1), n = extent_from_end(context.inputs[input], 0);
  if (m != n && !(m.is_constant() && n.is_constant())) wrong_shape(context, input, "may be tall or wide");
}

std::vector<Type> infer_solution(const InferContext& context) {
  check_square(context, 0);
  check_float(context, 1);
  const Type &a = context.inputs[0], &b = context.inputs[1];
  if (a.dtype != b.dtype) fail(DiagId::kWrongDType, context.op.name, dtype_name(b.dtype), 1);
  if (b.rank() == 0) wrong_shape(context, 1, "is no vector or matrix");
  const int core = std::min(b.rank(), 2);
  const std::optional<Shape> batch = broadcast(batch_of(a), batch_of(b, core));
  if (!batch || extent_from_end(a, 0) != extent_from_end(b, core - 1))
    fail(DiagId::kShapeMismatch, context.op.name, to_string(a.shape, context.dims),
         to_string(b.shape, context.dims));
  Shape shape = *batch;
  shape.insert(shape.end(), b.shape.end() - core, b.shape.end());
  return {{a.dtype, std::move(shape)}};
}

MatrixCall solution_call(std::string_view function, const std::vector<Type>& inputs) {
  const Type &a = inputs[0], &b = inputs[1];
  const int core = std::min(b.rank(), 2);
  return {.function = function,
          .batch = *broadcast(batch_of(a), batch_of(b, core)),
          .results = {core},
          .inputs = {2, core},
          .sizes = {extent_from_end(a, 0), core == 1 ? Dim(1) : extent_from_end(b, 0)},
          .work = {}};
}

MatrixCall factored_call(std::string_view function, const Type& x, std::vector<int> results) {
  const Dim n = extent_from_end(x, 0);
  return {.function = function,
          .batch = batch_of(x),
          .results = std::move(results),
          .inputs = {2},
          .sizes = {n},
          .work = {{x.dtype, {n, n}}, {DType::kI64, {n}}}};
}

namespace {

// What each axis of the batch adds to where a buffer's matrix begins.
std::vector<std::int64_t> batch_strides(const Extents& extents, int core, std::size_t batch) {
  const std::vector<std::int64_t> own = strides_of(extents);
  const std::size_t count = extents.size() - static_cast<std::size_t>(core);
  std::vector<std::int64_t> strides(batch, 0);
  for (std::size_t axis = 0; axis < count; ++axis)
    if (extents[axis] != 1) strides[batch - count + axis] = own[axis];
  return strides;
}

ExprRef batch_start(const Shape& shape, int core, const Index& index) {
  const std::vector<ExprRef> own = stride_exprs(shape);
  const std::size_t count = shape.size() - static_cast<std::size_t>(core);
  ExprRef start = kernel::constant_index(0);
  for (std::size_t axis = 0; axis < count; ++axis)
    if (!shape[axis].is_constant(1)) start = start + index[index.size() - count + axis] * own[axis];
  return start;
}

}  // namespace

void evaluate_matrices(EvalContext& context, const MatrixCall& call) {
  const Extents batch = evaluate(call.batch, context.dims);
  std::vector<std::vector<std::int64_t>> starts;  // by buffer, then by matrix
  for (std::size_t r = 0; r < call.results.size(); ++r)
    starts.push_back(
        box_offsets(batch, batch_strides(context.results[r].extents(), call.results[r], batch.size())));
  for (std::size_t i = 0; i < call.inputs.size(); ++i)
    starts.push_back(
        box_offsets(batch, batch_strides(context.inputs[i].extents(), call.inputs[i], batch.size())));
  const auto count = static_cast<std::size_t>(element_count(batch));
  for (std::size_t matrix = 0; matrix < count; ++matrix) {
    std::vector<std::int64_t> scalars;
    for (const auto& start : starts) scalars.push_back(start[matrix]);
    for (const Dim& size : call.sizes) scalars.push_back(evaluate(size, context.dims));
    run_matrix_call(call.function, context.results, context.inputs, scalars);
  }
}

void matrix_loops(LoopContext& context, const MatrixCall& call) {
  std::vector<kernel::BufferId> outputs, inputs;
  for (std::size_t r = 0; r < call.results.size(); ++r)
    outputs.push_back(context.result_buffer(static_cast<int>(r)));
  for (const Type& work : call.work) outputs.push_back(context.temporary(work, "work"));
  for (std::size_t i = 0; i < call.inputs.size(); ++i)
    inputs.push_back(context.input_buffer(static_cast<int>(i)));
  context.for_each(call.batch, [&](const Index& index) {
    std::vector<ExprRef> scalars;
    for (std::size_t r = 0; r < call.results.size(); ++r)
      scalars.push_back(batch_start(context.result_type(static_cast<int>(r)).shape, call.results[r], index));
    scalars.insert(scalars.end(), call.work.size(), kernel::constant_index(0));
    for (std::size_t i = 0; i < call.inputs.size(); ++i)
      scalars.push_back(batch_start(context.input_type(static_cast<int>(i)).shape, call.inputs[i], index));
    for (const Dim& size : call.sizes) scalars.push_back(kernel::extent(size));
    context.call(std::string(call.function), outputs, inputs, std::move(scalars));
  });
}

Symbol transposed(GradientContext& context, const Symbol& x) {
  IntList axes;
  for (std::int64_t axis = 0; axis < x.type().rank(); ++axis) axes.push_back(axis);
  std::swap(axes[axes.size() - 2], axes[axes.size() - 1]);
  return context.emit("transpose", {x}, {{"axes", axes}});
}

Symbol product(GradientContext& context, const Symbol& a, const Symbol& b, bool transpose_a,
               bool transpose_b) {
  return context.emit("matmul", {a, b}, {{"transpose_a", transpose_a}, {"transpose_b", transpose_b}});
}

namespace {

Symbol compared(GradientContext& context, const Symbol& x, std::string_view comparison) {
  const Shape rows{extent_from_end(x.type(), 1), 1}, columns{1, extent_from_end(x.type(), 0)};
  const Symbol row =
      context.emit("iota", std::span<const Symbol>{}, {{"shape", rows}, {"axis", std::int64_t{0}}});
  const Symbol column =
      context.emit("iota", std::span<const Symbol>{}, {{"shape", columns}, {"axis", std::int64_t{1}}});
  return context.emit(comparison, {row, column});
}

}  // namespace

Symbol masked(GradientContext& context, const Symbol& x, std::string_view comparison) {
  return where(compared(context, x, comparison), x, number_like(x, 0));
}

Symbol half_lower(GradientContext& context, const Symbol& x) {
  return masked(context, where(compared(context, x, "eq"), x * 0.5, x), "ge");
}

Symbol of_triangle(GradientContext& context, const Symbol& g, bool lower) {
  return masked(context, g, lower ? "ge" : "le") +
         masked(context, transposed(context, g), lower ? "gt" : "lt");
}

Symbol scaled_columns(GradientContext& context, const Symbol& x, const Symbol& s) {
  return x * context.emit("expand", {s}, {{"axes", IntList{-2}}});
}

Symbol reciprocal_differences(GradientContext& context, const Symbol& w) {
  const Symbol d = context.emit("expand", {w}, {{"axes", IntList{-2}}}) - as_column(context, w);
  const Symbol equal = d == 0.0;
  return where(equal, number_like(w, 0), reciprocal(where(equal, number_like(w, 1), d)));
}

Symbol as_column(GradientContext& context, const Symbol& x) {
  return context.emit("expand", {x}, {{"axes", IntList{-1}}});
}

Symbol as_matrices(GradientContext& context, const Symbol& x) {
  return context.emit("expand", {x}, {{"axes", IntList{-2, -1}}});
}

}  // namespace cohort::ops
