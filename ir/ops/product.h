// Products: result[...] = sum over k of a[..., k, ...] * b[..., k, ...], added in order of k by fused
// multiply-add, starting from 0. matmul and dot say which axis runs where; the rest is shared.
//
// Halves are multiplied and added in f32 and rounded once at the end. Integers wrap. Of bools the product is
// `and`, the sum `or`.
#pragma once

#include "ir/ops/elements.h"
#include "ir/ops/loop_support.h"

namespace cohort {

// Which axis of the operands each axis of the result runs along (-1: none), and which are summed over. Where
// an operand's extent is 1 and the result's is not, it repeats.
struct Product {
  std::vector<int> a_axis, b_axis;
  int a_sum = -1, b_sum = -1;  // -1: nothing is summed (a scalar operand of dot)
};

std::vector<Type> infer_product(const InferContext& context, const Product& product);
void evaluate_product(EvalContext& context, const Product& product);
// Loops, or for large products of f32 and f64 the runtime's rt_gemm (see product_call.h).
void product_loops(LoopContext& context, const Product& product);
// The rule of matmul, and of dot where b has at most two axes.
void product_gradient(GradientContext& context);
// Two for each multiply-add, at the dims' maxima.
std::int64_t product_flops(const InferContext& context, const Product& product, std::int64_t results);

}  // namespace cohort
