#include "compiler/kernel_passes/statements.h"

namespace cohort::kernel {

Stmt let(VarId var, ExprRef value) {
  Stmt s;
  s.kind = StmtKind::kLet;
  s.dtype = value->dtype;
  s.var = var;
  s.value = std::move(value);
  return s;
}

Stmt for_loop(Program& program, ExprRef extent, LoopMode mode) {
  Stmt s;
  s.kind = StmtKind::kFor;
  s.mode = mode;
  s.var = program.next_var++;
  s.value = std::move(extent);
  return s;
}

ExprRef add_let(Program& program, std::vector<Stmt>& body, ExprRef value) {
  if (value->kind == ExprKind::kConst || value->kind == ExprKind::kVar) return value;
  body.push_back(let(program.next_var++, std::move(value)));
  return variable(body.back().var, body.back().dtype);
}

}  // namespace cohort::kernel
