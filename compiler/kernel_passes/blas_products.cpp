#include "compiler/kernel_passes/blas_products.h"

#include <algorithm>
#include <cmath>

#include "compiler/kernel_passes/device_checks.h"
#include "compiler/kernel_passes/device_steps.h"
#include "compiler/kernel_passes/loop_cost.h"
#include "ir/ops/product_call.h"

namespace cohort::kernel {
namespace {

bool may_be_one(const ExprRef& stride) {
  return stride->kind != ExprKind::kConst || is_constant_index(*stride, 1);
}

// Whether the matrix may have one axis whose elements are neighbours.
bool may_be_dense(const Stmt& call, std::size_t row, std::size_t rows, std::size_t columns) {
  const ExprRef &along = call.index[row], &across = call.index[row + 1];
  return may_be_one(along) || may_be_one(across) || is_constant_index(*call.index[rows], 1) ||
         is_constant_index(*call.index[columns], 1);
}

class BlasChooser {
 public:
  BlasChooser(const Program& program, const Dims& dims, double least)
      : program_(program), dims_(dims), least_(least) {}

  void kernel(Kernel& kernel, bool checked) const {
    if (kernel.body.empty()) return;
    if (is_one_product(kernel.body)) {
      std::vector<Stmt> call = one_product(kernel.body);
      if (choose(call[0], checked)) kernel.body = std::move(call);
    } else if (kernel.body.back().mode == LoopMode::kLaunches) {
      for (Stmt& s : kernel.body.back().body) choose(s, checked);
    }
  }

 private:
  bool choose(Stmt& s, bool checked) const {
    if (s.kind != StmtKind::kCall || s.text != "rt_gemm" || !suits(s, checked)) return false;
    s.text = "rt_gemm_blas";
    s.index.push_back(constant_index(static_cast<std::int64_t>(std::ceil(least_ / 2))));
    return true;
  }
  bool suits(const Stmt& call, bool checked) const {
    if (product_flops(call, dims_) < least_) return false;
    using namespace gemm;
    if (checked && program_.buffers[call.buffers[0]].kind == BufferKind::kState) return false;
    return may_be_dense(call, kCRow, kM, kN) && may_be_dense(call, kARow, kM, kK) &&
           may_be_dense(call, kBRow, kK, kN);
  }

  const Program& program_;
  const Dims& dims_;
  const double least_;
};

}  // namespace

void call_blas(Program& program, const Dims& dims, const GpuProfile& gpu) {
  const BlasChooser chooser(program, dims, gpu.blas_flops);
  bool checked = false;
  for (Kernel& kernel : program.kernels) {
    if (kernel.device == Device::kCpu) continue;
    checked = checked || has_checks(kernel.body);  // in steps, those of the step before, too
    chooser.kernel(kernel, checked);
  }
}

}  // namespace cohort::kernel
