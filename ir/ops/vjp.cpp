// vjp: the inputs are f's, then a cotangent for each output; gives f's outputs, then a gradient for each of
// `wrt`.
#include "ir/ops/applied.h"
#include "ir/ops/list.h"

namespace cohort {

using namespace ops;

namespace {

std::vector<Type> infer(const InferContext& context) {
  std::vector<Type> types = output_types(applied_function(context));
  check_arguments(context, types);
  for (Type& type : wrt_types(context)) types.push_back(std::move(type));
  return types;
}

}  // namespace

const OpDef& op_vjp() {
  static const OpDef def = [] {
    OpDef made =
        applied_op("vjp", "a function's outputs, then the products of cotangents with its Jacobian", true);
    made.infer = infer;
    return made;
  }();
  return def;
}

}  // namespace cohort
