// jvp: the inputs are f's, then a tangent for each of `wrt`; gives f's outputs, then a tangent for each.
#include "ir/ops/applied.h"
#include "ir/ops/list.h"

namespace cohort {

using namespace ops;

namespace {

std::vector<Type> infer(const InferContext& context) {
  check_arguments(context, wrt_types(context));
  std::vector<Type> types = output_types(applied_function(context));
  const std::size_t count = types.size();
  for (std::size_t i = 0; i < count; ++i) types.push_back(Type(types[i]));
  return types;
}

}  // namespace

const OpDef& op_jvp() {
  static const OpDef def = [] {
    OpDef made =
        applied_op("jvp", "a function's outputs, then the products of its Jacobian with tangents", true);
    made.infer = infer;
    return made;
  }();
  return def;
}

}  // namespace cohort
