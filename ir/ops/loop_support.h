// Short spellings for the loops of structured operators.
#pragma once

#include "ir/lowering.h"

namespace cohort {

// One i64 expr per axis.
using IndexExprs = std::vector<kernel::ExprRef>;

// `value` in another dtype; nothing is added where it has it already.
kernel::ExprRef converted(kernel::ExprRef value, DType dtype);
// One operand or two, result of the dtype that the row says: bool for comparisons, else that of the last
// operand.
kernel::ExprRef apply(ScalarOp op, std::vector<kernel::ExprRef> operands);
kernel::ExprRef scalar(DType dtype, double value);
// The product of the extents as an i64 expr.
kernel::ExprRef element_count_expr(const Shape& shape);
// An integer element as an i64 index; u64 values beyond the range of i64 become its greatest value.
kernel::ExprRef as_index(kernel::ExprRef value);
// The strides of a contiguous row-major array, as i64 exprs.
std::vector<kernel::ExprRef> stride_exprs(const Shape& shape);

// A statement that ends the call with `message` unless `condition`.
void append_assert(NodeLowering& lowering, kernel::ExprRef condition, std::string message);

}  // namespace cohort
