// logsumexp: log(sum(exp(x))) over axes, without overflow; -inf of nothing and where all elements are -inf.
#include "ir/ops/list.h"
#include "ir/ops/softmax_support.h"

namespace cohort {

const OpDef& op_logsumexp() {
  static const OpDef def{
      .name = "logsumexp",
      .op_class = OpClass::kReduction,
      .attrs = {{"axes", AttrKind::kInts}, {"keepdims", AttrKind::kBool, false, false}},
      .meaning = "log(sum(exp(x))) over axes, without overflow",
      .infer = infer_logsumexp,
      .evaluate = evaluate_logsumexp,
      .loops = logsumexp_loops,
      .casting = Casting::kFloat,
      .gradient = logsumexp_gradient,
      .ulp = 4,
  };
  return def;
}

}  // namespace cohort
