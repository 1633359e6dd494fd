// A loop of steps that keep to the rows of what they carry, such as the examples of a batch, runs all its
// steps for one range of rows after the other. So threads share the rows once, and not the work of each step,
// after which they would have to wait for each other:
//
//   for v0 < 50 {                                        ranges v1, v2 < 10 grain 4 {
//     z = call rt_gemm_packed(h, up; .., 10, ..)           for v0 < 50 {
//     for v3 < 10 {                                          z = call rt_gemm_packed(h, up; .., v2, ..)
//       simd v4 < 100 {                            ⇒         for v3 < v2 {
//         h[v3, v4] = tanh(add(x[v0, v3, v4],                  simd v4 < 100 {
//                              z[v3, v4]))                       h[add(v1, v3), v4] = tanh(..)
//       }                                                      }
//     }                                                      }
//   }                                                      }
//                                                        }
//
// What a step writes, every statement of the loop touches at the row of its own iteration only, so no row
// depends on another. Each range reads all matrices, in every step: they must fit the second-level cache,
// else threads share the panels of each product (`parallelise`). Few rows use a packed product badly, so the
// grain is four at least. Before `flatten_indices`.
#include "compiler/kernel_passes/split_rows.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "compiler/kernel_passes/kernel_pass.h"
#include "compiler/kernel_passes/linear.h"
#include "compiler/kernel_passes/loop_cost.h"
#include "compiler/kernel_passes/parallelise.h"
#include "compiler/kernel_passes/walk.h"
#include "ir/ops/product_call.h"

namespace cohort::kernel {
namespace {

constexpr std::int64_t kVectorRows = 64;  // ranges of rows that are lanes begin at multiples of this
constexpr std::uint64_t kAnyAxis = ~std::uint64_t{0};

class RowSplitter {
 public:
  RowSplitter(Program& program, const CpuProfile& cpu, const RowLimits& limits, Stmt& steps)
      : program_(program), cpu_(cpu), limits_(limits), cost_(program, cpu), steps_(steps) {
    for_each_use(steps.body, [&](const BufferUse& use) {
      if (use.written) axes_[use.buffer] = kAnyAxis;
    });
  }

  // The steps of ranges of rows, if that is possible and worth it.
  std::optional<Stmt> run() {
    if (steps_.mode != LoopMode::kSerial || trip_count(steps_) < limits_.steps || shares_state()) return {};
    for (const Stmt& stmt : steps_.body)
      if (!keeps_to_rows(stmt)) return {};
    const auto has_row = [](const auto& entry) { return entry.second != 0; };
    if (rows_ == 0 || !std::all_of(axes_.begin(), axes_.end(), has_row)) return {};
    if (matrix_bytes_ > cpu_.l2_bytes / 2) return {};
    const double row_ns = trip_count(steps_) * step_ns_ / static_cast<double>(rows_);
    std::int64_t grain =
        std::max(limits_.rows, static_cast<std::int64_t>(std::ceil(limits_.range_ns / row_ns)));
    if (lanes_ && grain > 1) grain = (grain + kVectorRows - 1) / kVectorRows * kVectorRows;
    if (rows_ < 2 * grain) return {};
    return ranges(grain);
  }

 private:
  bool shares_state() const {
    std::set<std::uint32_t> states;
    std::set<BufferId> buffers;
    bool twice = false;
    for_each_buffer(steps_.body, [&](BufferId id) {
      const Buffer& buffer = program_.buffers[id];
      if (buffer.kind != BufferKind::kState || !buffers.insert(id).second) return;
      const std::vector<std::uint32_t> alone{buffer.index};
      for (const std::uint32_t state : buffer.members.empty() ? alone : buffer.members)
        twice = twice || !states.insert(state).second;
    });
    return twice;
  }

  bool keeps_to_rows(const Stmt& stmt) {
    if (stmt.kind == StmtKind::kFor) return loop_keeps_to_rows(stmt);
    if (stmt.kind == StmtKind::kCall) return call_keeps_to_rows(stmt);
    return stmt.kind == StmtKind::kLet && reads_nothing_written(stmt);
  }

