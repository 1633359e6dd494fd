// outer: result[i, j] = a[i] * b[j] over the flattened operands; of bools `and`.
#include "ir/diagnostics.h"
#include "ir/ops/elements.h"
#include "ir/ops/gradients.h"
#include "ir/ops/list.h"
#include "ir/ops/loop_support.h"

namespace cohort {

using namespace kernel;

namespace {

std::vector<Type> infer(const InferContext& context) {
  const Type &a = context.inputs[0], &b = context.inputs[1];
  if (a.dtype != b.dtype) fail(DiagId::kWrongDType, context.op.name, dtype_name(b.dtype), 1);
  Shape shape;
  for (int i = 0; i < 2; ++i) {
    const Shape& own = context.inputs[static_cast<std::size_t>(i)].shape;
    const std::optional<Dim> count = element_count(own);
    if (!count)
      fail(DiagId::kWrongShape, context.op.name, i, to_string(own, context.dims),
           "would need two named dims in one");
    shape.push_back(*count);
  }
  return {{a.dtype, std::move(shape)}};
}

void evaluate(EvalContext& context) {
  const Tensor &a = context.inputs[0], &b = context.inputs[1];
  const DType dtype = a.dtype();
  const std::int64_t bytes = dtype_bytes(dtype), strides[2] = {0, 1};
  std::byte* out = context.results[0].mutable_data();
  for (std::int64_t i = 0; i < a.size() && b.size() > 0; ++i) {
    const void* const operands[2] = {a.data() + i * bytes, b.data()};
    evaluate_array(ScalarOp::k_mul, dtype, dtype, b.size(), operands, strides, out + i * b.size() * bytes);
  }
}

// The element of input `i` at a flat row-major index.
ExprRef flat_element(ElementContext& context, int i, const ExprRef& index) {
  const Shape& shape = context.input_type(i).shape;
  const std::vector<ExprRef> strides = stride_exprs(shape);
  IndexExprs own;
  ExprRef rest = index;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (axis + 1 == shape.size()) {
      own.push_back(rest);
    } else if (shape[axis].is_constant(1)) {
      own.push_back(constant_index(0));
    } else {
      own.push_back(context.let(apply(ScalarOp::k_floor_div, {rest, strides[axis]})));
      rest = context.let(rest - own.back() * strides[axis]);
    }
  }
  return context.load(i, std::move(own));
}

ExprRef element(ElementContext& context) {
  const ExprRef a = flat_element(context, 0, context.index[0]),
                b = flat_element(context, 1, context.index[1]);
  return apply(a->dtype == DType::kBool ? ScalarOp::k_and : ScalarOp::k_mul, {a, b});
}

void gradient(GradientContext& context) {
  const Shape& a = context.input_type(0).shape;
  const Shape& b = context.input_type(1).shape;
  const Symbol g = context.cotangent();
  const auto flat = [&](int i) {
    return context.reshaped(context.input(i), {*element_count(context.input_type(i).shape)});
  };
  if (context.wants(0)) context.add(0, context.reshaped(context.emit("matmul", {g, flat(1)}), a));
  if (context.wants(1)) context.add(1, context.reshaped(context.emit("matmul", {flat(0), g}), b));
}

}  // namespace

const OpDef& op_outer() {
  static const OpDef def{
      .name = "outer",
      .op_class = OpClass::kGather,
      .min_inputs = 2,
      .max_inputs = 2,
      .meaning = "a[i] * b[j] over the flattened operands",
      .infer = infer,
      .evaluate = evaluate,
      .element = element,
      .casting = Casting::kPromote,
      .gradient = gradient,
  };
  return def;
}

}  // namespace cohort
