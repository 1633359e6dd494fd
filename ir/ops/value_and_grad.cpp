// value_and_grad: f's only output, then its gradients, one for each of `wrt`.
#include "ir/ops/applied.h"
#include "ir/ops/list.h"

namespace cohort {

using namespace ops;

namespace {

std::vector<Type> infer(const InferContext& context) {
  check_arguments(context, {});
  check_scalar_output(context);
  std::vector<Type> types = output_types(applied_function(context));
  for (Type& type : wrt_types(context)) types.push_back(std::move(type));
  return types;
}

}  // namespace

const OpDef& op_value_and_grad() {
  static const OpDef def = [] {
    OpDef made = applied_op("value_and_grad", "a function's scalar output, then its gradients", true);
    made.infer = infer;
    return made;
  }();
  return def;
}

}  // namespace cohort