  bool is_all_rows(const ExprRef& extent) {
    const std::optional<std::int64_t> n = constant_value(extent);
    if (!n || (rows_ != 0 && *n != rows_)) return false;
    rows_ = *n;
    return true;
  }

  bool reads_nothing_written(const Stmt& stmt) const {
    bool reads = false;
    for_each_use_of(stmt, [&](const BufferUse& use) { reads = reads || axes_.contains(use.buffer); });
    return !reads;
  }

  bool loop_keeps_to_rows(const Stmt& loop) {
    if ((loop.mode != LoopMode::kSerial && loop.mode != LoopMode::kSimd) || !is_all_rows(loop.value))
      return false;
    bool allowed = true;
    std::set<VarId> inside;
    for_each_stmt(loop.body, [&](const Stmt& s) {
      allowed = allowed && s.kind != StmtKind::kCall && s.kind != StmtKind::kPrint &&
                s.kind != StmtKind::kCheck && s.kind != StmtKind::kAssert;
      if (s.kind == StmtKind::kAccumulator || s.kind == StmtKind::kVar) inside.insert(s.var);
      const bool adds = s.kind == StmtKind::kAccumulate || s.kind == StmtKind::kAssign;
      allowed = allowed && (!adds || inside.contains(s.var));
    });
    for_each_use(loop.body, [&](const BufferUse& use) {
      const auto found = axes_.find(use.buffer);
      if (found == axes_.end()) return;
      std::uint64_t axes = 0;
      for (std::size_t axis = 0; use.index != nullptr && axis < std::min<std::size_t>(use.index->size(), 64);
           ++axis) {
        const Expr& e = *(*use.index)[axis];
        if (e.kind == ExprKind::kVar && e.id == loop.var) axes |= std::uint64_t{1} << axis;
      }
      found->second &= axes;
    });
    lanes_ = lanes_ || loop.mode == LoopMode::kSimd;
    step_ns_ += loop_instructions(loop) * cpu_.instruction_ns;
    return allowed;
  }

  double loop_instructions(const Stmt& loop) const {
    if (loop.mode == LoopMode::kSimd) {
      const LoopVariation variation = variation_of(loop);
      return std::ceil(trip_count(loop) / cpu_.lanes) * (1 + cost_.list(loop.body, &variation));
    }
    double once = 1;
    for (const Stmt& stmt : loop.body)
      once += stmt.kind == StmtKind::kFor ? loop_instructions(stmt) : cost_.list({stmt}, nullptr);
    return trip_count(loop) * once;
  }

  bool call_keeps_to_rows(const Stmt& call) {
    if (call.text != "rt_gemm_packed" || !is_all_rows(call.index[gemm_packed::kM])) return false;
    const auto n = constant_value(call.index[gemm_packed::kN]),
               k = constant_value(call.index[gemm_packed::kK]),
               a_column = constant_value(call.index[gemm_packed::kAColumn]);
    const BufferId c = call.buffers[0], a = call.buffers[1], packed = call.buffers[2];
    if (!n || !k || !a_column || *a_column < 0 || axes_.contains(packed)) return false;
    axes_.at(c) &= row_axes(c, call.index[gemm_packed::kCAt], call.index[gemm_packed::kCRow], *n);
    if (const auto found = axes_.find(a); found != axes_.end())
      found->second &= row_axes(a, call.index[gemm_packed::kAAt], call.index[gemm_packed::kARow],
                                (*k - 1) * *a_column + 1);
    const Buffer& matrix = program_.buffers[packed];
    const auto bytes = static_cast<double>(dtype_bytes(matrix.dtype));
    if (matrices_.insert(packed).second) matrix_bytes_ += element_count(matrix) * bytes;
    const double flops = 2 * static_cast<double>(rows_) * static_cast<double>(*n) * static_cast<double>(*k);
    step_ns_ +=
        flops / (matrix.dtype == DType::kF32 ? cpu_.f32_product_flops_per_ns : cpu_.f64_product_flops_per_ns);
    return true;
  }

