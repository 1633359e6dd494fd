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
#include <algorithm>
#include <cmath>
#include <map>

#include "compiler/kernel_passes/access.h"
#include "compiler/kernel_passes/kernel_pass.h"
#include "compiler/kernel_passes/walk.h"

namespace cohort::loop_passes {
namespace {

using namespace kernel;

constexpr double kLanes = 8;           // of a typical vector
constexpr double kAssumedExtent = 64;  // of a loop over a named dim
constexpr double kFunction = 20;       // instructions, of a scalar or of a vector
constexpr double kCarried = 4;         // cycles until an accumulated value can be added to again

struct Access {
  std::vector<IndexRef> all;
  bool written = false;
};
using Accesses = std::map<BufferId, Access>;

class Vectoriser {
 public:
  explicit Vectoriser(const Program& program) : program_(program) {}

  // The cost of a list with the best choice of simd loops within, which are marked.
  double choose(std::vector<Stmt>& list) {
    double cost = 0;
    for (Stmt& stmt : list) cost += choose(stmt);
    return cost;
  }

 private:
  double choose(Stmt& stmt) {
    if (stmt.kind != StmtKind::kFor) {
      const double own = statement_cost(stmt, nullptr);
      return own + choose(stmt.body) + choose(stmt.else_body);
    }
    const double trips = trip_count(stmt);
    const double serial = trips * (1 + choose(stmt.body));
    if (stmt.mode != LoopMode::kSerial) return serial;
    const LoopVariation loop = variation_of(stmt);
    if (!is_independent(stmt, loop)) return serial;
    const double simd = std::ceil(trips / kLanes) * (1 + list_cost(stmt.body, &loop));
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

  static double trip_count(const Stmt& loop) {
    if (loop.value->kind != ExprKind::kConst) return kAssumedExtent;
    return static_cast<double>(static_cast<std::int64_t>(loop.value->bits));
  }

  // Legality.
  bool is_independent(const Stmt& stmt, const LoopVariation& loop) const {
    Accesses accesses;
    return statements_allow(stmt.body, loop, accesses) &&
           std::all_of(accesses.begin(), accesses.end(), [&](const auto& entry) {
             return !entry.second.written || tells_iterations_apart(entry.second.all, loop);
           });
  }

  bool statements_allow(const std::vector<Stmt>& list, const LoopVariation& loop, Accesses& accesses) const {
    return std::all_of(list.begin(), list.end(), [&](const Stmt& stmt) {
      for_each_use_of(stmt, [&](const BufferUse& use) {
        Access& access = accesses[use.buffer];
        access.all.push_back(use.index);
        access.written = access.written || use.written;
      });
      return statement_allows(stmt, loop) && statements_allow(stmt.body, loop, accesses) &&
             statements_allow(stmt.else_body, loop, accesses);
    });
  }

  static bool statement_allows(const Stmt& stmt, const LoopVariation& loop) {
    switch (stmt.kind) {
      case StmtKind::kCheck:
      case StmtKind::kAssert:
      case StmtKind::kPrint:
      case StmtKind::kCall:
        return false;
      case StmtKind::kFor:
      case StmtKind::kIf:
        return !varies(stmt.value, loop);
      case StmtKind::kAssign:
        return loop.inside.contains(stmt.var);
      case StmtKind::kAccumulator:
        return !stmt.lanes && stmt.dtype != DType::kBool;  // emitters hold no masks in these
      case StmtKind::kAccumulate:
        return loop.inside.contains(stmt.var) ||
               (!stmt.index.empty() && stmt.index[0]->kind == ExprKind::kVar &&
                stmt.index[0]->id == loop.var);
      case StmtKind::kVar:
        return stmt.dtype != DType::kBool;
      case StmtKind::kStore:
      case StmtKind::kLet:
        return true;
    }
    return false;
  }

  // Cost of one iteration, of all lanes at once if `loop` is the simd loop around.
  double list_cost(const std::vector<Stmt>& list, const LoopVariation* loop) const {
    double cost = 0;
    for (const Stmt& stmt : list) {
      cost += statement_cost(stmt, loop);
      const double inner = list_cost(stmt.body, loop) + list_cost(stmt.else_body, loop);
      cost += stmt.kind == StmtKind::kFor ? trip_count(stmt) * (1 + inner) : inner;
    }
    return cost;
  }

  double statement_cost(const Stmt& stmt, const LoopVariation* loop) const {
    double cost = stmt.kind == StmtKind::kAccumulate || stmt.kind == StmtKind::kAssign ? kCarried : 0;
    for_each_expr(stmt, [&](const ExprRef& e) { cost += expression_cost(*e, loop); });
    if (stmt.kind == StmtKind::kStore) cost += access_cost(stmt.buffer, stmt.index, loop);
    return cost;
  }

  double expression_cost(const Expr& expr, const LoopVariation* loop) const {
    if (expr.kind == ExprKind::kLoad)
      return access_cost(expr.id, expr.args, loop);  // its index costs nothing
    double cost = 0;
    if (expr.kind == ExprKind::kOp)
      cost = (scalar_op_info(expr.op).traits & Trait::kTranscendental) != 0 ? kFunction : 1;
    for (const ExprRef& arg : expr.args) cost += expression_cost(*arg, loop);
    return cost;
  }

  double access_cost(BufferId buffer, const std::vector<ExprRef>& index, const LoopVariation* loop) const {
    if (loop == nullptr) return 1;
    switch (movement(program_.buffers[buffer], index, *loop)) {
      case Movement::kInvariant:
      case Movement::kUnit:
        return 1;
      case Movement::kStrided:
      case Movement::kOther:
        break;
    }
    return kLanes;
  }

  const Program& program_;
};

}  // namespace

Program vectorise(Program program, const Dims&) {
  Vectoriser vectoriser(program);
  for (Kernel& kernel : program.kernels) vectoriser.choose(kernel.body);
  return program;
}

}  // namespace cohort::loop_passes
