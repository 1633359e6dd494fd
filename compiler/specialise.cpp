#include "compiler/specialise.h"

#include <algorithm>

namespace cohort {
namespace {

using namespace kernel;

Dim fixed(const Dim& dim, std::span<const FixedDim> dims) {
  for (const FixedDim& f : dims)
    if (!dim.is_constant() && dim.symbol == f.dim) return Dim(dim.scale * f.value + dim.offset);
  return dim;
}

// Puts values in place of dims where something is found or counted: extents, positions, conditions on them.
// What is computed with keeps its dims: a function of a constant would be folded by the compiler, whose last
// bit may be another than the runtime's.
class Fixing {
 public:
  explicit Fixing(std::span<const FixedDim> dims) : dims_(dims) {}

  void stmts(std::vector<Stmt>& list) const {
    for (Stmt& s : list) {
      const bool places = s.kind == StmtKind::kFor || s.kind == StmtKind::kIf || s.kind == StmtKind::kCheck;
      if (s.value) s.value = places ? place(s.value) : value(s.value);
      for (ExprRef& e : s.index) e = place(e);
      stmts(s.body);
      stmts(s.else_body);
    }
  }

 private:
  ExprRef place(const ExprRef& e) const {
    if (e->kind == ExprKind::kDim) return extent(fixed(e->dim, dims_));
    if (e->kind == ExprKind::kOp) {
      const bool floats = is_float(e->dtype) || std::any_of(e->args.begin(), e->args.end(),
                                                            [](const auto& a) { return is_float(a->dtype); });
      return floats ? value(e) : op(e->op, all(e->args, &Fixing::place), e->dtype);
    }
    return value(e);
  }
  ExprRef value(const ExprRef& e) const {
    if (e->kind == ExprKind::kLoad) return load(e->id, e->dtype, all(e->args, &Fixing::place));
    if (e->kind != ExprKind::kOp && e->kind != ExprKind::kCustom) return e;
    return with_args(*e, all(e->args, &Fixing::value));
  }
  std::vector<ExprRef> all(const std::vector<ExprRef>& args,
                           ExprRef (Fixing::*each)(const ExprRef&) const) const {
    std::vector<ExprRef> result;
    for (const ExprRef& arg : args) result.push_back((this->*each)(arg));
    return result;
  }

  std::span<const FixedDim> dims_;
};

}  // namespace

Program fix_dims(Program program, std::span<const FixedDim> dims) {
  for (Buffer& buffer : program.buffers)
    for (Dim& dim : buffer.shape) dim = fixed(dim, dims);
  for (Kernel& k : program.kernels) Fixing(dims).stmts(k.body);
  return program;
}

std::vector<FixedDim> mentioned(const Program& program, std::vector<FixedDim> dims) {
  std::erase_if(dims, [&](const FixedDim& f) {
    return std::none_of(program.buffers.begin(), program.buffers.end(), [&](const Buffer& buffer) {
      return std::any_of(buffer.shape.begin(), buffer.shape.end(),
                         [&](const Dim& dim) { return !dim.is_constant() && dim.symbol == f.dim; });
    });
  });
  return dims;
}

}  // namespace cohort
