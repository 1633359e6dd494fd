// A rough count of the instructions of statements: what `vectorise` compares loops by and `parallelise`
// divides by. It knows which accesses move by one element in lanes and which need an index for each; it knows
// nothing of memory. What is counted unlike 1 comes from the profile of the machine.
#pragma once

#include "compiler/device/device_profile.h"
#include "compiler/kernel_passes/access.h"

namespace cohort::kernel {

inline constexpr std::int64_t kAssumedExtent = 64;  // of a loop whose extent only the call tells

// How often a loop runs, how many elements a buffer has; a guess where a named dim decides.
double trip_count(const Stmt& loop);
double element_count(const Buffer& buffer);
// The value of an extent with every dim at its greatest; a guess where it is computed.
double greatest_extent(const ExprRef& e, const Dims& dims);
// Multiplications and additions of a call of rt_gemm or rt_gemm_packed (ir/ops/product_call.h).
double product_flops(const Stmt& call, const Dims& dims);

class LoopCost {
 public:
  LoopCost(const Program& program, const CpuProfile& cpu) : program_(program), cpu_(cpu) {}

  // Of statements with all loops within, run once: of all lanes at once if `lanes` is the simd loop around.
  double list(const std::vector<Stmt>& list, const LoopVariation* lanes) const;
  // Of one statement without its body.
  double statement(const Stmt& stmt, const LoopVariation* lanes) const;

 private:
  double expression(const Expr& expr, const LoopVariation* lanes) const;
  double access(BufferId buffer, const std::vector<ExprRef>& index, const LoopVariation* lanes) const;

  const Program& program_;
  const CpuProfile& cpu_;
};

}  // namespace cohort::kernel
