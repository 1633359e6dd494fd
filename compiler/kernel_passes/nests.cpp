#include "compiler/kernel_passes/nests.h"

#include <algorithm>
#include <functional>
#include <set>
#include <unordered_map>

#include "compiler/kernel_passes/walk.h"

namespace cohort::kernel {
namespace {

bool is_pure(const ExprRef& e) {
  if (e->kind == ExprKind::kLoad || e->kind == ExprKind::kFinish) return false;
  return std::all_of(e->args.begin(), e->args.end(), is_pure);
}

bool is_loop(const Stmt& s) { return s.kind == StmtKind::kFor || s.kind == StmtKind::kCall; }

class Cutting {
 public:
  explicit Cutting(Program& program) : program_(program) {}

  std::vector<std::vector<Stmt>> cut(std::vector<Stmt> body) {
    std::unordered_map<VarId, std::size_t> last_read;
    for (std::size_t i = 0; i < body.size(); ++i) {
      std::set<VarId> reads;
      collect_reads(body[i], reads);
      for (const VarId v : reads) last_read[v] = i;
    }
    std::vector<std::vector<Stmt>> result;
    std::vector<Stmt> nest;
    std::size_t until = 0;  // the last statement that reads what the nest defines
    for (std::size_t i = 0; i < body.size(); ++i) {
      Stmt& s = body[i];
      if (s.kind == StmtKind::kLet && is_pure(s.value) && reads_only_lets(s.value)) {
        pure_lets_[s.var] = s;
        continue;
      }
      if (s.kind == StmtKind::kLet || s.kind == StmtKind::kVar || s.kind == StmtKind::kAccumulator)
        until = std::max(until, last_read[s.var]);
      const bool loop = is_loop(s);
      nest.push_back(std::move(s));
      const bool before_loop = i + 1 < body.size() && is_loop(body[i + 1]);
      if (until > i || !(loop || before_loop)) continue;
      result.push_back(with_lets(std::move(nest)));
      nest.clear();
    }
    if (!nest.empty()) result.push_back(with_lets(std::move(nest)));
    return result;
  }

 private:
  static void collect_reads(const Stmt& stmt, std::set<VarId>& reads) {
    const auto collect = [&](const Stmt& s) {
      for_each_expr(s, [&](const ExprRef& e) {
        for_each_node(e, [&](const Expr& n) {
          if (n.kind == ExprKind::kVar || n.kind == ExprKind::kFinish) reads.insert(n.id);
        });
      });
      if (s.kind == StmtKind::kAssign || s.kind == StmtKind::kAccumulate) reads.insert(s.var);
    };
    collect(stmt);
    for_each_stmt(stmt.body, collect);
    for_each_stmt(stmt.else_body, collect);
  }
  bool reads_only_lets(const ExprRef& e) const {
    if (e->kind == ExprKind::kVar) return pure_lets_.contains(e->id);
    return std::all_of(e->args.begin(), e->args.end(), [&](const ExprRef& a) { return reads_only_lets(a); });
  }
  // With the pure lets before it that it reads, under names of their own.
  std::vector<Stmt> with_lets(std::vector<Stmt> nest) {
    std::vector<Stmt> all;
    Substitution renamed;
    const std::function<void(const Stmt&)> need = [&](const Stmt& reader) {
      std::set<VarId> reads;
      collect_reads(reader, reads);
      for (const VarId v : reads) {
        const auto found = pure_lets_.find(v);
        if (found == pure_lets_.end() || renamed.contains(v)) continue;
        need(found->second);
        Stmt let = found->second;
        let.value = substitute(let.value, renamed);
        let.var = program_.next_var++;
        renamed[v] = variable(let.var, let.dtype);
        all.push_back(std::move(let));
      }
    };
    for (const Stmt& s : nest) need(s);
    substitute(nest, renamed);
    all.insert(all.end(), std::make_move_iterator(nest.begin()), std::make_move_iterator(nest.end()));
    return all;
  }

  Program& program_;
  std::unordered_map<VarId, Stmt> pure_lets_;
};

}  // namespace

std::vector<std::vector<Stmt>> cut_into_nests(Program& program, std::vector<Stmt> body) {
  return Cutting(program).cut(std::move(body));
}

}  // namespace cohort::kernel
