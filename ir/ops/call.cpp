// call: y = f(x).
#include "ir/ops/applied.h"
#include "ir/ops/list.h"

namespace cohort {

using namespace ops;

namespace {

std::vector<Type> infer(const InferContext& context) {
  check_arguments(context, {});
  return output_types(applied_function(context));
}

}  // namespace

const OpDef& op_call() {
  static const OpDef def = [] {
    OpDef made = applied_op("call", "the outputs of a function of the module", false);
    made.infer = infer;
    return made;
  }();
  return def;
}

}  // namespace cohort
