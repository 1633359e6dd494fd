#include "codegen/vectorise.h"

#include <algorithm>
#include <unordered_set>

namespace cohort {

using kernel::Expr;
using kernel::ExprKind;
using kernel::ExprRef;
using kernel::LoopMode;
using kernel::Stmt;
using kernel::StmtKind;
using kernel::VarId;

namespace {

// What varies between lanes, followed through the statements of one loop.
struct Lanes {
  VarId lane;
  std::unordered_set<VarId> varying;  // lets and mutable locals that differ between lanes
  std::unordered_set<VarId> inside;   // declared in the loop

  explicit Lanes(VarId variable) : lane(variable), varying{variable} {}

  bool varies(const ExprRef& e) const {
    if (!e) return false;
    if (e->kind == ExprKind::kVar || e->kind == ExprKind::kFinish) return varying.contains(e->id);
    return std::any_of(e->args.begin(), e->args.end(), [&](const ExprRef& a) { return varies(a); });
  }
  bool all_fit(const std::vector<Stmt>& body) {
    return std::all_of(body.begin(), body.end(), [&](const Stmt& s) { return fits(s); });
  }
  bool fits(const Stmt& s);
};

bool Lanes::fits(const Stmt& s) {
  switch (s.kind) {
    case StmtKind::kFor:
      return !varies(s.value) && all_fit(s.body);
    case StmtKind::kIf:
      return !varies(s.value) && all_fit(s.body) && all_fit(s.else_body);
    case StmtKind::kStore:
      return s.index.empty() || varies(s.index[0]);
    case StmtKind::kLet:
      inside.insert(s.var);
      if (varies(s.value)) varying.insert(s.var);
      return true;
    case StmtKind::kVar:
    case StmtKind::kAccumulator:
      inside.insert(s.var);
      varying.insert(s.var);
      return s.dtype != DType::kBool;
    case StmtKind::kAssign:
      return inside.contains(s.var);
    case StmtKind::kAccumulate:
      if (inside.contains(s.var)) return s.index.empty() || !varies(s.index[0]);
      return !s.index.empty() && s.index[0]->kind == ExprKind::kVar && s.index[0]->id == lane;
    case StmtKind::kCheck:
    case StmtKind::kAssert:
    case StmtKind::kPrint:
    case StmtKind::kCall:
    case StmtKind::kBarrier:
    case StmtKind::kTransfer:
      return false;
  }
  return false;
}

bool is_affine(const ExprRef& e, const Lanes& lanes) {
  if (!lanes.varies(e)) return true;
  if (e->kind == ExprKind::kVar) return e->id == lanes.lane;
  if (e->kind != ExprKind::kOp || e->args.size() != 2) return false;
  if (e->op == ScalarOp::k_mul && lanes.varies(e->args[0]) && lanes.varies(e->args[1])) return false;
  const bool linear = e->op == ScalarOp::k_add || e->op == ScalarOp::k_sub || e->op == ScalarOp::k_mul;
  return linear && is_affine(e->args[0], lanes) && is_affine(e->args[1], lanes);
}

// Bytes a value of the dtype takes in a vector; halves are held as floats.
std::int64_t lane_bytes(DType dtype) {
  return dtype == DType::kF16 || dtype == DType::kBF16 ? 4 : dtype_bytes(dtype);
}

struct Widest {
  Lanes& lanes;
  DType widest = DType::kBool;

  void meet(DType dtype) {
    if (lane_bytes(dtype) > lane_bytes(widest) ||
        (lane_bytes(dtype) == lane_bytes(widest) && is_float(dtype)))
      widest = dtype;
  }
  void expr(const ExprRef& e) {
    if (!lanes.varies(e)) return;
    meet(e->dtype);
    if (e->kind == ExprKind::kLoad) {
      if (!e->args.empty() && !is_affine(e->args[0], lanes)) expr(e->args[0]);
      return;
    }
    for (const ExprRef& a : e->args) expr(a);
  }
  void stmts(const std::vector<Stmt>& body, const kernel::Program& program) {
    for (const Stmt& s : body) {
      if (s.kind == StmtKind::kStore) {
        meet(program.buffers[s.buffer].dtype);
        if (!s.index.empty() && !is_affine(s.index[0], lanes)) expr(s.index[0]);
      }
      if (s.kind == StmtKind::kAccumulate || s.kind == StmtKind::kAccumulator) meet(s.dtype);
      if (s.value && s.kind != StmtKind::kFor) expr(s.value);
      stmts(s.body, program);
      stmts(s.else_body, program);
    }
  }
};

}  // namespace

bool is_vectorisable(const Stmt& loop) {
  Lanes lanes(loop.var);
  return lanes.all_fit(loop.body);
}

DType widest_dtype(const Stmt& loop, const kernel::Program& program) {
  Lanes lanes(loop.var);
  lanes.all_fit(loop.body);  // fills in what varies
  Widest widest{lanes};
  widest.stmts(loop.body, program);
  return widest.widest;
}

}  // namespace cohort
