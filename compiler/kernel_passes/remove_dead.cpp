// Stores that nothing loads go, and with them variables, loops and kernels that have no other purpose.
//
//   for v0 < 8 {                                 for v0 < 8 {
//     let v1 = add(x[v0], 1)                       let v1 = add(x[v0], 1)
//     t[v0] = v1                          ⇒        y[v0] = mul(v1, v1)
//     y[v0] = mul(v1, v1)                        }
//   }
//
// Only temporaries can be dead: outputs and state are what a call is for. One sweep from the last statement
// to the first.
#include <algorithm>
#include <unordered_map>

#include "compiler/kernel_passes/kernel_pass.h"
#include "compiler/kernel_passes/walk.h"

namespace cohort::loop_passes {
namespace {

using namespace kernel;

class Sweep {
 public:
  explicit Sweep(const Program& program) : program_(program), reads_(program.buffers.size()) {
    for (const Kernel& kernel : program.kernels) {
      for_each_use(kernel.body, [&](const BufferUse& use) {
        if (!use.written) ++reads_[use.buffer];
      });
      for_each_stmt(kernel.body, [&](const Stmt& stmt) { count(stmt, 1); });
    }
  }

  void list(std::vector<Stmt>& statements) {
    for (std::size_t i = statements.size(); i-- > 0;) {
      Stmt& stmt = statements[i];
      if (!is_dead(stmt)) {
        if (stmt.body.empty() && stmt.else_body.empty()) continue;
        list(stmt.else_body);
        list(stmt.body);
        if (!stmt.body.empty() || !stmt.else_body.empty()) continue;
      }
      drop(stmt);
      if (!stmt.sources.empty() && i + 1 < statements.size()) {
        std::vector<std::uint32_t>& next = statements[i + 1].sources;
        next.insert(next.begin(), stmt.sources.begin(), stmt.sources.end());
      }
      statements.erase(statements.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

 private:
  // What a variable's own new value is computed from keeps nothing alive.
  void count(const Stmt& stmt, int by) {
    for_each_expr(stmt, [&](const ExprRef& e) {
      for_each_node(e, [&](const Expr& node) {
        if (node.kind != ExprKind::kVar && node.kind != ExprKind::kFinish) return;
        if (stmt.kind != StmtKind::kAssign || stmt.var != node.id) uses_[node.id] += by;
      });
    });
  }

  bool is_dead(const Stmt& stmt) {
    switch (stmt.kind) {
      case StmtKind::kStore:
        return program_.buffers[stmt.buffer].kind == BufferKind::kTemporary && reads_[stmt.buffer] == 0;
      case StmtKind::kLet:
      case StmtKind::kVar:
      case StmtKind::kAssign:
      case StmtKind::kAccumulator:
      case StmtKind::kAccumulate:
        return uses_[stmt.var] == 0;
      case StmtKind::kFor:
      case StmtKind::kIf:
        return stmt.body.empty() && stmt.else_body.empty();
      case StmtKind::kCheck:
      case StmtKind::kAssert:
      case StmtKind::kPrint:
      case StmtKind::kCall:
      case StmtKind::kBarrier:
      case StmtKind::kTransfer:
        return false;
    }
    return false;
  }

  void drop(const Stmt& stmt) {
    count(stmt, -1);
    for_each_use_of(stmt, [&](const BufferUse& use) {
      if (!use.written) --reads_[use.buffer];
    });
  }

  const Program& program_;
  std::vector<int> reads_;               // loads and other reads left, by BufferId
  std::unordered_map<VarId, int> uses_;  // reads left of each variable
};

}  // namespace

Program remove_dead(Program program, const Dims&) {
  Sweep sweep(program);
  for (std::size_t k = program.kernels.size(); k-- > 0;) sweep.list(program.kernels[k].body);
  std::erase_if(program.kernels, [](const Kernel& kernel) { return kernel.body.empty(); });
  return program;
}

}  // namespace cohort::loop_passes
