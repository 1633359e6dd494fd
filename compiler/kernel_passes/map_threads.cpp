// Kernels of the GPU over its threads: each becomes one launch for each nest, whose outermost loop runs over
// all threads (elements), over teams of sixteen (rows that are summed up or walked together) or over blocks
// (everything that is a sequence of steps). See Note [threads] in ir/kernel.h.
//
//   for v0 < 256 {                                     team v0 < 256 {
//     accumulator v1 = add lanes                         accumulator v1 = add lanes
//     simd v2 < 2048 { accumulate v1, w[v0, v2] }   ⇒    lane v2 < 2048 { accumulate v1, w[v0, v2] }
//     y[v0] = finish(v1)                                 let v3 = finish(v1)
//   }                                                    lane v4 < 1 { y[v0] = v3 }
//                                                      }
//
//   for v0 < 8 { simd v1 < 9 { y[v1, v0] = x[v0] } }   ⇒   grid v2 < 72 { let v0 = v2 / 9, let v1 = v2 % 9
//   ... }
//
// What a thread does, it does in the order of the loops, and a team adds up as sixteen lanes do on the CPU:
// bits are those of the CPU. Before `outline`; kernels of the CPU stay as they are.
#include <algorithm>
#include <set>

#include "compiler/kernel_passes/cooperate.h"
#include "compiler/kernel_passes/device_checks.h"
#include "compiler/kernel_passes/device_products.h"
#include "compiler/kernel_passes/device_steps.h"
#include "compiler/kernel_passes/device_sums.h"
#include "compiler/kernel_passes/device_wide.h"
#include "compiler/kernel_passes/independence.h"
#include "compiler/kernel_passes/kernel_pass.h"
#include "compiler/kernel_passes/loop_cost.h"
#include "compiler/kernel_passes/nests.h"
#include "compiler/kernel_passes/statements.h"
#include "compiler/kernel_passes/walk.h"

namespace cohort::loop_passes {
namespace {

using namespace kernel;

constexpr double kFewRows = 1024;  // below it a long row is worth a block
constexpr double kLongRow = 512;

Stmt once(Program& program, LoopMode mode, std::vector<Stmt> body) {
  Stmt loop = for_loop(program, constant_index(1), mode);
  loop.body = std::move(body);
  return loop;
}

class Mapper {
 public:
  Mapper(Program& program, const Dims& dims) : program_(program), dims_(dims) {}

  // The launches that a kernel becomes.
  std::vector<Kernel> kernel(Kernel kernel) {
    std::vector<Kernel> launches;
    if (Stmt& last = kernel.body.back(); last.mode == LoopMode::kTiles) {
      if (is_tiled(kernel.body, dims_)) return {std::move(kernel)};
      last = tiles_as_loop(program_, std::move(last));
    }
    if (has_checks(kernel.body)) order_checks(kernel.body);
    std::vector<std::vector<Stmt>> nests;
    for (std::vector<Stmt>& nest : cut_into_nests(program_, std::move(kernel.body))) {
      for (std::vector<Stmt>& stage : sum_pieces(program_, nest)) nests.push_back(std::move(stage));
      nests.push_back(std::move(nest));
    }
    for (std::vector<Stmt>& nest : nests) {
      Kernel launch;
      launch.name = kernel.name;
      launch.device = Device::kGpu;
      launch.body =
          has_heavy_steps(program_, nest, dims_) ? step_by_step(std::move(nest)) : mapped(std::move(nest));
      guard_by_checks(program_, launch.body);
      launches.push_back(std::move(launch));
    }
    return launches;
  }

 private:
  // The CPU goes through the steps: a launch for each nest of one.
  std::vector<Stmt> step_by_step(std::vector<Stmt> nest) {
    for (std::vector<Stmt>& part : parts_of_step(program_, nest, dims_))
      for (Stmt& s : mapped(std::move(part))) nest[0].body.push_back(std::move(s));
    nest[0].mode = LoopMode::kLaunches;
    return nest;
  }

  std::vector<Stmt> mapped(std::vector<Stmt> nest) {
    if (is_tiled(nest, dims_)) return one_product(std::move(nest));
    write_products(program_, nest);
    bool loops = false;
    for_each_stmt(nest, [&](const Stmt& s) { loops = loops || s.kind == StmtKind::kFor; });
    if (!loops) return {once(program_, LoopMode::kGrid, std::move(nest))};
    Stmt* loop = nullptr;
    const bool lets_before =
        std::all_of(nest.begin(), nest.end() - 1, [](const Stmt& s) { return s.kind == StmtKind::kLet; });
    if (lets_before && !meets_lets(nest) && nest.back().kind == StmtKind::kFor &&
        is_extent(nest.back().value) && is_free(program_, nest.back()))
      loop = &nest.back();
    if (loop == nullptr) return in_one_block(std::move(nest));
    flatten(*loop);
    if (is_row(*loop)) {
      const bool blocks = trip_count(*loop) < kFewRows && longest_row(loop->body) >= kLongRow;
      loop->mode = blocks || has_steps(loop->body) ? LoopMode::kBlock : LoopMode::kTeam;
      loop->body = shared_out(program_, std::move(loop->body), loop->mode);
    } else {
      widen(program_, *loop, dims_);
    }
    return nest;
  }

