#include "codegen/touched.h"

namespace cohort {

using kernel::BufferId;
using kernel::ExprKind;
using kernel::ExprRef;
using kernel::Stmt;
using kernel::StmtKind;

void Touched::buffer(BufferId id) {
  if (seen_.insert(id).second) buffers.push_back(id);
}

void Touched::dim(const Dim& d) {
  if (!d.is_constant()) dims.insert(d.symbol);
}

void Touched::expr(const ExprRef& e) {
  if (!visited_.insert(e.get()).second) return;
  if (e->kind == ExprKind::kLoad) buffer(e->id);
  if (e->kind == ExprKind::kDim) dim(e->dim);
  if (e->kind == ExprKind::kVar && defined_.insert(e->id).second) variables.push_back(e);
  for (const ExprRef& a : e->args) expr(a);
}

void Touched::stmts(const kernel::Program& program, const std::vector<Stmt>& body) {
  for (const Stmt& s : body) {
    if (s.kind == StmtKind::kStore) written.insert(s.buffer), buffer(s.buffer);
    if (s.kind == StmtKind::kPrint) {
      prints = true;
      buffer(s.buffer);
      for (const Dim& d : program.buffers[s.buffer].shape) dim(d);
    }
    fails = fails || s.kind == StmtKind::kCheck || s.kind == StmtKind::kAssert;
    shares = shares || s.grain;
    for (std::size_t k = 0; k < s.buffers.size(); ++k) {
      if (k < s.outputs) written.insert(s.buffers[k]);
      buffer(s.buffers[k]);
    }
    if (s.value) expr(s.value);
    if (s.grain) expr(s.grain);
    for (const ExprRef& e : s.index) expr(e);
    if (s.kind == StmtKind::kFor || s.kind == StmtKind::kLet || s.kind == StmtKind::kVar)
      defined_.insert(s.var);
    if (s.mode == kernel::LoopMode::kRanges) defined_.insert(s.count);
    for (kernel::VarId axis = 0; axis < 3 && s.mode == kernel::LoopMode::kTiles; ++axis)
      defined_.insert(s.count + axis);
    stmts(program, s.body);
    stmts(program, s.else_body);
  }
}

}  // namespace cohort
