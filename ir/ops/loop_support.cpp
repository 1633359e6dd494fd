#include "ir/ops/loop_support.h"

#include <limits>

namespace cohort {

using namespace kernel;

ExprRef converted(ExprRef value, DType dtype) {
  if (value->dtype == dtype) return value;
  return op(ScalarOp::k_cast, {std::move(value)}, dtype);
}

ExprRef apply(ScalarOp scalar_op, std::vector<ExprRef> operands) {
  const DType same = operands.back()->dtype;
  const bool truth = scalar_op_info(scalar_op).result == Result::kBool;
  return op(scalar_op, std::move(operands), truth ? DType::kBool : same);
}

ExprRef scalar(DType dtype, double value) { return constant(make_scalar(dtype, value)); }

ExprRef element_count_expr(const Shape& shape) {
  ExprRef count = constant_index(1);
  for (const Dim& dim : shape) count = count * extent(dim);
  return count;
}

ExprRef as_index(ExprRef value) {
  if (value->dtype == DType::kU64) {
    const ExprRef greatest = constant(make_scalar_int(DType::kU64, std::numeric_limits<std::int64_t>::max()));
    value = apply(ScalarOp::k_min, {std::move(value), greatest});
  }
  return converted(std::move(value), DType::kI64);
}

std::vector<ExprRef> stride_exprs(const Shape& shape) {
  std::vector<ExprRef> strides(shape.size());
  ExprRef stride = constant_index(1);
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = stride;
    stride = stride * extent(shape[axis]);
  }
  return strides;
}

void append_assert(NodeLowering& lowering, ExprRef condition, std::string message) {
  Stmt stmt;
  stmt.kind = StmtKind::kAssert;
  stmt.value = std::move(condition);
  stmt.text = std::move(message);
  lowering.append(std::move(stmt));
}

}  // namespace cohort
