// while: a body repeated as long as a condition holds of its carried values, at most max_steps times.
//
//   %x = while(%x0, %k) {carries = 1, max_steps = 100}
//        condition(%x: f64[], %k: f64[]) {...} body(%x: f64[], %k: f64[]) {...}
//
// The condition is looked at before each step, the first included; it has one output, a bool scalar. Memory
// is planned ahead, so a loop has a bound; one that reaches it ends like one whose condition fails. The pass
// `expand_functions` writes it as a `scan` that stops, and so it has a gradient.
#include "ir/ops/applied.h"
#include "ir/ops/list.h"
#include "ir/type_errors.h"

namespace cohort {

using namespace ops;

namespace {

void check_region(const InferContext& context, const Function& function, std::span<const Type> outputs) {
  check_body(context, function, context.inputs);
  const std::vector<Type> given = output_types(function);
  if (given.size() != outputs.size())
    wrong_attribute(
        context, "carries",
        fmt::format("wants {} outputs of `{}`, which has {}", outputs.size(), function.name, given.size()));
  for (std::size_t i = 0; i < given.size(); ++i)
    check_same(context, function.outputs[i].name, function, outputs[i], given[i]);
}

std::vector<Type> infer(const InferContext& context) {
  const std::int64_t carries = attr<std::int64_t>(context.attrs, "carries");
  if (carries < 1 || carries > static_cast<std::int64_t>(context.inputs.size()))
    wrong_attribute(context, "carries", fmt::format("is not between 1 and {}", context.inputs.size()));
  const std::int64_t steps = attr<std::int64_t>(context.attrs, "max_steps");
  if (steps < 0) wrong_attribute(context, "max_steps", "is negative");
  if (steps > kMaxDim) wrong_attribute(context, "max_steps", "exceeds 2^40");
  const std::vector<Type> types(context.inputs.begin(), context.inputs.begin() + carries);
  const Type condition{DType::kBool, {}};
  check_region(context, *context.regions[0], {&condition, 1});
  check_region(context, *context.regions[1], types);
  return types;
}

}  // namespace

const OpDef& op_while() {
  static const OpDef def = [] {
    OpDef made = applied_op("while", "a body repeated while a condition holds of its carried values", false);
    made.min_inputs = 1;
    made.attrs = {{"carries", AttrKind::kInt, true}, {"max_steps", AttrKind::kInt, true}};
    made.infer = infer;
    made.regions = {"condition", "body"};
    return made;
  }();
  return def;
}

}  // namespace cohort
