// grad: the gradients of f's only output, one for each of `wrt`.
#include "ir/ops/applied.h"
#include "ir/ops/list.h"

namespace cohort {

using namespace ops;

namespace {

std::vector<Type> infer(const InferContext& context) {
  check_arguments(context, {});
  check_scalar_output(context);
  return wrt_types(context);
}

}  // namespace

const OpDef& op_grad() {
  static const OpDef def = [] {
    OpDef made = applied_op("grad", "gradients of a function's scalar output", true);
    made.infer = infer;
    return made;
  }();
  return def;
}

}  // namespace cohort
