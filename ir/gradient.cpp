#include "ir/gradient.h"

#include <algorithm>

#include "ir/diagnostics.h"

namespace cohort {

Symbol GradientContext::cotangent(int i) {
  const ValueId value = cotangents_[static_cast<std::size_t>(i)];
  return value == kNoId ? zeros(result_type(i)) : Symbol{&to_, value};
}

void GradientContext::add(int i, const Symbol& contribution) {
  if (wants(i)) contributions_[static_cast<std::size_t>(i)].push_back(contribution);
}

void GradientContext::add_part(int i, const CotangentPart& part) {
  if (wants(i)) parts_[static_cast<std::size_t>(i)].push_back(part);
}

Symbol GradientContext::emit(std::string_view op, std::initializer_list<Symbol> inputs, Attrs attrs) {
  return emit(op, std::span(inputs.begin(), inputs.size()), std::move(attrs));
}

Symbol GradientContext::emit(std::string_view op, std::span<const Symbol> inputs, Attrs attrs) {
  std::vector<ValueId> values;
  for (const Symbol& input : inputs) values.push_back(input.value);
  return {&to_, to_.make(op, values, std::move(attrs), {}, node_.loc)};
}

Symbol GradientContext::zeros(const Type& type) { return {&to_, to_.zeros(type)}; }

Symbol GradientContext::reshaped(const Symbol& x, const Shape& shape) {
  return x.type().shape == shape ? x : emit("reshape", {x}, {{"shape", shape}});
}

Symbol GradientContext::broadcasted(const Symbol& x, const Shape& shape) {
  return x.type().shape == shape ? x : emit("broadcast", {x}, {{"shape", shape}});
}

Symbol GradientContext::summed_to(const Symbol& x, const Shape& shape) {
  const Shape& own = x.type().shape;
  if (own == shape) return x;
  const std::size_t skip = own.size() - shape.size();
  IntList axes;
  for (std::size_t a = 0; a < own.size(); ++a)
    if (a < skip || !(own[a] == shape[a - skip])) axes.push_back(static_cast<std::int64_t>(a));
  Symbol sum = emit("reduce_sum", {x}, {{"axes", axes}, {"dtype", x.type().dtype}});
  return reshaped(sum, shape);
}

Symbol GradientContext::with_axes(const Symbol& x, const Shape& unreduced, std::span<const int> axes) {
  Shape shape = unreduced;
  for (const int axis : axes) shape[static_cast<std::size_t>(axis)] = Dim(1);
  return reshaped(x, shape);
}

void GradientContext::undefined(int input) { fail(DiagId::kNoGradient, node_.op->name, input); }

namespace {

// By ScalarOp: what each operand receives.
std::vector<Symbol> formulas(ScalarOp op, [[maybe_unused]] const Symbol& a, [[maybe_unused]] const Symbol& b,
                             [[maybe_unused]] const Symbol& c, [[maybe_unused]] const Symbol& r,
                             [[maybe_unused]] const Symbol& g) {
  using namespace symbols;
  switch (op) {
    case ScalarOp::kNone:
      break;
#define OP(name, arity, operands, result, traits, ulp, meaning, eval, ...) \
  case ScalarOp::k_##name:                                                 \
    return {__VA_ARGS__};
#include "ir/ops.def"
  }
  internal_error("the gradient of no operator");
}

}  // namespace

void scalar_gradient(GradientContext& context) {
  const int count = context.input_count();
  const auto operand = [&](int i) { return i < count ? context.input(i) : Symbol{}; };
  const std::vector<Symbol> received = formulas(context.node().op->scalar, operand(0), operand(1), operand(2),
                                                context.result(), context.cotangent());
  require(static_cast<int>(received.size()) == count, "a row has one gradient for each operand");
  for (int i = 0; i < count; ++i) {
    const Symbol& symbol = received[static_cast<std::size_t>(i)];
    if (symbol.kind == Symbol::Kind::kUndefined && context.wants(i)) context.undefined(i);
    if (symbol.kind == Symbol::Kind::kValue) context.add(i, symbol);
  }
}

}  // namespace cohort
