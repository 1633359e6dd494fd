// searchsorted: where in a sorted vector each element of v would stand; NaN sorts last. side `left` gives the
// first such place, `right` the last.
#include <algorithm>

#include "ir/diagnostics.h"
#include "ir/ops/elements.h"
#include "ir/ops/list.h"
#include "ir/ops/loop_support.h"

namespace cohort {

using namespace kernel;

namespace {

bool is_right(const Attrs& attrs) { return attr_or<std::string>(attrs, "side", "left") == "right"; }

std::vector<Type> infer(const InferContext& context) {
  const Type &sorted = context.inputs[0], &v = context.inputs[1];
  if (sorted.rank() != 1)
    fail(DiagId::kWrongShape, context.op.name, 0, to_string(sorted.shape, context.dims), "is no vector");
  if (sorted.dtype != v.dtype) fail(DiagId::kWrongDType, context.op.name, dtype_name(v.dtype), 1);
  const auto side = attr_or<std::string>(context.attrs, "side", "left");
  if (side != "left" && side != "right")
    fail(DiagId::kWrongAttribute, context.op.name, "side", "is neither `left` nor `right`");
  return {{DType::kI64, v.shape}};
}

void evaluate(EvalContext& context) {
  const Tensor sorted = widened(context.inputs[0]), v = widened(context.inputs[1]);
  const bool right = is_right(context.attrs);
  auto* out = context.results[0].mutable_as<std::int64_t>();
  visit_wide(sorted, [&](const auto* elements) {
    using T = std::remove_cvref_t<decltype(*elements)>;
    const T *end = elements + sorted.size(), *wanted = v.as<T>();
    for (std::int64_t i = 0; i < v.size(); ++i) {
      const T* place = right ? std::upper_bound(elements, end, wanted[i], sorts_before<T>)
                             : std::lower_bound(elements, end, wanted[i], sorts_before<T>);
      out[i] = place - elements;
    }
  });
}

ExprRef before(const ExprRef& a, const ExprRef& b) {
  const ExprRef less = apply(ScalarOp::k_lt, {a, b});
  if (!is_float(a->dtype)) return less;
  const ExprRef a_number = apply(ScalarOp::k_eq, {a, a}), b_nan = apply(ScalarOp::k_ne, {b, b});
  return apply(ScalarOp::k_or, {less, apply(ScalarOp::k_and, {a_number, b_nan})});
}

// Halvings after which the interval of places 0..n is one place; enough for any i64 if n is known at run time
// only.
std::int64_t halvings(const Dim& n) {
  if (!n.is_constant()) return 63;
  std::int64_t steps = 0;
  while (steps < 63 && (std::int64_t{1} << steps) < n.offset + 1) ++steps;
  return steps;
}

ExprRef element(ElementContext& context) {
  const Type& sorted = context.input_type(0);
  const Dim& n = sorted.shape[0];
  // Bools are compared as numbers.
  const DType computed = sorted.dtype == DType::kBool ? DType::kU8 : arithmetic_dtype(sorted.dtype);
  const ExprRef wanted = context.let(converted(context.load(1, context.index), computed));
  const ExprRef low = context.declare(constant_index(0)), high = context.declare(extent(n));
  context.for_each(Dim(halvings(n)), [&](const ExprRef&) {
    context.if_then(apply(ScalarOp::k_lt, {low, high}), [&] {
      const ExprRef middle = context.let(apply(ScalarOp::k_shift_right, {low + high, constant_index(1)}));
      const ExprRef found = context.let(converted(context.load(0, {middle}), computed));
      const ExprRef beyond =
          is_right(context.attrs()) ? apply(ScalarOp::k_not, {before(wanted, found)}) : before(found, wanted);
      context.if_then(
          beyond, [&] { context.assign(low, middle + constant_index(1)); },
          [&] { context.assign(high, middle); });
    });
  });
  return low;
}

}  // namespace

const OpDef& op_searchsorted() {
  static const OpDef def{
      .name = "searchsorted",
      .op_class = OpClass::kGather,
      .min_inputs = 2,
      .max_inputs = 2,
      .attrs = {{"side", AttrKind::kString, false, std::string("left")}},
      .meaning = "places of v in a sorted vector; NaN last",
      .infer = infer,
      .evaluate = evaluate,
      .element = element,
      .casting = Casting::kPromote,
      .gradient = no_gradient,
  };
  return def;
}

}  // namespace cohort
