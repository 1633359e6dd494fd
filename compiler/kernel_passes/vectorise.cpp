// Chooses, in every nest, the loop whose iterations run in vector lanes.
//
//   for v0 < 9 {                                        for v0 < 9 {
//     for v1 < 50 { y[v0, v1] = tanh(x[v0, v1]) }   ⇒     simd v1 < 50 { y[v0, v1] = tanh(x[v0, v1]) }
//   }                                                   }
//
//   for v0 < 50 {                                       simd v0 < 50 {
//     var v1 = 0                                          var v1 = 0
//     for v2 < 8 { v1 = fma(w[v2, v0], x[v2], v1) } ⇒     for v2 < 8 { v1 = fma(w[v2, v0], x[v2], v1) }
//     y[v0] = v1                                          y[v0] = v1
//   }                                                   }
//
// A loop may be simd if its iterations are independent (kernel.h); of the loops of a nest at most one on each
// path is, the one that makes the nest cheapest by a rough count of instructions. Runs while indices have one
// expr per axis, before `fuse_loops`: loops are fused only where their modes agree, so fusing never takes
// vectors away.
#include <cmath>

#include "compiler/kernel_passes/independence.h"
#include "compiler/kernel_passes/kernel_pass.h"
#include "compiler/kernel_passes/loop_cost.h"

namespace cohort::loop_passes {
namespace {

using namespace kernel;

class Vectoriser {
 public:
  Vectoriser(const Program& program, const CpuProfile& cpu)
      : program_(program), lanes_(cpu.lanes), cost_(program, cpu) {}

  // The cost of a list with the best choice of simd loops within, which are marked.
  double choose(std::vector<Stmt>& list) {
    double cost = 0;
    for (Stmt& stmt : list) cost += choose(stmt);
    return cost;
  }

 private:
  double choose(Stmt& stmt) {
    if (stmt.kind != StmtKind::kFor) {
      const double own = cost_.statement(stmt, nullptr);
      return own + choose(stmt.body) + choose(stmt.else_body);
    }
    const double trips = trip_count(stmt);
    const double serial = trips * (1 + choose(stmt.body));
    if (stmt.mode != LoopMode::kSerial) return serial;
    const LoopVariation loop = variation_of(stmt);
    if (!is_independent(program_, stmt, loop, Together::kLanes)) return serial;
    const double simd = std::ceil(trips / lanes_) * (1 + cost_.list(stmt.body, &loop));
    if (simd >= serial) return serial;
    clear_modes(stmt.body);
    stmt.mode = LoopMode::kSimd;
    return simd;
  }

  static void clear_modes(std::vector<Stmt>& list) {
    for (Stmt& stmt : list) {
      if (stmt.kind == StmtKind::kFor) stmt.mode = LoopMode::kSerial;
      clear_modes(stmt.body);
      clear_modes(stmt.else_body);
    }
  }

  const Program& program_;
  const double lanes_;
  const LoopCost cost_;
};

}  // namespace

Program vectorise(Program program, const Dims&, const CpuProfile& cpu) {
  Vectoriser vectoriser(program, cpu);
  for (Kernel& kernel : program.kernels) vectoriser.choose(kernel.body);
  return program;
}

}  // namespace cohort::loop_passes
