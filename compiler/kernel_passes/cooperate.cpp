#include "compiler/kernel_passes/cooperate.h"

#include <algorithm>
#include <set>

#include "compiler/kernel_passes/device_rows.h"
#include "compiler/kernel_passes/independence.h"
#include "compiler/kernel_passes/loop_cost.h"
#include "compiler/kernel_passes/statements.h"
#include "compiler/kernel_passes/walk.h"

namespace cohort::kernel {
namespace {

constexpr double kTeam = 16;  // threads

bool is_lane_of(const Stmt& accumulate, VarId loop) {
  return accumulate.kind == StmtKind::kAccumulate && accumulate.index.size() == 1 &&
         accumulate.index[0]->kind == ExprKind::kVar && accumulate.index[0]->id == loop;
}

// The statements without those that accumulate into a lane of the loop's own.
void drop_lane_sums(std::vector<Stmt>& list, VarId loop) {
  std::erase_if(list, [&](const Stmt& s) { return is_lane_of(s, loop); });
  for (Stmt& s : list) {
    drop_lane_sums(s.body, loop);
    drop_lane_sums(s.else_body, loop);
  }
}

bool accumulates_outside(const Stmt& loop) {
  std::set<VarId> inside;
  bool outside = false;
  for_each_stmt(loop.body, [&](const Stmt& s) {
    if (s.kind == StmtKind::kAccumulator) inside.insert(s.var);
    if (s.kind == StmtKind::kAccumulate) outside = outside || !inside.contains(s.var);
  });
  return outside;
}

// Buffers that statements load and store.
struct Touch {
  std::set<BufferId> read, written;

  bool meets(const Touch& later) const {
    const auto common = [](const std::set<BufferId>& a, const std::set<BufferId>& b) {
      return std::any_of(a.begin(), a.end(), [&](BufferId x) { return b.contains(x); });
    };
    return common(written, later.read) || common(written, later.written) || common(read, later.written);
  }
  void add(const Touch& more) {
    read.insert(more.read.begin(), more.read.end());
    written.insert(more.written.begin(), more.written.end());
  }
};

Touch touch_of(const Stmt& stmt, bool with_body) {
  Touch touch;
  const auto use = [&](const BufferUse& u) { (u.written ? touch.written : touch.read).insert(u.buffer); };
  for_each_use_of(stmt, use);
  if (with_body) {
    for_each_use(stmt.body, use);
    for_each_use(stmt.else_body, use);
  }
  return touch;
}

Stmt barrier() {
  Stmt stmt;
  stmt.kind = StmtKind::kBarrier;
  return stmt;
}

class SharingOut {
 public:
  SharingOut(Program& program, LoopMode among) : program_(program), among_(among) {}

  // Sums of lanes that some statement adds to outside a loop over lanes: every thread has all of them.
  void find_whole_sums(const std::vector<Stmt>& list, const Stmt* lanes) {
    for (const Stmt& s : list) {
      if (s.kind == StmtKind::kAccumulate && (lanes == nullptr || !is_lane_of(s, lanes->var)))
        whole_sums_.insert(s.var);
      const bool inner = s.kind == StmtKind::kFor && lanes == nullptr && lanes_run(s);
      find_whole_sums(s.body, inner ? &s : lanes);
      find_whole_sums(s.else_body, lanes);
    }
  }

  std::vector<Stmt> list(std::vector<Stmt> body) {
    std::vector<Stmt> out;
    for (Stmt& s : body) statement(std::move(s), out);
    return out;
  }

 private:
  void statement(Stmt s, std::vector<Stmt>& out) {
    name_sums(s, out);
    if (s.kind == StmtKind::kFor && among_ == LoopMode::kBlock && is_few_rows(program_, s)) {
      for (Stmt& row : rows_apart(program_, std::move(s))) statement(std::move(row), out);
      return;
    }
    if (s.kind == StmtKind::kFor && share_loop(s)) return append(std::move(s), out, true);
    if (s.kind == StmtKind::kStore) return append(by_one_thread(std::move(s)), out, true);
    if (s.kind != StmtKind::kFor && s.kind != StmtKind::kIf) return append(std::move(s), out, false);
    // All threads go through it together: what it begins and ends with meets what is around it.
    const Touch all = touch_of(s, true);
    if (before_.meets(all) || s.kind == StmtKind::kFor) separate(all, out);
    if (s.kind == StmtKind::kFor) s.mode = LoopMode::kSerial;
    const Touch outside = before_;
    s.body = list(std::move(s.body));
    if (s.kind == StmtKind::kFor) separate(all, s.body);
    const Touch then = before_;
    before_ = outside;
    s.else_body = list(std::move(s.else_body));
    before_.add(then);  // a loop may not run at all
    before_.add(touch_of(s, false));
    out.push_back(std::move(s));
  }

