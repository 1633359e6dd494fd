// Chooses the loops that several threads may share: the outermost of each nest whose iterations are
// independent and that has work for two threads at least.
//
//   for v0 < 256 {                                       parallel v0 < 256 grain 8 {
//     accumulator v1 = add lanes                           accumulator v1 = add lanes
//     simd v2 < 2048 { accumulate v1, w[v0, v2] }     ⇒    simd v2 < 2048 { accumulate v1, w[v0, v2] }
//     y[v0] = finish(v1)                                   y[v0] = finish(v1)
//   }                                                    }
//
//   simd v0 < 1000000 { y[v0] = neg(x[v0]) }          ⇒  simd v0 < 1000000 grain 32064 { y[v0] = neg(x[v0]) }
//
// What an iteration does, one thread does, in its order: bits do not depend on the number of threads. A loop
// of few iterations is left to the loops within, where those have enough work, since few do not divide well.
// The grain is the number of iterations that make up this work, in terms of named dims where loops within run
// over them; emitted code compares it with the actual extent. Last before `outline`: it sees the final loops.
//
// Large products are calls, which divide themselves: they get a grain (multiplications), scratch for several
// pieces at once, and the number of these and the bytes of each as two more scalars. Those of packed operands
// divide panels and get a grain only.
//
//   y, scratch = call rt_gemm(w, x; ...)              ⇒  y, scratch = call rt_gemm(w, x; ..., 16, 69632)
//   grain 128000
#include "compiler/kernel_passes/parallelise.h"

#include <algorithm>
#include <cmath>

#include "compiler/kernel_passes/independence.h"
#include "compiler/kernel_passes/kernel_pass.h"
#include "compiler/kernel_passes/loop_cost.h"
#include "compiler/kernel_passes/walk.h"
#include "ir/ops/product_call.h"

namespace cohort::kernel {
namespace {

// The work that a thread must have, in times of a fork and join: 3 to 4 us of arithmetic in cache by the
// default profile, more where memory is the limit. Two OpenMP threads win from 3.5 us of work for both and
// are 1.4 times as fast as one at 7 us, 1.6 times at 13 us (tools/bench/threads.py; a region costs 1.2 us).
// Twice this is the least that is shared.
constexpr double kWorthForks = 3;
constexpr std::int64_t kFine = 16;  // costs are counted in sixteenths of an instruction
constexpr std::int64_t kFewIterations = 16;
constexpr std::int64_t kMaxPieces = 16;  // of a product
// Bytes of all pieces: at most so many, and so many for each byte of the matrices; but two pieces at least.
constexpr std::int64_t kScratch = 12 << 20;
constexpr double kScratchOfData = 4;
// Multiplications of a packed product that count as one instruction. It stands in a loop whose steps wait for
// each other, and what threads hand over from step to step costs about 3 us: a step of 300,000 was slower on
// two threads, one of 625,000 the same, one of 1,900,000 1.3 times as fast.
constexpr double kPackedLanes = 32;
// Ranges of a simd loop begin at multiples of this, which is one of every vector's width.
constexpr std::int64_t kVectorElements = 64;

ExprRef rounded_up(const ExprRef& e, std::int64_t multiple) {
  const ExprRef m = constant_index(multiple);
  return op(ScalarOp::k_floor_div, {e + constant_index(multiple - 1), m}, DType::kI64) * m;
}

class LoopSharer {
 public:
  LoopSharer(Program& program, const Dims& dims, const CpuProfile& cpu, std::int64_t work)
      : program_(program),
        dims_(dims),
        lanes_(std::max<std::int64_t>(1, std::llround(cpu.lanes))),
        cost_(program, cpu),
        work_(work) {}

  // Marks loops of the list; whether there was one.
  bool choose(std::vector<Stmt>& list) {
    bool any = false;
    for (Stmt& stmt : list) {
      if (stmt.kind == StmtKind::kFor) {
        any |= choose(stmt);
      } else if (stmt.kind == StmtKind::kIf) {
        any |= choose(stmt.body) | choose(stmt.else_body);
      } else if (stmt.kind == StmtKind::kCall) {
        if (stmt.text == "rt_gemm") any |= divide_product(stmt);
        if (stmt.text == "rt_gemm_packed")
          any |= divide_panels(stmt, {gemm_packed::kM, gemm_packed::kN, gemm_packed::kK}, kPackedLanes);
        if (stmt.text == "rt_gemm_pack") any |= divide_panels(stmt, {gemm_pack::kN, gemm_pack::kRows}, 1);
      }
    }
    return any;
  }

