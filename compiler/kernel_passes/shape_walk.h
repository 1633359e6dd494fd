// The one walk that turns statements into bytes which are equal for kernels of one shape. What makes a shape
// is the caller's: it writes buffers, constants and extents of loops as it likes, or leaves them out.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "ir/custom_function.h"
#include "ir/kernel.h"

namespace cohort::kernel {

// Seven bits a byte, the last one below 128: no number is the beginning of another.
inline void append_number(std::string& to, std::uint64_t value) {
  for (; value >= 128; value >>= 7) to += static_cast<char>(value | 128);
  to += static_cast<char>(value);
}

// Writer has `void buffer(BufferId)`, `void constant(const Expr&)` and `void extent(const Stmt& loop)`, which
// are called where these stand, and write to `bytes` or elsewhere. Variables count in order of appearance,
// constants come in the order of `rewrite_exprs` (walk.h).
template <typename Writer>
class ShapeWalk {
 public:
  ShapeWalk(Writer& writer, std::string& bytes) : writer_(writer), bytes_(bytes) {}

  void list(const std::vector<Stmt>& statements) {
    number(statements.size());
    for (const Stmt& s : statements) statement(s);
  }
  void number(std::uint64_t value) { append_number(bytes_, value); }
  template <typename E>
  void code(E value) {
    number(static_cast<std::uint64_t>(value));
  }
  void dim(const Dim& d) {
    code(d.offset);
    code(d.scale);
    number(d.symbol);
  }

 private:
  void text(const std::string& characters) {
    number(characters.size());
    bytes_ += characters;
  }
  void variable(VarId var) { number(variables_.try_emplace(var, variables_.size()).first->second); }
  void expr(const ExprRef& e) {
    code(e->kind);
    code(e->dtype);
    switch (e->kind) {
      case ExprKind::kConst:
        return writer_.constant(*e);
      case ExprKind::kVar:
      case ExprKind::kFinish:
        return variable(e->id);
      case ExprKind::kDim:
        return dim(e->dim);
      case ExprKind::kLoad:
        writer_.buffer(e->id);
        break;
      case ExprKind::kOp:
        code(e->op);
        break;
      case ExprKind::kCustom:
        text(custom_key(*e->custom));
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
    if (s.kind == StmtKind::kStore) writer_.buffer(s.buffer);
    if (s.kind == StmtKind::kFor) writer_.extent(s);
    if (s.value) expr(s.value);
    number(s.grain != nullptr);
    if (s.grain) expr(s.grain);
    number(s.index.size());
    for (const ExprRef& e : s.index) expr(e);
    if (s.kind == StmtKind::kFor || s.kind == StmtKind::kLet || s.kind == StmtKind::kVar ||
        s.kind == StmtKind::kAssign || s.kind == StmtKind::kAccumulator || s.kind == StmtKind::kAccumulate)
      variable(s.var);
    if (s.mode == LoopMode::kRanges) variable(s.count);
    for (VarId axis = 0; axis < 3 && s.mode == LoopMode::kTiles; ++axis) variable(s.count + axis);
    number(s.buffers.size());
    for (const BufferId b : s.buffers) writer_.buffer(b);
    number(s.outputs);
    text(s.text);
    list(s.body);
    list(s.else_body);
  }

  Writer& writer_;
  std::string& bytes_;
  std::unordered_map<VarId, std::size_t> variables_;
};

}  // namespace cohort::kernel
