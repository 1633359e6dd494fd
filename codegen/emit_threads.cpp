// Loops over the threads of a GPU: who runs which iterations. The functions are those of cohort/cuda.h.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "codegen/emit_stmt.h"
#include "ir/diagnostics.h"

namespace cohort {

using kernel::LoopMode;
using kernel::Stmt;
using kernel::StmtKind;

namespace {

struct Share {
  std::string_view first, step;
};
Share share_of(LoopMode mode, LoopMode around) {
  switch (mode) {
    case LoopMode::kGrid:
      return {"rt_thread()", "rt_threads()"};
    case LoopMode::kTeam:
      if (around == LoopMode::kBlock) return {"rt_block_team()", "rt_block_teams()"};
      return {"rt_team()", "rt_teams()"};
    case LoopMode::kLane:
      return {"rt_lane()", "rt_accumulators"};
    case LoopMode::kBlock:
      return {"blockIdx.x", "gridDim.x"};
    case LoopMode::kThread:
      return {"threadIdx.x", "blockDim.x"};
    default:
      internal_error("not a loop over threads");
  }
}

}  // namespace

void StatementPrinter::thread_loop(const Stmt& s) {
  const Share share = share_of(s.mode, around_);
  const std::string end = exprs_.index(s.value), counter = counter_name();
  const LoopMode beyond = beyond_;
  beyond_ = std::exchange(around_, s.mode);
  exprs_.name_variable(s.var, {.name = counter, .natural = true});
  const bool sums = std::any_of(s.body.begin(), s.body.end(), [&](const Stmt& t) {
    return t.kind == StmtKind::kAccumulate && team_sums_.contains(t.var);
  });
  if (sums) line("RT_UNROLL_LANES");
  if (is_constant_index(*s.value, 1) && (s.mode == LoopMode::kLane || s.mode == LoopMode::kThread)) {
    line(fmt::format("if (const int64_t {0} = {1}; {0} == 0) {{", counter, share.first));
  } else {
    line(fmt::format("for (int64_t {0} = {1}; {0} < {2}; {0} += {3}) {{", counter, share.first, end,
                     share.step));
  }
  exprs_.clear_shared();
  ++depth_, ++loops_;
  list(s.body);
  --depth_, --loops_;
  line("}");
  names_.release(counter);
  around_ = std::exchange(beyond_, beyond);
}

void StatementPrinter::barrier() {
  line(around_ == LoopMode::kBlock ? "__syncthreads();" : "rt_team_barrier();");
}

void StatementPrinter::device_check(const Stmt& s) {
  const bool index = s.kind == StmtKind::kCheck;
  std::vector<DeviceCheck>& checks = *kernel_.checks;
  std::string text =
      fmt::format("RT_DEVICE_{}({}, {}, {}, {}", index ? "CHECK" : "ASSERT", exprs_.value(s.value),
                  kernel_.launch, checks.size(), exprs_.index(s.index.back()));
  if (index) text += fmt::format(", {}, {}", exprs_.index(s.index[0]), exprs_.index(s.index[1]));
  line(text + ");");
  checks.push_back({function_, index ? s.text : std::string(), index ? std::string() : s.text});
  exprs_.clear_shared();
}

void StatementPrinter::find_team_sums(const std::vector<Stmt>& body, const Stmt* lanes) {
  for (const Stmt& s : body) {
    if (s.kind == StmtKind::kAccumulate && lanes != nullptr && s.index.size() == 1 &&
        s.index[0]->kind == kernel::ExprKind::kVar && s.index[0]->id == lanes->var)
      team_sums_.insert(s.var);
    const bool inner = s.kind == StmtKind::kFor && s.mode == LoopMode::kLane;
    find_team_sums(s.body, inner ? &s : lanes);
    find_team_sums(s.else_body, lanes);
  }
}

}  // namespace cohort
