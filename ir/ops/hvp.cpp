// hvp: the inputs are f's, then a tangent for each of `wrt`; gives a product for each of `wrt`.
#include "ir/ops/applied.h"
#include "ir/ops/list.h"

namespace cohort {

using namespace ops;

namespace {

std::vector<Type> infer(const InferContext& context) {
  const std::vector<Type> types = wrt_types(context);
  check_arguments(context, types);
  check_scalar_output(context);
  return types;
}

}  // namespace

const OpDef& op_hvp() {
  static const OpDef def = [] {
    OpDef made =
        applied_op("hvp", "products of the Hessian of a function's scalar output with tangents", true);
    made.infer = infer;
    return made;
  }();
  return def;
}

}  // namespace cohort
