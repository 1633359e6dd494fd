#include "ir/literal.h"

#include <algorithm>

namespace cohort {
namespace {

// Literals among operands that meet all take one dtype.
void settle_group(std::span<OperandDType> operands, bool to_float) {
  bool has_values = false, has_literals = false;
  DType values = DType::kBool, literals = DType::kBool;
  for (const OperandDType& operand : operands) {
    bool& seen = operand.is_literal ? has_literals : has_values;
    DType& common = operand.is_literal ? literals : values;
    common = seen ? promote(common, operand.dtype) : operand.dtype;
    seen = true;
  }
  if (!has_literals) return;
  DType settled = has_values ? settle_literal(literals, values) : literals;
  if (to_float && !is_float(settled)) settled = DType::kF64;
  for (OperandDType& operand : operands) {
    if (operand.is_literal) operand.dtype = settled;
  }
}

}  // namespace

bool is_unnamed_scalar(const Constant& constant) {
  return constant.name.empty() && constant.data.rank() == 0;
}

DType natural_dtype(std::string_view literal) {
  if (literal == "true" || literal == "false") return DType::kBool;
  if (!is_integer_text(literal)) return DType::kF64;
  Scalar value;
  return parse_number(literal, DType::kI64, value) == NumberFault::kNone ? DType::kI64 : DType::kU64;
}

DType settle_literal(DType natural, DType other) {
  if (is_float(natural)) return is_float(other) ? other : DType::kF64;
  if (is_integer(natural)) return other == DType::kBool ? natural : other;
  return other;
}

void settle_literals(const OpDef& op, const Attrs& attrs, std::span<OperandDType> operands) {
  if (op.literal_dtypes) {
    const std::vector<DType> dtypes = op.literal_dtypes(attrs);
    for (std::size_t i = 0; i < std::min(dtypes.size(), operands.size()); ++i)
      if (operands[i].is_literal) operands[i].dtype = dtypes[i];
    return;
  }
  if (op.scalar != ScalarOp::kNone) {
    const Operands row = scalar_op_info(op.scalar).operands;
    settle_group(operands.subspan(row == Operands::kSelect && !operands.empty() ? 1 : 0),
                 row == Operands::kFloat);
  } else if (op.expand || op.casting == Casting::kPromote || op.casting == Casting::kFloat) {
    settle_group(operands, op.casting == Casting::kFloat);
  } else if (op.casting == Casting::kFollowFirst && operands.size() > 1 && operands[1].is_literal) {
    operands[1].dtype = settle_literal(operands[1].dtype, operands[0].dtype);
  }
}

NumberFault parse_literal(std::string_view text, DType dtype, Scalar& result) {
  if (dtype != DType::kBool && natural_dtype(text) == DType::kBool) {
    result = make_scalar_int(dtype, text == "true" ? 1 : 0);
    return NumberFault::kNone;
  }
  return parse_number(text, dtype, result);
}

}  // namespace cohort