  // The axes whose index is i in all elements at + i * stride + [0, width), whatever the variables in `at`.
  std::uint64_t row_axes(BufferId id, const ExprRef& at, const ExprRef& stride, std::int64_t width) const {
    const Buffer& buffer = program_.buffers[id];
    const std::optional<std::int64_t> row = constant_value(stride);
    if (!row || !buffer.row_starts.empty() || !is_constant(buffer.shape)) return 0;
    const std::int64_t all = *row * rows_;
    if (all <= 0) return 0;
    std::int64_t first = 0;
    for (const Term& term : decompose(at).terms) {
      if (!term.dims.empty()) return 0;
      if (!term.atom) first = term.constant;
      if (term.atom && term.constant % all != 0) return 0;
    }
    if (first < 0 || first % all + width > *row) return 0;
    std::uint64_t axes = 0;
    std::int64_t inner = 1;
    for (std::size_t axis = std::min<std::size_t>(buffer.shape.size(), 64); axis-- > 0;) {
      if (inner == *row && buffer.shape[axis].offset == rows_) axes |= std::uint64_t{1} << axis;
      inner *= buffer.shape[axis].offset;
    }
    return axes;
  }

  Stmt ranges(std::int64_t grain) {
    Stmt result;
    result.kind = StmtKind::kFor;
    result.mode = LoopMode::kRanges;
    result.var = program_.next_var++;
    result.count = program_.next_var++;
    result.value = constant_index(rows_);
    result.grain = constant_index(grain);
    result.sources = std::move(steps_.sources);
    steps_.sources.clear();
    const ExprRef begin = variable(result.var, DType::kI64), count = variable(result.count, DType::kI64);
    for (Stmt& stmt : steps_.body) {
      if (stmt.kind == StmtKind::kFor) {
        stmt.value = count;
        substitute(stmt.body, {{stmt.var, begin + variable(stmt.var, DType::kI64)}});
      } else if (stmt.kind == StmtKind::kCall) {
        stmt.index[gemm_packed::kM] = count;
        stmt.index[gemm_packed::kCAt] =
            stmt.index[gemm_packed::kCAt] + begin * stmt.index[gemm_packed::kCRow];
        stmt.index[gemm_packed::kAAt] =
            stmt.index[gemm_packed::kAAt] + begin * stmt.index[gemm_packed::kARow];
      }
    }
    result.body.push_back(std::move(steps_));
    return result;
  }

  Program& program_;
  const CpuProfile& cpu_;
  const RowLimits& limits_;
  const LoopCost cost_;
  Stmt& steps_;
  std::map<BufferId, std::uint64_t> axes_;  // of what steps write: the axes that may be that of the rows
  std::set<BufferId> matrices_;
  double matrix_bytes_ = 0, step_ns_ = 0;
  std::int64_t rows_ = 0;  // 0: not known yet
  bool lanes_ = false;     // rows are lanes somewhere
};

}  // namespace

Program split_into_ranges(Program program, const CpuProfile& cpu, const RowLimits& limits) {
  for (Kernel& kernel : program.kernels) {
    if (kernel.device != Device::kCpu) continue;
    for (Stmt& stmt : kernel.body) {
      if (stmt.kind != StmtKind::kFor) continue;
      if (std::optional<Stmt> ranges = RowSplitter(program, cpu, limits, stmt).run())
        stmt = std::move(*ranges);
    }
  }
  return program;
}

}  // namespace cohort::kernel

namespace cohort::loop_passes {

kernel::Program split_rows(kernel::Program program, const Dims&, const CpuProfile& cpu) {
  constexpr double kFewSteps = 4;       // are no repeated waiting
  constexpr std::int64_t kFewRows = 4;  // use packed products badly
  return kernel::split_into_ranges(std::move(program), cpu,
                                   {kernel::worth_a_thread_ns(cpu), kFewRows, kFewSteps});
}

}  // namespace cohort::loop_passes
