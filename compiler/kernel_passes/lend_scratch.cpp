// Calls of the runtime that want working memory get a temporary for it, as one more buffer they write:
//
//   y = call rt_gemm(w, x; ...)        ⇒        y, scratch = call rt_gemm(w, x; ...)
//
// The runtime allocates nothing itself, and `plan_memory` lets all scratch share one place.
#include <algorithm>

#include "compiler/kernel_passes/kernel_pass.h"
#include "compiler/kernel_passes/walk.h"
#include "ir/ops/product_call.h"

namespace cohort::loop_passes {
namespace {

using namespace kernel;

std::int64_t gemm_scratch(const Stmt& call, const Program& program, const Dims& dims) {
  using namespace gemm;
  const auto most = [&](std::size_t extent) { return largest_extent(*call.index[extent], dims); };
  return product_scratch_bytes(most(kM), most(kN), most(kK),
                               dtype_bytes(program.buffers[call.buffers[0]].dtype));
}

void lend(std::vector<Stmt>& list, Program& program, const Dims& dims) {
  for (Stmt& stmt : list) {
    lend(stmt.body, program, dims);
    lend(stmt.else_body, program, dims);
    if (stmt.kind != StmtKind::kCall || stmt.text != "rt_gemm") continue;
    Buffer scratch{"scratch", BufferKind::kTemporary, DType::kU8, {gemm_scratch(stmt, program, dims)}, 0};
    stmt.buffers.insert(stmt.buffers.begin() + stmt.outputs, static_cast<BufferId>(program.buffers.size()));
    ++stmt.outputs;
    program.buffers.push_back(std::move(scratch));
  }
}

}  // namespace

Program lend_scratch(Program program, const Dims& dims) {
  for (Kernel& kernel : program.kernels) {
    if (kernel.device == Device::kCpu) lend(kernel.body, program, dims);
  }
  return program;
}

}  // namespace cohort::loop_passes
