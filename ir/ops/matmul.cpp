// matmul: NumPy's, all ranks. A 1-D operand is a row on the left, a column on the right, and its axis of
// extent 1 is dropped from the result; the axes before the last two broadcast.
#include "ir/diagnostics.h"
#include "ir/ops/list.h"
#include "ir/ops/product.h"

namespace cohort {

namespace {

Product matmul_product(const Attrs& attrs, int a_rank, int b_rank) {
  const bool a_swapped = attr_or(attrs, "transpose_a", false),
             b_swapped = attr_or(attrs, "transpose_b", false);
  Product product;
  const int a_batch = std::max(a_rank - 2, 0), b_batch = std::max(b_rank - 2, 0),
            batch = std::max(a_batch, b_batch);
  for (int axis = 0; axis < batch; ++axis) {
    product.a_axis.push_back(std::max(axis - (batch - a_batch), -1));
    product.b_axis.push_back(std::max(axis - (batch - b_batch), -1));
  }
  if (a_rank > 1) {
    product.a_axis.push_back(a_swapped ? a_rank - 1 : a_rank - 2);
    product.b_axis.push_back(-1);
  }
  if (b_rank > 1) {
    product.a_axis.push_back(-1);
    product.b_axis.push_back(b_swapped ? b_rank - 2 : b_rank - 1);
  }
  product.a_sum = a_rank > 1 && a_swapped ? a_rank - 2 : a_rank - 1;
  product.b_sum = b_rank > 1 && !b_swapped ? b_rank - 2 : b_rank - 1;
  return product;
}

std::vector<Type> infer(const InferContext& context) {
  for (int i = 0; i < 2; ++i) {
    const Type& operand = context.inputs[static_cast<std::size_t>(i)];
    const std::string_view flag = i == 0 ? "transpose_a" : "transpose_b";
    if (operand.rank() == 0)
      fail(DiagId::kWrongShape, context.op.name, i, to_string(operand.shape, context.dims),
           "has no axis to sum over");
    if (operand.rank() == 1 && attr_or(context.attrs, flag, false))
      fail(DiagId::kWrongAttribute, context.op.name, flag, "swaps two axes of an operand that has one");
  }
  return infer_product(context,
                       matmul_product(context.attrs, context.inputs[0].rank(), context.inputs[1].rank()));
}

}  // namespace

const OpDef& op_matmul() {
  static const OpDef def{
      .name = "matmul",
      .op_class = OpClass::kReduction,
      .min_inputs = 2,
      .max_inputs = 2,
      .attrs = {{"transpose_a", AttrKind::kBool, false, false},
                {"transpose_b", AttrKind::kBool, false, false}},
      .meaning = "matrix product; leading axes broadcast; the flags swap an operand's last two axes",
      .infer = infer,
      .evaluate =
          [](EvalContext& context) {
            evaluate_product(
                context, matmul_product(context.attrs, context.inputs[0].rank(), context.inputs[1].rank()));
          },
      .loops =
          [](LoopContext& context) {
            const int a_rank = context.input_type(0).rank(), b_rank = context.input_type(1).rank();
            product_loops(context, matmul_product(context.attrs(), a_rank, b_rank));
          },
      .casting = Casting::kPromote,
      .gradient = product_gradient,
      .flops =
          [](const InferContext& context, std::int64_t results) {
            return product_flops(
                context, matmul_product(context.attrs, context.inputs[0].rank(), context.inputs[1].rank()),
                results);
          },
  };
  return def;
}

}  // namespace cohort
