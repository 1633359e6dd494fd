// reduce_prod: starts from 1, in the order of ir/README.md.
#include "ir/ops/list.h"
#include "ir/ops/reduce_support.h"

namespace cohort {

const OpDef& op_reduce_prod() {
  static const OpDef def{
      .name = "reduce_prod",
      .op_class = OpClass::kReduction,
      .attrs = {{"axes", AttrKind::kInts},
                {"dtype", AttrKind::kDType},
                {"keepdims", AttrKind::kBool, false, false}},
      .meaning = "product over axes; of integers in i64 or u64",
      .infer = [](const InferContext& context) { return infer_arithmetic(context, Arithmetic::kProduct); },
      .evaluate = [](EvalContext& context) { evaluate_arithmetic(context, Arithmetic::kProduct); },
      .loops = [](LoopContext& context) { arithmetic_loops(context, Arithmetic::kProduct); },
  };
  return def;
}

}  // namespace cohort
