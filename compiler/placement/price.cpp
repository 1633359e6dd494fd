#include "compiler/placement/price.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "compiler/kernel_passes/add_atomically.h"
#include "compiler/kernel_passes/device_checks.h"
#include "compiler/kernel_passes/device_steps.h"
#include "compiler/kernel_passes/device_sums.h"
#include "compiler/kernel_passes/independence.h"
#include "compiler/kernel_passes/loop_cost.h"
#include "compiler/kernel_passes/walk.h"

namespace cohort::placement {

using namespace kernel;

namespace {

constexpr double kReductionLanes = 16;    // partial sums of a reduction: ir/README.md has the order
constexpr double kLoadsInFlight = 8;      // of a loop whose loads do not wait for what it computes
constexpr double kCallInstructions = 20;  // for each element that a function of the runtime touches

bool is_product(const Stmt& s) {
  return s.kind == StmtKind::kCall && (s.text == "rt_gemm" || s.text == "rt_gemm_packed");
}

double call_elements(const Stmt& call, const Program& program, const Dims& dims) {
  double elements = 0;
  for (const BufferId b : call.buffers)
    elements += static_cast<double>(max_element_count(program.buffers[b], dims));
  return elements;
}

class CpuTime {
 public:
  CpuTime(const Program& program, const Dims& dims, const CpuProfile& cpu)
      : program_(program), dims_(dims), cpu_(cpu), cost_(program, cpu) {}

  double list(const std::vector<Stmt>& list, const LoopVariation* lanes) const {
    double ns = 0;
    for (const Stmt& s : list) ns += statement(s, lanes);
    return ns;
  }

 private:
  double statement(const Stmt& s, const LoopVariation* lanes) const {
    if (is_product(s)) {
      const bool f32 = program_.buffers[s.buffers[0]].dtype == DType::kF32;
      return product_flops(s, dims_) / (f32 ? cpu_.f32_product_flops_per_ns : cpu_.f64_product_flops_per_ns);
    }
    double ns = cost_.statement(s, lanes) * cpu_.instruction_ns;
    if (s.kind == StmtKind::kCall)
      ns += kCallInstructions * cpu_.instruction_ns * call_elements(s, program_, dims_);
    if (s.kind == StmtKind::kIf) return ns + std::max(list(s.body, lanes), list(s.else_body, lanes));
    if (s.kind != StmtKind::kFor) return ns;
    const double trips = greatest_extent(s.value, dims_);
    if (s.mode != LoopMode::kSimd) return ns + trips * (cpu_.instruction_ns + list(s.body, lanes));
    const LoopVariation variation = variation_of(s);
    return ns + std::ceil(trips / cpu_.lanes) * (cpu_.instruction_ns + list(s.body, &variation));
  }

  const Program& program_;
  const Dims& dims_;
  const CpuProfile& cpu_;
  const LoopCost cost_;
};

constexpr double kBlockThreads = 1024;  // that keep busy what one block can use

// How a statement is run on the GPU: by so many threads together, whether its loads wait for each other, and
// by which share of the GPU: a loop whose steps wait for each other runs in one block.
struct Launch {
  double width = 1;
  double loads_in_flight = 1;
  double share = 1;
};

class GpuTime {
 public:
  GpuTime(const Program& program, const Dims& dims, const GpuProfile& gpu)
      : program_(program), dims_(dims), gpu_(gpu) {}

  double list(const std::vector<Stmt>& list, const Launch& launch) const {
    double ns = 0;
    for (const Stmt& s : list) ns += statement(s, launch);
    return ns;
  }

 private:
  double statement(const Stmt& s, const Launch& launch) const {
    if (is_product(s)) {
      const bool f32 = program_.buffers[s.buffers[0]].dtype == DType::kF32;
      return product_flops(s, dims_) / launch.share /
             (f32 ? gpu_.f32_product_flops_per_ns : gpu_.f64_product_flops_per_ns);
    }
    const double ns = own(s, launch);
    if (s.kind == StmtKind::kIf) return ns + std::max(list(s.body, launch), list(s.else_body, launch));
    return s.kind == StmtKind::kFor ? ns + loop(s, launch) : ns;
  }

  double loop(const Stmt& s, const Launch& launch) const {
    const double trips = greatest_extent(s.value, dims_);
    if (trips < 1) return 0;
    if (is_independent(program_, s, variation_of(s), Together::kThreads))
      return list(s.body, {launch.width * trips, launch.loads_in_flight, launch.share});
    const bool sums = std::any_of(s.body.begin(), s.body.end(),
                                  [](const Stmt& inner) { return inner.kind == StmtKind::kAccumulate; });
    if (s.mode == LoopMode::kSimd) {
      double lanes = std::min(trips, kReductionLanes);
      if (launch.width < kFewSums && trips >= kLongSum) lanes *= trips / kSumPiece;  // in pieces
      return std::ceil(trips / lanes) * list(s.body, {launch.width * lanes, kLoadsInFlight, launch.share});
    }
    if (launch.width < 2 && has_heavy_steps(program_, {s}, dims_)) {  // launches for each step
      const double launches = static_cast<double>(s.body.size()) * gpu_.launch_ns;
      return trips * (launches + list(s.body, launch));
    }
    const bool steps = launch.width < 2 && has_independent_loop(s.body);
    const double share = steps ? kBlockThreads / gpu_.threads : launch.share;
    const Launch one{launch.width, sums ? kLoadsInFlight : 1, std::min(share, launch.share)};
    const double barrier = steps ? gpu_.barrier_ns : 0;
    return trips * (gpu_.instruction_ns + barrier + list(s.body, one));
  }

