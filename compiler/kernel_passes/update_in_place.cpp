// New values of state are computed where the state lies, if nobody reads the old value later:
//
//   for v0 < 8 { t[v0] = mul(x[v0], 2) }
//   for v1 < 8 { y[v1] = add(t[v1], 1) }      ⇒      for v0 < 8 { x[v0] = mul(x[v0], 2) }
//   for v2 < 8 { x[v2] = t[v2] }                     for v1 < 8 { y[v1] = add(x[v1], 1) }
//
// The temporary is renamed to the state variable in the whole program. Allowed if, from the first statement
// that writes the temporary on, the state is read only by that statement itself, in each iteration at the
// index it writes and before it writes; and if no check that can fail comes later, for after an error the
// state is as it was. Copies that this leaves (x[v2] = x[v2]) go. What is refused here may still lose its
// copy in `fuse_loops`. Before `vectorise`.
#include <algorithm>
#include <unordered_map>

#include "compiler/kernel_passes/commits.h"
#include "compiler/kernel_passes/kernel_pass.h"
#include "compiler/kernel_passes/walk.h"

namespace cohort::loop_passes {
namespace {

using namespace kernel;

// Positions in the list of kernels; npos: none.
constexpr std::size_t kNever = SIZE_MAX;
struct BufferLife {
  std::size_t first_write = kNever;
  std::vector<std::size_t> readers;  // ascending, each once
};

// Walks the statement that first writes the temporary: see the top of the file.
class NestCheck {
 public:
  NestCheck(BufferId state, BufferId temporary) : state_(state), temporary_(temporary) {}

  bool allows(const Stmt& stmt) {
    bool reads = false;
    for_each_use({stmt}, [&](const BufferUse& use) { reads = reads || use.buffer == state_; });
    if (!reads) return true;
    visit({stmt});
    return allowed_;
  }

 private:
  void visit(const std::vector<Stmt>& list) {
    for (const Stmt& stmt : list) {
      for_each_use_of(stmt, [&](const BufferUse& use) {
        if (use.buffer == state_) read(use.index);
        if (use.buffer == temporary_ && use.written) write(use.index);
      });
      if (stmt.kind == StmtKind::kFor) loops_.push_back(stmt.var);
      visit(stmt.body);
      if (stmt.kind == StmtKind::kFor) loops_.pop_back();
      visit(stmt.else_body);
    }
  }
  void read(const std::vector<ExprRef>* index) { allowed_ = allowed_ && !written_ && agrees(index); }
  void write(const std::vector<ExprRef>* index) {
    written_ = true;
    allowed_ = allowed_ && agrees(index);
    if (!allowed_) return;
    for (const VarId var : loops_) {  // written once: the index tells all iterations apart
      allowed_ = allowed_ && std::any_of(index->begin(), index->end(), [&](const ExprRef& i) {
                   return i->kind == ExprKind::kVar && i->id == var;
                 });
    }
  }
  bool agrees(const std::vector<ExprRef>* index) {
    if (index == nullptr) return false;
    if (!seen_) {
      index_ = *index;
      seen_ = true;
    }
    return same_index(index_, *index);
  }

  BufferId state_, temporary_;
  std::vector<VarId> loops_;
  std::vector<ExprRef> index_;
  bool seen_ = false, written_ = false, allowed_ = true;
};

class InPlace {
 public:
  explicit InPlace(const Program& program) : program_(program), lives_(program.buffers.size()) {
    for (std::size_t k = 0; k < program.kernels.size(); ++k) {
      for_each_use(program.kernels[k].body, [&](const BufferUse& use) {
        BufferLife& life = lives_[use.buffer];
        if (use.written) life.first_write = std::min(life.first_write, k);
        if (!use.written && (life.readers.empty() || life.readers.back() != k)) life.readers.push_back(k);
      });
      for_each_stmt(program.kernels[k].body, [&](const Stmt& s) {
        if (s.kind == StmtKind::kCheck || s.kind == StmtKind::kAssert) last_check_ = k;
      });
    }
  }

  std::unordered_map<BufferId, BufferId> run() {
    std::unordered_map<BufferId, BufferId> renamed;
    for (std::size_t k = 0; k < program_.kernels.size(); ++k) {
      const std::optional<Commit> commit = commit_in(program_, k);
      if (commit && !renamed.contains(commit->temporary) && allowed(*commit))
        renamed.emplace(commit->temporary, commit->state);
    }
    return renamed;
  }

 private:
  bool allowed(const Commit& commit) const {
    const BufferLife &state = lives_[commit.state], &temporary = lives_[commit.temporary];
    const std::size_t begin = temporary.first_write;
    if (begin >= commit.kernel || state.first_write != commit.kernel) return false;
    if (last_check_ != kNever && last_check_ >= begin) return false;
    if (!state.readers.empty() && state.readers.back() > begin) return false;
    if (state.readers.empty() || state.readers.back() < begin) return true;
    // The kernel that begins the temporary reads the state.
    bool written = false;
    for (const Stmt& stmt : program_.kernels[begin].body) {
      bool reads = false, writes = false;
      for_each_use({stmt}, [&](const BufferUse& use) {
        reads = reads || use.buffer == commit.state;
        writes = writes || (use.buffer == commit.temporary && use.written);
      });
      if (written && reads) return false;
      if (writes && !NestCheck(commit.state, commit.temporary).allows(stmt)) return false;
      written = written || writes;
    }
    return true;
  }

  const Program& program_;
  std::vector<BufferLife> lives_;
  std::size_t last_check_ = kNever;
};

void rename(std::vector<Stmt>& list, const std::unordered_map<BufferId, BufferId>& names) {
  const auto name = [&](BufferId& b) {
    const auto found = names.find(b);
    if (found != names.end()) b = found->second;
  };
  std::vector<Stmt> result;
  for (Stmt& stmt : list) {
    rewrite_exprs(stmt, [&](const ExprRef& e) -> ExprRef {
      const auto found = e->kind == ExprKind::kLoad ? names.find(e->id) : names.end();
      return found == names.end() ? e : load(found->second, e->dtype, e->args);
    });
    name(stmt.buffer);
    for (BufferId& b : stmt.buffers) name(b);
    rename(stmt.body, names);
    rename(stmt.else_body, names);
    const bool copies_itself = stmt.kind == StmtKind::kStore && stmt.value->kind == ExprKind::kLoad &&
                               stmt.value->id == stmt.buffer && same_index(stmt.index, stmt.value->args);
    const bool empty = stmt.kind == StmtKind::kFor && stmt.body.empty();
    if (!copies_itself && !empty) result.push_back(std::move(stmt));
  }
  list = std::move(result);
}

}  // namespace

Program update_in_place(Program program, const Dims&) {
  const std::unordered_map<BufferId, BufferId> names = InPlace(program).run();
  if (names.empty()) return program;
  for (Kernel& kernel : program.kernels) rename(kernel.body, names);
  std::erase_if(program.kernels, [](const Kernel& kernel) { return kernel.body.empty(); });
  return program;
}

}  // namespace cohort::loop_passes