 private:
  bool choose(Stmt& loop) {
    if (loop.mode == LoopMode::kRanges) return true;
    if (loop.mode == LoopMode::kUnroll || !is_extent(loop.value)) return false;
    const ExprRef iteration = iteration_cost(loop);
    const double trips = greatest_extent(loop.value, dims_);
    if (trips * greatest_extent(iteration, dims_) < 2.0 * static_cast<double>(work_ * kFine)) return false;
    const bool simd = loop.mode == LoopMode::kSimd;
    const bool free = trips >= 2 && is_independent(program_, loop, variation_of(loop), Together::kThreads);
    const bool few = trips < static_cast<double>(kFewIterations);
    if ((!free || few) && !simd && choose(loop.body)) return true;
    if (!free) return false;
    const ExprRef grain = constant_index(1) +
                          op(ScalarOp::k_floor_div, {constant_index(work_ * kFine), iteration}, DType::kI64);
    loop.grain = simd ? rounded_up(grain, kVectorElements) : grain;
    if (!simd) loop.mode = LoopMode::kParallel;
    return true;
  }

  bool divide_product(Stmt& call) {
    const double grain = static_cast<double>(work_ * lanes_);
    double work = 1;
    for (std::size_t k = gemm::kBatch; k <= gemm::kK; ++k) work *= greatest_extent(call.index[k], dims_);
    if (call.outputs < 2 || work < 2 * grain) return false;  // the second output is its scratch
    Dim& scratch = program_.buffers[call.buffers[1]].shape[0];
    const std::int64_t room = std::max<std::int64_t>(scratch.offset, 1);
    const double most = std::min(kScratchOfData * data_of(call), static_cast<double>(kScratch));
    std::int64_t pieces = kMaxPieces;
    while (pieces > 2 && static_cast<double>(pieces * room) > most) pieces /= 2;  // even for 2 or 4 threads
    scratch.offset *= pieces;
    call.grain = constant_index(std::llround(grain));
    call.index.push_back(constant_index(pieces));
    call.index.push_back(constant_index(room));
    return true;
  }

  // Bytes of a product's operands and result.
  double data_of(const Stmt& call) const {
    const double m = greatest_extent(call.index[gemm::kM], dims_),
                 n = greatest_extent(call.index[gemm::kN], dims_),
                 depth = greatest_extent(call.index[gemm::kK], dims_);
    const double elements =
        greatest_extent(call.index[gemm::kBatch], dims_) * (m * depth + depth * n + m * n);
    return elements * static_cast<double>(dtype_bytes(program_.buffers[call.buffers[0]].dtype));
  }

  // Calls that divide panels of packed columns; their work is the product of these extents.
  bool divide_panels(Stmt& call, std::initializer_list<std::size_t> extents, double lanes) {
    const double grain = static_cast<double>(work_) * lanes;
    double work = 1;
    for (const std::size_t k : extents) work *= greatest_extent(call.index[k], dims_);
    if (work < 2 * grain) return false;
    call.grain = constant_index(std::llround(grain));
    return true;
  }

  // Of the statements run once, in sixteenths, by the extents of the loops within.
  ExprRef list_cost(const std::vector<Stmt>& list, const LoopVariation* lanes) const {
    ExprRef cost = constant_index(0);
    for (const Stmt& stmt : list) {
      cost = cost + constant_index(std::llround(kFine * cost_.statement(stmt, lanes)));
      if (stmt.kind == StmtKind::kFor) {
        const ExprRef trips = is_extent(stmt.value) ? stmt.value : constant_index(kAssumedExtent);
        cost = cost + trips * iteration_cost(stmt, lanes);
      } else {
        cost = cost + list_cost(stmt.body, lanes) + list_cost(stmt.else_body, lanes);
      }
    }
    return cost;
  }

  ExprRef iteration_cost(const Stmt& loop, const LoopVariation* lanes = nullptr) const {
    const bool simd = loop.mode == LoopMode::kSimd;
    const LoopVariation variation = simd ? variation_of(loop) : LoopVariation{};
    const ExprRef cost = constant_index(kFine) + list_cost(loop.body, simd ? &variation : lanes);
    return simd ? op(ScalarOp::k_floor_div, {cost, constant_index(lanes_)}, DType::kI64) : cost;
  }

  Program& program_;
  const Dims& dims_;
  const std::int64_t lanes_;
  const LoopCost cost_;
  const std::int64_t work_;
};

}  // namespace

double worth_a_thread_ns(const CpuProfile& cpu) { return kWorthForks * cpu.fork_join_ns; }

Program share_loops(Program program, const Dims& dims, const CpuProfile& cpu, std::int64_t work) {
  LoopSharer sharer(program, dims, cpu, work);
  for (Kernel& kernel : program.kernels) {
    if (kernel.device == Device::kCpu) sharer.choose(kernel.body);
  }
  return program;
}

}  // namespace cohort::kernel

namespace cohort::loop_passes {

kernel::Program parallelise(kernel::Program program, const Dims& dims, const CpuProfile& cpu) {
  const double work = kernel::worth_a_thread_ns(cpu) / cpu.instruction_ns;
  return kernel::share_loops(std::move(program), dims, cpu, std::max<std::int64_t>(1, std::llround(work)));
}

}  // namespace cohort::loop_passes
