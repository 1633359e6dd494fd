#include "compiler/merge/skeleton.h"

#include <unordered_map>

namespace cohort::merge {
namespace {

using namespace kernel;

class SkeletonWriter {
 public:
  SkeletonWriter(const Program& program, const std::vector<bool>& fixed, const Lists& lists, Skeleton& result)
      : program_(program), fixed_(fixed), lists_(lists), result_(result) {}

  // The walk meets constants in the order of `rewrite_exprs` (walk.h).
  void list(const std::vector<Stmt>& statements) {
    number(statements.size());
    for (const Stmt& s : statements) statement(s);
  }

 private:
  void number(std::uint64_t value) { append(result_.open, value); }
  static void append(std::string& to, std::uint64_t value) {  // seven bits a byte, the last one below 128
    for (; value >= 128; value >>= 7) to += static_cast<char>(value | 128);
    to += static_cast<char>(value);
  }
  template <typename E>
  void code(E value) {
    number(static_cast<std::uint64_t>(value));
  }
  void variable(VarId var) {
    const auto [found, fresh] = variables_.try_emplace(var, variables_.size());
    number(found->second);
  }
  void dim(const Dim& d) {
    number(static_cast<std::uint64_t>(d.offset));
    number(static_cast<std::uint64_t>(d.scale));
    number(d.symbol);
  }
  void buffer(BufferId id) {
    const Buffer& b = program_.buffers[id];
    if (fixed_[id]) {
      number(0);
      number(id);
      return;
    }
    const auto [found, fresh] = operands_.try_emplace(id, operands_.size());
    number(1 + found->second);
    if (!fresh) return;
    result_.operands.push_back(id);
    code(b.dtype);
    // Outputs are operands like temporaries: merged, they are copied to the caller's arrays.
    code(b.kind == BufferKind::kOutput ? BufferKind::kTemporary : b.kind);
    number(b.shape.size());
    // Arrays of different sizes lie flat, one behind the other, which named dims forbid.
    const bool constant = is_constant(b.shape);
    for (std::size_t axis = lists_.contains(id) ? 1 : 0; axis < b.shape.size(); ++axis) {
      const Dim& d = b.shape[axis];
      if (constant)
        append(result_.exact, static_cast<std::uint64_t>(d.offset));
      else
        dim(d);
    }
  }
  void expr(const ExprRef& e) {
    code(e->kind);
    code(e->dtype);
    switch (e->kind) {
      case ExprKind::kConst:
        result_.constants.push_back(e->bits);
        return;
      case ExprKind::kVar:
      case ExprKind::kFinish:
        return variable(e->id);
      case ExprKind::kDim:
        return dim(e->dim);
      case ExprKind::kLoad:
        buffer(e->id);
        break;
      case ExprKind::kOp:
        code(e->op);
        break;
    }
    for (const ExprRef& arg : e->args) expr(arg);
  }
  void statement(const Stmt& s) {
    code(s.kind);
    code(s.mode);
    code(s.lanes);
    code(s.op);
    code(s.dtype);
    if (s.kind == StmtKind::kStore) buffer(s.buffer);
    if (s.kind == StmtKind::kFor && s.value->kind == ExprKind::kConst && !lists_.loops.contains(s.var))
      append(result_.exact, s.value->bits);
    if (s.value) expr(s.value);
    number(s.index.size());
    for (const ExprRef& e : s.index) expr(e);
    if (s.kind == StmtKind::kFor || s.kind == StmtKind::kLet || s.kind == StmtKind::kVar ||
        s.kind == StmtKind::kAssign || s.kind == StmtKind::kAccumulator || s.kind == StmtKind::kAccumulate)
      variable(s.var);
    number(s.buffers.size());
    for (const BufferId b : s.buffers) buffer(b);
    number(s.outputs);
    number(s.text.size());
    result_.open += s.text;
    list(s.body);
    list(s.else_body);
  }

  const Program& program_;
  const std::vector<bool>& fixed_;
  const Lists& lists_;
  Skeleton& result_;
  std::unordered_map<VarId, std::size_t> variables_;
  std::unordered_map<BufferId, std::size_t> operands_;
};

}  // namespace

Skeleton skeleton_of(const Program& program, const Kernel& kernel, const std::vector<bool>& fixed,
                     const Lists& lists) {
  Skeleton result;
  SkeletonWriter(program, fixed, lists, result).list(kernel.body);
  return result;
}

}  // namespace cohort::merge
