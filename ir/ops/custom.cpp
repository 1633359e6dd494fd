// custom(x, ...) {source, function, derivative?}: a scalar function of the user's, element by element with
// broadcasting. `resolved` is the function itself, which the readers of graphs put there (custom_function.h):
// it has no text of its own and is read anew with the graph.
#include <algorithm>

#include "ir/custom_function.h"
#include "ir/number_text.h"
#include "ir/ops/gradients.h"
#include "ir/ops/list.h"
#include "ir/ops/support.h"

namespace cohort {

namespace {

const CustomFunction& resolved(const Attrs& attrs) {
  const Attr* found = find_attr(attrs, "resolved");
  if (found == nullptr || !std::get<CustomRef>(*found)) fail(DiagId::kCustomUnread);
  return *std::get<CustomRef>(*found);
}

bool is_half(DType dtype) { return dtype == DType::kF16 || dtype == DType::kBF16; }

// Halves are held in f32 everywhere, so a `float` takes them.
bool takes(DType parameter, DType given) {
  return parameter == given || (parameter == DType::kF32 && is_half(given));
}

// The function's own; a half, if all its floats are given that half.
DType result_dtype(const CustomDefinition& definition, std::span<const Type> inputs) {
  std::optional<DType> half;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (definition.parameters[i].dtype != DType::kF32) continue;
    if (!is_half(inputs[i].dtype) || (half && *half != inputs[i].dtype)) return definition.dtype;
    half = inputs[i].dtype;
  }
  return half && definition.dtype == DType::kF32 ? *half : definition.dtype;
}

std::string place(const CustomDefinition& definition) { return to_string(definition.location); }

std::vector<Type> infer(const InferContext& context) {
  const CustomDefinition& definition = resolved(context.attrs).definition();
  const std::size_t expected = definition.parameters.size();
  if (expected != context.inputs.size())
    fail(DiagId::kCustomArity, definition.name, expected, context.inputs.size(), place(definition));
  Shape shape;
  for (std::size_t i = 0; i < expected; ++i) {
    const CustomParameter& parameter = definition.parameters[i];
    const Type& input = context.inputs[i];
    if (!takes(parameter.dtype, input.dtype))
      fail(DiagId::kCustomDType, definition.name, parameter.name, dtype_name(parameter.dtype), i,
           dtype_name(input.dtype), place(definition));
    std::optional<Shape> both = broadcast(shape, input.shape);
    if (!both)
      fail(DiagId::kShapeMismatch, definition.name, to_string(shape, context.dims),
           to_string(input.shape, context.dims));
    shape = *std::move(both);
  }
  return {{result_dtype(definition, context.inputs), std::move(shape)}};
}

std::vector<DType> literal_dtypes(const Attrs& attrs) {
  std::vector<DType> dtypes;
  if (find_attr(attrs, "resolved") == nullptr) return dtypes;  // which was told
  for (const CustomParameter& p : resolved(attrs).definition().parameters) dtypes.push_back(p.dtype);
  return dtypes;
}

void evaluate(EvalContext& context) {
  const CustomFunction& function = resolved(context.attrs);
  Tensor& result = context.results[0];
  std::vector<Tensor> inputs;
  for (const Tensor& input : context.inputs) {
    inputs.emplace_back(input.dtype(), result.extents());
    ops::copy_elements(input, ops::broadcast_layout(input.extents(), result.extents()), inputs.back(),
                       ops::layout_of(result.extents()));
  }
  std::vector<Scalar> arguments(inputs.size());
  for (std::int64_t e = 0; e < result.size(); ++e) {
    for (std::size_t i = 0; i < inputs.size(); ++i) arguments[i] = tensor_element(inputs[i], e);
    set_tensor_element(result, e, evaluate_custom(function, arguments, result.dtype()));
  }
}

kernel::ExprRef element(ElementContext& context) {
  std::vector<kernel::ExprRef> operands;
  for (int i = 0; i < context.input_count(); ++i)
    operands.push_back(context.load_broadcast(i, context.index));
  return kernel::custom(resolved(context.attrs()), std::move(operands), context.result_type().dtype);
}

void gradient(GradientContext& context) {
  const CustomFunction& function = resolved(context.attrs());
  const CustomDefinition& definition = function.definition();
  const Symbol g = context.cotangent();
  for (int i = 0; i < context.input_count(); ++i) {
    if (!context.wants(i)) continue;
    const auto at = static_cast<std::size_t>(i);
    const Strings entries = attr_or(context.attrs(), "derivative", Strings{});
    CustomDerivative named = at < entries.size() ? parse_derivative(entries[at]) : CustomDerivative{};
    if (named.is_zero()) continue;
    const CustomRef& slope = at < function.derivatives.size() ? function.derivatives[at] : nullptr;
    if (!slope)
      fail(DiagId::kCustomDerivative, definition.name, definition.parameters[at].name, place(definition));
    std::vector<Symbol> inputs;
    for (int k = 0; k < context.input_count(); ++k) inputs.push_back(context.input(k));
    Attrs attrs{{"function", std::move(named.function)},
                {"resolved", slope},
                {"source", attr<std::string>(context.attrs(), "source")}};
    if (!named.derivative.empty()) set_attr(attrs, "derivative", std::move(named.derivative));
    const Symbol derivative = context.emit("custom", inputs, std::move(attrs));
    const DType dtype = context.input_type(i).dtype;
    using namespace symbols;
    context.add(i, ops::cast(g, dtype) * ops::cast(derivative, dtype));
  }
}

}  // namespace

const OpDef& op_custom() {
  static const OpDef def{
      .name = "custom",
      .op_class = OpClass::kElementwise,
      .min_inputs = 1,
      .max_inputs = kAnyNumber,
      .attrs = {{"derivative", AttrKind::kStrings, false, Strings{}},
                {"function", AttrKind::kString, true},
                {"resolved", AttrKind::kCustom, true},
                {"source", AttrKind::kString, true}},
      .meaning = "a C++ function of the user's, element by element",
      .infer = infer,
      .evaluate = evaluate,
      .element = element,
      .gradient = gradient,
      .ulp = 4,
      .flops = [](const InferContext&, std::int64_t results) { return 10 * results; },
      .attrs_in_node = true,
      .literal_dtypes = literal_dtypes,
  };
  return def;
}

}  // namespace cohort
