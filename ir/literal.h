// Literal operands: which dtype a number in a file takes among the operands it meets (NumPy's weak scalars;
// the rule stands in the README). Both file formats ask here.
#pragma once

#include <span>
#include <string_view>

#include "ir/number_text.h"
#include "ir/op_def.h"

namespace cohort {

// An operand as the rule sees it: the dtype of a value, or of a literal the one it has beside nothing.
struct OperandDType {
  DType dtype = DType::kF64;
  bool is_literal = false;
};

// Constants without a name and of rank 0: files have them as numbers where they are used.
bool is_unnamed_scalar(const Constant& constant);

// bool for "true" and "false", i64 (u64 beyond its range) for integers, f64 for everything else.
DType natural_dtype(std::string_view literal);

// Replaces the dtypes of the literals by those they take as operands of `op`.
void settle_literals(const OpDef& op, const Attrs& attrs, std::span<OperandDType> operands);
// The same beside one value, such as the state variable that a literal updates.
DType settle_literal(DType natural, DType other);

// The value of a literal in its settled dtype.
NumberFault parse_literal(std::string_view text, DType dtype, Scalar& result);

}  // namespace cohort
