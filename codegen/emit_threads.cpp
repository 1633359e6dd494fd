// Loops over the threads of a GPU: who runs which iterations. The functions are those of cohort/cuda.h.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "codegen/emit_stmt.h"
#include "codegen/text.h"
#include "compiler/kernel_passes/walk.h"
#include "ir/diagnostics.h"
#include "ir/ops/product_call.h"

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

bool reads(const std::vector<Stmt>& list, kernel::VarId var) {
  bool read = false;
  kernel::for_each_stmt(list, [&](const Stmt& s) {
    kernel::for_each_expr(s, [&](const kernel::ExprRef& e) { read = read || kernel::mentions(e, var); });
  });
  return read;
}

}  // namespace

void StatementPrinter::thread_loop(const Stmt& s) {
  if (s.mode == LoopMode::kTiles) return tiles(s);
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

// What the runtime is told of a product: members of rt_product that are not what they are anyway.
std::string StatementPrinter::product_text(const Stmt& s) const {
  static constexpr std::string_view kNames[] = {"a_at",     "b_at",    "batch",   "m",
                                                "n",        "depth",   "a_batch", "a_row",
                                                "a_column", "b_batch", "b_row",   "b_column"};
  static_assert(std::size(kNames) == gemm_tiles::kCount && kNames[gemm_tiles::kBatch] == "batch" &&
                    kNames[gemm_tiles::kK] == "depth" && kNames[gemm_tiles::kBColumn] == "b_column",
                "in the order of gemm_tiles");
  std::vector<std::string> members;
  for (std::size_t k = 0; k < std::size(kNames); ++k)
    if (!is_constant_index(*s.index[k], k == gemm_tiles::kBatch ? 1 : 0))
      members.push_back(fmt::format(".{} = {}", kNames[k], exprs_.index(s.index[k])));
  return wrapped(std::string(static_cast<std::size_t>(2 * depth_), ' ') + "const rt_product product = {",
                 members, "};\n");
}

void StatementPrinter::tiles(const Stmt& s) {
  text_ += product_text(s);
  std::string parameters;
  std::vector<std::string> names;
  static constexpr std::string_view kPlaces[] = {"p", "i", "j"};
  for (kernel::VarId axis = 0; axis < std::size(kPlaces); ++axis) {
    const bool read = reads(s.body, s.count + axis);
    if (read) names.push_back(names_.unique(kPlaces[axis]));
    if (read) exprs_.name_variable(s.count + axis, {.name = names.back(), .natural = true});
    parameters += read ? fmt::format("int64_t {}, ", names.back()) : "int64_t, ";
  }
  names.push_back(names_.unique("t"));
  exprs_.name_variable(s.var, {.name = names.back()});
  line(fmt::format("rt_gemm_tiles(product, {}, {}, [&]({}{} {}) {{", exprs_.buffer_name(s.buffers[0]),
                   exprs_.buffer_name(s.buffers[1]), parameters, dialect_.value_type(s.dtype), names.back()));
  exprs_.clear_shared();
  around_ = s.mode;
  ++depth_, loops_ += 3;
  list(s.body);
  --depth_, loops_ -= 3;
  around_ = LoopMode::kSerial;
  line("});");
  for (const std::string& name : names) names_.release(name);
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
