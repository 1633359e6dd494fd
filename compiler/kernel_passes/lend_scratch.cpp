// Calls of the runtime that want working memory get a temporary for it, as one more buffer they write:
//
//   y = call rt_gemm(w, x; ...)        ⇒        y, scratch = call rt_gemm(w, x; ...)
//
// The runtime allocates nothing itself, and `plan_memory` lets all scratch share one place.
#include <algorithm>

#include "compiler/kernel_passes/kernel_pass.h"
#include "compiler/kernel_passes/walk.h"

namespace cohort::loop_passes {
namespace {

using namespace kernel;

// What rt_gemm_scratch of gemm.h asks for at most, whatever the machine's vectors are: a block of each
// operand.
std::int64_t gemm_scratch(const Stmt& call, const Program& program, const Dims& dims) {
  constexpr std::size_t kM = 4, kN = 5, kDepth = 6;
  constexpr std::int64_t kBlockDepth = 512, kRowsOfA = 192, kRowBytesOfB = 2048, kPanelBytes = 128;
  const std::int64_t bytes = dtype_bytes(program.buffers[call.buffers[0]].dtype);
  const std::int64_t most =
      std::max(largest_extent(*call.index[kM], dims), largest_extent(*call.index[kN], dims));
  const std::int64_t of_a = std::min(kRowsOfA, most * 4 / 3 + 16) * bytes;
  const std::int64_t of_b = std::min(kRowBytesOfB, most * bytes + kPanelBytes);
  return std::min(largest_extent(*call.index[kDepth], dims), kBlockDepth) * (of_a + of_b);
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
