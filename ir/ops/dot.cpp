// dot: np.dot. The sum runs over the last axis of a and the last but one of b (the last of a vector); the
// other axes of a come first, then those of b. A scalar operand multiplies.
#include "ir/ops/gradients.h"
#include "ir/ops/list.h"
#include "ir/ops/product.h"

namespace cohort {

namespace {

Product dot_product(int a_rank, int b_rank) {
  Product product;
  if (a_rank > 0 && b_rank > 0) {
    product.a_sum = a_rank - 1;
    product.b_sum = std::max(b_rank - 2, 0);
  }
  for (int axis = 0; axis < a_rank; ++axis) {
    if (axis == product.a_sum) continue;
    product.a_axis.push_back(axis);
    product.b_axis.push_back(-1);
  }
  for (int axis = 0; axis < b_rank; ++axis) {
    if (axis == product.b_sum) continue;
    product.a_axis.push_back(-1);
    product.b_axis.push_back(axis);
  }
  return product;
}

std::string letters(char first, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += static_cast<char>(first + i);
  return text;
}

void gradient(GradientContext& context) {
  using symbols::operator*;
  const int a_rank = context.input_type(0).rank(), b_rank = context.input_type(1).rank();
  const Symbol g = context.cotangent(), a = context.input(0), b = context.input(1);
  if (a_rank > 0 && b_rank > 0 && b_rank < 3) return product_gradient(context);
  if (a_rank == 0 || b_rank == 0) {
    if (context.wants(0)) context.add(0, g * b);
    if (context.wants(1)) context.add(1, g * a);
    return;
  }
  // k is summed over and n is b's last axis.
  const std::string rows = letters('A', a_rank - 1), batch = letters('a', b_rank - 2);
  const std::string of_a = rows + "k", of_b = batch + "kn", of_g = rows + batch + "n";
  if (context.wants(0))
    context.add(0, context.emit("einsum", {g, b}, {{"equation", of_g + "," + of_b + "->" + of_a}}));
  if (context.wants(1))
    context.add(1, context.emit("einsum", {a, g}, {{"equation", of_a + "," + of_g + "->" + of_b}}));
}

}  // namespace

const OpDef& op_dot() {
  static const OpDef def{
      .name = "dot",
      .op_class = OpClass::kReduction,
      .min_inputs = 2,
      .max_inputs = 2,
      .meaning = "np.dot: sum over the last axis of a and the last but one of b",
      .infer =
          [](const InferContext& context) {
            return infer_product(context, dot_product(context.inputs[0].rank(), context.inputs[1].rank()));
          },
      .evaluate =
          [](EvalContext& context) {
            evaluate_product(context, dot_product(context.inputs[0].rank(), context.inputs[1].rank()));
          },
      .loops =
          [](LoopContext& context) {
            product_loops(context, dot_product(context.input_type(0).rank(), context.input_type(1).rank()));
          },
      .casting = Casting::kPromote,
      .gradient = gradient,
      .flops =
          [](const InferContext& context, std::int64_t results) {
            return product_flops(context, dot_product(context.inputs[0].rank(), context.inputs[1].rank()),
                                 results);
          },
  };
  return def;
}

}  // namespace cohort
