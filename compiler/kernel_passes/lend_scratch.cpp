// Calls of the runtime that want working memory get a temporary for it, as one more buffer they write:
//
//   y = call rt_gemm(w, x; ...)        ⇒        y, scratch = call rt_gemm(w, x; ...)
//
// The runtime allocates nothing itself, and `plan_memory` lets all scratch share one place.
#include "compiler/kernel_passes/kernel_pass.h"
#include "compiler/kernel_passes/walk.h"

namespace cohort::loop_passes {
namespace {

using namespace kernel;

// Largest value an extent takes: of a constant, a dim, or a product of them.
std::int64_t largest(const Expr& e, const Dims& dims) {
  if (e.kind == ExprKind::kConst) return static_cast<std::int64_t>(e.bits);
  if (e.kind == ExprKind::kDim) return max_extent(e.dim, dims);
  return e.kind == ExprKind::kOp && e.op == ScalarOp::k_mul
             ? largest(*e.args[0], dims) * largest(*e.args[1], dims)
             : 1;
}

// rt_gemm packs columns in panels of two vectors (gemm.h); vectors have at most 64 bytes.
std::int64_t gemm_scratch(const Stmt& call, const Dims& dims) {
  constexpr std::size_t kDepth = 6;
  constexpr std::int64_t kPanelBytes = 128;
  return largest(*call.index[kDepth], dims) * kPanelBytes;
}

void lend(std::vector<Stmt>& list, Program& program, const Dims& dims) {
  for (Stmt& stmt : list) {
    lend(stmt.body, program, dims);
    lend(stmt.else_body, program, dims);
    if (stmt.kind != StmtKind::kCall || stmt.text != "rt_gemm") continue;
    Buffer scratch{"scratch", BufferKind::kTemporary, DType::kU8, {gemm_scratch(stmt, dims)}, 0};
    stmt.buffers.insert(stmt.buffers.begin() + stmt.outputs, static_cast<BufferId>(program.buffers.size()));
    ++stmt.outputs;
    program.buffers.push_back(std::move(scratch));
  }
}

}  // namespace

Program lend_scratch(Program program, const Dims& dims) {
  for (Kernel& kernel : program.kernels) lend(kernel.body, program, dims);
  return program;
}

}  // namespace cohort::loop_passes