  bool has_independent_loop(const std::vector<Stmt>& list) const {
    return std::any_of(list.begin(), list.end(), [&](const Stmt& s) {
      return is_product(s) ||
             (s.kind == StmtKind::kFor && is_independent(program_, s, variation_of(s), Together::kThreads)) ||
             has_independent_loop(s.body) || has_independent_loop(s.else_body);
    });
  }

  // Of a statement without its body: as long as one thread waits, or as all of them keep the units busy.
  double own(const Stmt& s, const Launch& launch) const {
    double instructions = s.kind == StmtKind::kFor ? 0 : 1, loads = 0;
    bool f64 = false;
    for_each_expr(s, [&](const ExprRef& e) {
      for_each_node(e, [&](const Expr& node) {
        if (node.kind == ExprKind::kLoad) ++loads;
        if (node.kind != ExprKind::kOp && node.kind != ExprKind::kCustom) return;
        f64 = f64 || node.dtype == DType::kF64;
        const bool function =
            node.kind == ExprKind::kCustom || (scalar_op_info(node.op).traits & Trait::kTranscendental) != 0;
        instructions += function ? gpu_.function_instructions : 1;
      });
    });
    const double wait =
        instructions * gpu_.instruction_ns + (loads > 0 ? gpu_.access_ns / launch.loads_in_flight : 0);
    const double rate = launch.share * (f64 ? gpu_.f64_instructions_per_ns : gpu_.f32_instructions_per_ns);
    return std::max(wait * std::max(1.0, launch.width / (gpu_.threads * launch.share)),
                    (instructions + loads) * launch.width / rate);
  }

  const Program& program_;
  const Dims& dims_;
  const GpuProfile& gpu_;
};

// Bytes of what a kernel touches, each element once: no more of a buffer than there are accesses to it.
class Touched {
 public:
  Touched(const Program& program, const Dims& dims) : program_(program), dims_(dims) {}

  double bytes(const std::vector<Stmt>& list) {
    walk(list, 1);
    double sum = 0;
    for (const auto& [buffer, accesses] : accesses_) {
      const Buffer& b = program_.buffers[buffer];
      const auto all = static_cast<double>(max_element_count(b, dims_));
      sum += std::min(all, accesses) * static_cast<double>(dtype_bytes(b.dtype));
    }
    return sum;
  }

 private:
  void walk(const std::vector<Stmt>& list, double times) {
    for (const Stmt& s : list) {
      for_each_use_of(s, [&](const BufferUse& use) {
        const auto all = static_cast<double>(max_element_count(program_.buffers[use.buffer], dims_));
        accesses_[use.buffer] += use.index ? times : times * all;
      });
      walk(s.body, s.kind == StmtKind::kFor ? times * greatest_extent(s.value, dims_) : times);
      walk(s.else_body, times);
    }
  }

  const Program& program_;
  const Dims& dims_;
  std::map<BufferId, double> accesses_;
};

}  // namespace

KernelTime Pricer::time(const Kernel& kernel) const {
  const CpuProfile& cpu = profile_.cpu;
  const GpuProfile& gpu = profile_.gpu;
  const double bytes = Touched(program_, dims_).bytes(kernel.body);
  const double cpu_rate = bytes <= cpu.l2_bytes ? cpu.cache_bytes_per_ns : cpu.memory_bytes_per_ns;
  const double on_cpu = CpuTime(program_, dims_, cpu).list(kernel.body, nullptr);
  std::vector<Stmt> on_threads = kernel.body;
  if (has_checks(on_threads)) order_checks(on_threads);
  if (fast_) add_atomically(program_, on_threads);
  const double on_gpu = GpuTime(program_, dims_, gpu).list(on_threads, {});
  return {cpu.kernel_ns + std::max(on_cpu, bytes / cpu_rate),
          gpu.launch_ns + std::max(on_gpu, bytes / gpu.memory_bytes_per_ns)};
}

double Pricer::bytes(BufferId buffer) const {
  const Buffer& b = program_.buffers[buffer];
  return static_cast<double>(max_element_count(b, dims_)) * static_cast<double>(dtype_bytes(b.dtype));
}

double Pricer::up_ns(BufferId buffer) const {
  const Buffer& b = program_.buffers[buffer];
  return b.kind != BufferKind::kState && max_element_count(b, dims_) <= 1 ? 0 : down_ns(buffer);
}
double Pricer::down_ns(BufferId buffer) const {
  return profile_.gpu.link_ns + bytes(buffer) / profile_.gpu.link_bytes_per_ns;
}

}  // namespace cohort::placement
