// lu(x): packed, order with x[order] = l u: packed[m, n] holds u on and above its diagonal and below it l,
// whose diagonal is ones; order[m] are i64. Partial pivoting, of equals the first.
#include "ir/ops/list.h"
#include "ir/ops/matrices.h"

namespace cohort {

using namespace ops;
using namespace symbols;

namespace {

std::vector<Type> infer(const InferContext& context) {
  check_matrix(context, 0);
  const Type& x = context.inputs[0];
  Shape order = x.shape;
  order.pop_back();
  return {x, {DType::kI64, std::move(order)}};
}

MatrixCall described(const Attrs&, const std::vector<Type>& inputs) {
  return {.function = "rt_lu",
          .batch = batch_of(inputs[0]),
          .results = {2, 1},
          .inputs = {2},
          .sizes = {extent_from_end(inputs[0], 1), extent_from_end(inputs[0], 0)},
          .work = {}};
}

// x[order] gets l'^-1 (strictly lower part of l' dl + upper part of du u') u'^-1, and x that in its own
// order.
void gradient(GradientContext& context) {
  const Type& type = context.input_type();
  if (extent_from_end(type, 0) != extent_from_end(type, 1)) context.undefined(0);
  const Symbol packed = context.result(), g = context.cotangent();
  const Symbol upper = masked(context, packed, "le");
  const Symbol of_lower = product(context, masked(context, packed, "gt"), masked(context, g, "gt"), true) +
                          masked(context, g, "gt");
  const Symbol middle = masked(context, of_lower, "gt") +
                        masked(context, product(context, masked(context, g, "le"), upper, false, true), "le");
  const Symbol left =
      context.emit("solve_triangular", {packed, middle}, {{"transpose", true}, {"unit_diagonal", true}});
  const Symbol both =
      context.emit("solve_triangular", {packed, transposed(context, left)}, {{"lower", false}});
  const Symbol back = context.emit("argsort", {context.result(1)});
  const Symbol index =
      context.broadcasted(context.emit("expand", {back}, {{"axes", IntList{-1}}}), type.shape);
  const std::int64_t axis = type.rank() - 2;
  context.add(0, context.emit("take_along_axis", {transposed(context, both), index}, {{"axis", axis}}));
}

}  // namespace

const OpDef& op_lu() {
  static const OpDef def{
      .name = "lu",
      .op_class = OpClass::kOpaque,
      .meaning = "l u = x[order]: both factors in one matrix, and the order of rows",
      .infer = infer,
      .evaluate = evaluate_described<described>,
      .loops = described_loops<described>,
      .casting = Casting::kFloat,
      .gradient = gradient,
  };
  return def;
}

}  // namespace cohort
