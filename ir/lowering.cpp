#include "ir/lowering.h"

#include "ir/diagnostics.h"
#include "ir/op_def.h"

namespace cohort {

using namespace kernel;

std::vector<Stmt> LoweringScope::collect(const std::function<void()>& body) {
  std::vector<Stmt> fresh;
  std::vector<Stmt>* const outer = statements;
  statements = &fresh;
  regions.push_back(next_region++);
  body();
  regions.pop_back();
  statements = outer;
  return fresh;
}

ExprRef NodeLowering::load(int i, std::vector<ExprRef> index) {
  require(static_cast<int>(index.size()) == input_type(i).rank(), "an index has one expression per axis");
  return scope_.element(node_.inputs[static_cast<std::size_t>(i)], std::move(index));
}

ExprRef NodeLowering::load_broadcast(int i, std::span<const ExprRef> index) {
  const Shape& shape = input_type(i).shape;
  const std::size_t skip = index.size() - shape.size();
  std::vector<ExprRef> own;
  own.reserve(shape.size());
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    own.push_back(shape[axis].is_constant(1) ? constant_index(0) : index[skip + axis]);
  return load(i, std::move(own));
}

ExprRef NodeLowering::let(ExprRef value) {
  if (value->kind == ExprKind::kConst || value->kind == ExprKind::kVar || value->kind == ExprKind::kDim)
    return value;
  Stmt stmt;
  stmt.kind = StmtKind::kLet;
  stmt.var = scope_.new_var();
  stmt.dtype = value->dtype;
  stmt.value = std::move(value);
  ExprRef result = variable(stmt.var, stmt.dtype);
  scope_.append(std::move(stmt));
  return result;
}

namespace {
Stmt index_check(std::string_view op_name, const ExprRef& index, const ExprRef& least, const ExprRef& size) {
  Stmt check;
  check.kind = StmtKind::kCheck;
  check.value =
      op(ScalarOp::k_and,
         {op(ScalarOp::k_lt, {index, size}, DType::kBool), op(ScalarOp::k_ge, {index, least}, DType::kBool)},
         DType::kBool);
  check.index = {index, size};
  check.text = std::string(op_name);
  return check;
}
}  // namespace

ExprRef NodeLowering::checked_index(ExprRef index, const Dim& size) {
  const bool is_known = scope_.in_range && scope_.in_range(index, size);
  if (index->dtype != DType::kI64) index = op(ScalarOp::k_cast, {index}, DType::kI64);
  index = let(std::move(index));
  if (is_known) return index;
  const ExprRef end = extent(size);
  scope_.append(index_check(node_.op->name, index, constant_index(0) - end, end));
  const ExprRef negative = op(ScalarOp::k_lt, {index, constant_index(0)}, DType::kBool);
  return let(op(ScalarOp::k_where, {negative, index + end, index}, DType::kI64));
}

void NodeLowering::check_index(const ExprRef& index, const Dim& size) {
  scope_.append(index_check(node_.op->name, index, constant_index(0), extent(size)));
}

void NodeLowering::for_each(const Dim& dim, const std::function<void(ExprRef)>& body) {
  if (dim.is_constant(1)) return body(constant_index(0));
  Stmt loop;
  loop.kind = StmtKind::kFor;
  loop.var = scope_.new_var();
  loop.value = extent(dim);
  const ExprRef v = variable(loop.var, DType::kI64);
  loop.body = scope_.collect([&] { body(v); });
  scope_.append(std::move(loop));
}

namespace {
void nest(NodeLowering& lowering, const Shape& shape, std::vector<ExprRef>& index,
          const std::function<void(std::vector<ExprRef>)>& body) {
  if (index.size() == shape.size()) return body(index);
  lowering.for_each(shape[index.size()], [&](ExprRef v) {
    index.push_back(std::move(v));
    nest(lowering, shape, index, body);
    index.pop_back();
  });
}
}  // namespace

void NodeLowering::for_each(const Shape& shape, const std::function<void(std::vector<ExprRef>)>& body) {
  std::vector<ExprRef> index;
  nest(*this, shape, index, body);
}

void NodeLowering::if_then(ExprRef condition, const std::function<void()>& body,
                           const std::function<void()>& otherwise) {
  Stmt stmt;
  stmt.kind = StmtKind::kIf;
  stmt.value = std::move(condition);
  stmt.body = scope_.collect(body);
  if (otherwise) stmt.else_body = scope_.collect(otherwise);
  scope_.append(std::move(stmt));
}

ExprRef NodeLowering::declare(ExprRef initial) {
  Stmt stmt;
  stmt.kind = StmtKind::kVar;
  stmt.var = scope_.new_var();
  stmt.dtype = initial->dtype;
  stmt.value = std::move(initial);
  ExprRef result = variable(stmt.var, stmt.dtype);
  scope_.mutable_vars.insert(stmt.var);
  scope_.append(std::move(stmt));
  return result;
}

void NodeLowering::assign(const ExprRef& variable, ExprRef value) {
  Stmt stmt;
  stmt.kind = StmtKind::kAssign;
  stmt.var = variable->id;
  stmt.dtype = variable->dtype;
  stmt.value = std::move(value);
  scope_.append(std::move(stmt));
}

ExprRef NodeLowering::accumulator(ScalarOp op, DType dtype, bool lanes) {
  Stmt stmt;
  stmt.kind = StmtKind::kAccumulator;
  stmt.var = scope_.new_var();
  stmt.dtype = dtype;
  stmt.op = op;
  stmt.lanes = lanes;
  ExprRef result = kernel::finish(stmt.var, dtype);
  scope_.append(std::move(stmt));
  accumulator_ops_[result->id] = op;
  return result;
}

void NodeLowering::accumulate(const ExprRef& accumulator, ExprRef value, ExprRef lane) {
  Stmt stmt;
  stmt.kind = StmtKind::kAccumulate;
  stmt.var = accumulator->id;
  stmt.dtype = accumulator->dtype;
  stmt.op = accumulator_ops_.at(accumulator->id);
  stmt.value = std::move(value);
  if (lane) stmt.index = {std::move(lane)};
  scope_.append(std::move(stmt));
}

ExprRef NodeLowering::finish(const ExprRef& accumulator) { return let(accumulator); }

void LoopContext::store(int result, std::vector<ExprRef> index, ExprRef element) {
  scope_.store(node_.first_result + static_cast<ValueId>(result), std::move(index), std::move(element));
}

ExprRef LoopContext::load_result(int result, std::vector<ExprRef> index) {
  return kernel::load(result_buffer(result), result_type(result).dtype, std::move(index));
}

BufferId LoopContext::input_buffer(int i) { return scope_.buffer(node_.inputs[static_cast<std::size_t>(i)]); }
BufferId LoopContext::input_elements(int i) {
  return scope_.elements(node_.inputs[static_cast<std::size_t>(i)]);
}
BufferId LoopContext::result_buffer(int i) {
  return scope_.buffer(node_.first_result + static_cast<ValueId>(i));
}

void LoopContext::call(std::string name, std::vector<BufferId> outputs, std::vector<BufferId> inputs,
                       std::vector<ExprRef> scalars) {
  Stmt stmt;
  stmt.kind = StmtKind::kCall;
  stmt.text = std::move(name);
  stmt.outputs = static_cast<std::uint32_t>(outputs.size());
  stmt.buffers = std::move(outputs);
  stmt.buffers.insert(stmt.buffers.end(), inputs.begin(), inputs.end());
  stmt.index = std::move(scalars);
  scope_.append(std::move(stmt));
}

}  // namespace cohort
