// An index of one expr per axis becomes one flat element index; scalars get index 0.
//
//   buffer x : f64[4,8]   buffer y : f64[n,8]
//   x[v0, v1] = y[v0, add(v1, 1)]        ⇒        x[add(mul(v0, 8), v1)] = y[add(add(mul(v0, 8), v1), 1)]
//
// Buffers are contiguous and row-major with the actual extents, so a stride is the product of the extents
// after its axis, an expr over dims where those are named.
#include "compiler/kernel_passes/access.h"
#include "compiler/kernel_passes/kernel_pass.h"
#include "compiler/kernel_passes/linear.h"
#include "compiler/kernel_passes/walk.h"

namespace cohort::loop_passes {
namespace {

using namespace kernel;

// One term for each variable, divisions that a reshape brought undone.
ExprRef flat(const Buffer& buffer, const std::vector<ExprRef>& index) {
  return compose(decompose(flat_index(buffer, index)));
}

void flatten(std::vector<Stmt>& list, const Program& program) {
  const auto flat_load = [&](const ExprRef& e) -> ExprRef {
    if (e->kind != ExprKind::kLoad) return e;
    return load(e->id, e->dtype, {flat(program.buffers[e->id], e->args)});
  };
  for (Stmt& stmt : list) {
    rewrite_exprs(stmt, flat_load);
    if (stmt.kind == StmtKind::kStore) stmt.index = {flat(program.buffers[stmt.buffer], stmt.index)};
    flatten(stmt.body, program);
    flatten(stmt.else_body, program);
  }
}

}  // namespace

Program flatten_indices(Program program, const Dims&) {
  for (Kernel& kernel : program.kernels) flatten(kernel.body, program);
  program.flat = true;
  return program;
}

}  // namespace cohort::loop_passes