  void append(Stmt s, std::vector<Stmt>& out, bool with_body) {
    const Touch touch = touch_of(s, with_body);
    if (before_.meets(touch)) separate(touch, out);
    before_.add(touch);
    out.push_back(std::move(s));
  }
  // A barrier, unless nothing was touched since the last one that `later` could meet again.
  void separate(const Touch& later, std::vector<Stmt>& out) {
    if (before_.meets(later)) out.push_back(barrier());
    if (before_.meets(later)) before_ = {};
  }

  // finish(v) is something that all threads of a team do together, so it never stands in what one of them
  // does.
  void name_sums(Stmt& s, std::vector<Stmt>& out) {
    if (s.kind == StmtKind::kLet && s.value->kind == ExprKind::kFinish) return;
    const auto named = [&](const ExprRef& e) -> ExprRef {
      return e->kind == ExprKind::kFinish ? add_let(program_, out, e) : e;
    };
    rewrite_exprs(s, named);
  }

  // In a block every team runs a lane loop and the first one stores, so none may load what is stored.
  bool lanes_run(const Stmt& loop) const {
    const Touch touch = touch_of(loop, true);
    const bool meets = std::any_of(touch.written.begin(), touch.written.end(),
                                   [&](BufferId b) { return touch.read.contains(b); });
    return !(meets && among_ == LoopMode::kBlock) && runs_in_lanes(program_, loop);
  }
  // Gives an independent loop to the threads.
  bool share_loop(Stmt& loop) {
    const bool sums = accumulates_outside(loop);
    bool whole = false;
    for_each_stmt(loop.body, [&](const Stmt& s) {
      whole = whole || (s.kind == StmtKind::kAccumulate && whole_sums_.contains(s.var) && sums);
    });
    if (sums) {
      if (whole || !lanes_run(loop)) return false;
      loop.mode = LoopMode::kLane;
      return true;
    }
    if (!is_free(program_, loop)) return false;
    loop.mode = among_ == LoopMode::kBlock ? LoopMode::kThread : LoopMode::kLane;
    if (among_ == LoopMode::kBlock && has_long_sums(loop)) {
      loop.mode = LoopMode::kTeam;
      loop.body = shared_out(program_, std::move(loop.body), LoopMode::kTeam);
    }
    return true;
  }
  // Whether a loop within adds up enough for a team.
  bool has_long_sums(const Stmt& loop) const {
    return std::any_of(loop.body.begin(), loop.body.end(), [&](const Stmt& s) {
      return s.kind == StmtKind::kFor && trip_count(s) >= kTeam && accumulates_outside(s) &&
             runs_in_lanes(program_, s);
    });
  }

  Stmt by_one_thread(Stmt store) {
    Stmt one = for_loop(program_, constant_index(1),
                        among_ == LoopMode::kBlock ? LoopMode::kThread : LoopMode::kLane);
    one.sources = store.sources;
    one.body.push_back(std::move(store));
    return one;
  }

  Program& program_;
  const LoopMode among_;
  std::set<VarId> whole_sums_;
  Touch before_;  // since the last barrier
};

}  // namespace

// What runs in lanes was found independent while indices had an expr per axis, which tells more.
bool is_free(const Program& program, const Stmt& loop) {
  return loop.mode == LoopMode::kParallel || (loop.mode == LoopMode::kSimd && !accumulates_outside(loop)) ||
         is_independent(program, loop, variation_of(loop), Together::kThreads);
}

bool runs_in_lanes(const Program& program, const Stmt& loop) {
  if (loop.mode == LoopMode::kParallel || loop.mode == LoopMode::kSimd) return true;
  Stmt without = loop;
  drop_lane_sums(without.body, loop.var);
  return is_independent(program, without, variation_of(without), Together::kThreads);
}

std::vector<Stmt> shared_out(Program& program, std::vector<Stmt> body, LoopMode among) {
  SharingOut sharing(program, among);
  sharing.find_whole_sums(body, nullptr);
  return sharing.list(std::move(body));
}

}  // namespace cohort::kernel
