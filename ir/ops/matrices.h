// Operators of linear algebra act on the last two axes of their operands; the axes before them are a batch
// and broadcast. An operator's file says which function of the runtime does one matrix and what it takes
// (MatrixCall); the interpreter runs its plain form, compiled code calls it once for each matrix of the
// batch. Only f32 and f64 are taken; integers are cast to f64 before.
#pragma once

#include "ir/gradient.h"
#include "ir/ops/support.h"

namespace cohort::ops {

struct MatrixCall {
  std::string_view function;         // see matrix_calls.h
  Shape batch;                       // of the results
  std::vector<int> results, inputs;  // how many last axes of each are one matrix
  std::vector<Dim> sizes;            // the function's own scalars
  std::vector<Type> work;            // buffers that it works in
};

// --- Types ---

// The types in an interpreter's or a lowering's context.
std::vector<Type> input_types(const EvalContext& context);
std::vector<Type> input_types(const LoopContext& context);
// Refuses all but matrices of f32 or f64.
void check_matrix(const InferContext& context, std::size_t input);
void check_square(const InferContext& context, std::size_t input);
// The axes before the last `core`.
Shape batch_of(const Type& type, int core = 2);
// `type` with other last axes in the place of its last two.
Type with_core(const Type& type, const Shape& core);
// The extent of the last axis but `back`.
inline Dim extent_from_end(const Type& type, int back) {
  return type.shape[type.shape.size() - 1 - static_cast<std::size_t>(back)];
}
// The smaller of a matrix's extents, where it is known which that is; check_smaller refuses other matrices.
Dim smaller_extent(const Type& type);
void check_smaller(const InferContext& context, std::size_t input);

// Operands a[..., n, n] and b[..., n, k] or b[n] of a system of equations; x is of b's kind.
std::vector<Type> infer_solution(const InferContext& context);
// Batch, inputs and sizes n, k of its call.
MatrixCall solution_call(std::string_view function, const std::vector<Type>& inputs);
// The call of a square matrix, with working memory for its LU factors; `results` as in MatrixCall.
MatrixCall factored_call(std::string_view function, const Type& x, std::vector<int> results);

// --- Meaning and loops ---

void evaluate_matrices(EvalContext& context, const MatrixCall& call);
void matrix_loops(LoopContext& context, const MatrixCall& call);
// An operator's `evaluate` and `loops`, from the function that describes its call.
using DescribeCall = MatrixCall (*)(const Attrs& attrs, const std::vector<Type>& inputs);
template <DescribeCall kDescribe>
void evaluate_described(EvalContext& context) {
  evaluate_matrices(context, kDescribe(context.attrs, input_types(context)));
}
template <DescribeCall kDescribe>
void described_loops(LoopContext& context) {
  matrix_loops(context, kDescribe(context.attrs(), input_types(context)));
}

// --- Gradients ---

Symbol transposed(GradientContext& context, const Symbol& x);
Symbol product(GradientContext& context, const Symbol& a, const Symbol& b, bool transpose_a = false,
               bool transpose_b = false);
// x where `comparison` holds between row and column, 0 elsewhere: "ge" keeps the lower triangle.
Symbol masked(GradientContext& context, const Symbol& x, std::string_view comparison);
// The lower triangle with half of the diagonal.
Symbol half_lower(GradientContext& context, const Symbol& x);
// g is the gradient by each element of a symmetric matrix; of it only one triangle was read.
Symbol of_triangle(GradientContext& context, const Symbol& g, bool lower);
// Column j times s[j].
Symbol scaled_columns(GradientContext& context, const Symbol& x, const Symbol& s);
// 1 / (w[j] - w[i]) at [i, j], 0 where they are equal.
Symbol reciprocal_differences(GradientContext& context, const Symbol& w);
// A vector on the right of a system as one column, and a batch of numbers as matrices of one element.
Symbol as_column(GradientContext& context, const Symbol& x);
Symbol as_matrices(GradientContext& context, const Symbol& x);

}  // namespace cohort::ops