  // Whether the last statement stores what the lets before it load, which all threads do for themselves.
  static bool meets_lets(const std::vector<Stmt>& nest) {
    std::set<BufferId> written;
    for_each_use({nest.back()}, [&](const BufferUse& use) {
      if (use.written) written.insert(use.buffer);
    });
    bool meets = false;
    for (std::size_t i = 0; i + 1 < nest.size(); ++i)
      for_each_use_of(nest[i], [&](const BufferUse& use) { meets = meets || written.contains(use.buffer); });
    return meets;
  }

  // One block walks through all of it.
  std::vector<Stmt> in_one_block(std::vector<Stmt> nest) {
    std::vector<Stmt> result;
    result.push_back(
        once(program_, LoopMode::kBlock, shared_out(program_, std::move(nest), LoopMode::kBlock)));
    return result;
  }

  // Whether an iteration has loops whose iterations threads can share.
  bool is_row(const Stmt& loop) const {
    return std::any_of(loop.body.begin(), loop.body.end(), [&](const Stmt& s) { return is_shareable(s); });
  }
  bool is_inner(const Stmt& s) const {
    return s.kind == StmtKind::kFor && is_extent(s.value) && is_free(program_, s);
  }
  bool is_shareable(const Stmt& s) const {
    if (s.kind != StmtKind::kFor) return false;
    return (trip_count(s) >= 4 && runs_in_lanes(program_, s)) ||
           std::any_of(s.body.begin(), s.body.end(), [&](const Stmt& t) { return is_shareable(t); });
  }
  // Of those that add nothing up: more than a team has something to do there.
  static double longest_row(const std::vector<Stmt>& body) {
    double longest = 1;
    for (const Stmt& s : body) {
      bool sums = false;
      for_each_stmt(s.body, [&](const Stmt& t) { sums = sums || t.kind == StmtKind::kAccumulate; });
      if (s.kind == StmtKind::kFor && !sums) longest = std::max(longest, trip_count(s));
    }
    return longest;
  }
  // Loops one after the other within a loop that is none of the threads': a scan. Sums alone are for a team.
  bool has_steps(const std::vector<Stmt>& body) const {
    return std::any_of(body.begin(), body.end(), [&](const Stmt& s) {
      if (s.kind != StmtKind::kFor || runs_in_lanes(program_, s)) return false;
      return std::any_of(s.body.begin(), s.body.end(), [&](const Stmt& t) {
        bool stores = false;
        for_each_stmt({t}, [&](const Stmt& u) { stores = stores || u.kind == StmtKind::kStore; });
        return stores && is_shareable(t);
      });
    });
  }

  // Loops around each other, all of them independent, as one over the grid.
  void flatten(Stmt& loop) {
    std::vector<Stmt> lets;
    while (loop.body.size() == 1 && is_inner(loop.body[0])) {
      Stmt inner = std::move(loop.body[0]);
      const VarId flat = program_.next_var++;
      const ExprRef place = variable(flat, DType::kI64);
      Stmt outer_let = let(loop.var, op(ScalarOp::k_floor_div, {place, inner.value}, DType::kI64));
      Stmt inner_let = let(inner.var, op(ScalarOp::k_mod, {place, inner.value}, DType::kI64));
      loop.value = loop.value * inner.value;
      loop.var = flat;
      lets.insert(lets.begin(), {std::move(outer_let), std::move(inner_let)});
      std::vector<std::uint32_t> sources = std::move(inner.sources);
      loop.sources.insert(loop.sources.end(), sources.begin(), sources.end());
      loop.body = std::move(inner.body);
    }
    loop.mode = LoopMode::kGrid;
    loop.body.insert(loop.body.begin(), std::make_move_iterator(lets.begin()),
                     std::make_move_iterator(lets.end()));
  }
  Program& program_;
  const Dims& dims_;
};

}  // namespace

Program map_threads(Program program, const Dims& dims) {
  Mapper mapper(program, dims);
  std::vector<Kernel> kernels;
  for (Kernel& kernel : program.kernels) {
    if (kernel.device == Device::kCpu) {
      kernels.push_back(std::move(kernel));
      continue;
    }
    for (Kernel& launch : mapper.kernel(std::move(kernel))) kernels.push_back(std::move(launch));
  }
  program.kernels = std::move(kernels);
  return program;
}

}  // namespace cohort::loop_passes
