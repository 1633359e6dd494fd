// Kernels change places so that state can be updated in place: checks first, and whoever reads a state
// variable before its new value is computed.
//
//   for v0 < 8 { t[v0] = tanh(x[v0]) }                     for v1 < 8 { y[v1] = sum of w[v1, v2] * x[v2] }
//   for v1 < 8 { y[v1] = sum of w[v1, v2] * x[v2] }  ⇒     for v0 < 8 { t[v0] = tanh(x[v0]) }
//   for v2 < 8 { x[v2] = t[v2] }                           for v2 < 8 { x[v2] = t[v2] }
//
// A list schedule over the dependences between kernels. Of the kernels that are ready it takes one that only
// checks; else the first in the old order; a kernel that begins a temporary which is committed to a variable
// waits for the variable's other readers as long as anything else is ready. Kernels that write state wait for
// all checks: after an error the state is as it was. Prints and asserts keep their order. Runs before
// `update_in_place`.
#include <algorithm>
#include <queue>

#include "compiler/kernel_passes/commits.h"
#include "compiler/kernel_passes/kernel_pass.h"
#include "compiler/kernel_passes/walk.h"

namespace cohort::loop_passes {
namespace {

using namespace kernel;

using KernelId = std::uint32_t;
constexpr KernelId kNone = UINT32_MAX;
using Queue = std::priority_queue<KernelId, std::vector<KernelId>, std::greater<>>;

struct Facts {
  std::vector<KernelId> next;  // kernels that depend on it
  std::uint32_t waiting = 0;   // dependences left
  bool checks = false, only_checks = false, prints = false, writes_state = false;
  BufferId begins_for = UINT32_MAX;  // the state variable whose readers it waits for
  std::vector<BufferId> reads_state;
};

class Scheduler {
 public:
  explicit Scheduler(const Program& program)
      : program_(program), facts_(program.kernels.size()), done_(program.kernels.size(), false) {
    std::vector<KernelId> writer(program.buffers.size(), kNone);
    std::vector<std::vector<KernelId>> readers(program.buffers.size());
    KernelId last_print = kNone;
    for (KernelId k = 0; k < facts_.size(); ++k) {
      gather(k, writer, readers);
      if (!facts_[k].prints) continue;
      depend(last_print, k);
      last_print = k;
    }
    find_commits();
  }

  std::vector<KernelId> run() {
    for (KernelId k = 0; k < facts_.size(); ++k) {
      if (facts_[k].waiting == 0) make_ready(k);
    }
    std::vector<KernelId> order;
    order.reserve(facts_.size());
    for (KernelId k = take(); k != kNone; k = take()) {
      order.push_back(k);
      finish(k);
    }
    return order;
  }

 private:
  void depend(KernelId on, KernelId k) {
    if (on == kNone || on == k) return;
    facts_[on].next.push_back(k);
    ++facts_[k].waiting;
  }

  void gather(KernelId k, std::vector<KernelId>& writer, std::vector<std::vector<KernelId>>& readers) {
    Facts& own = facts_[k];
    const std::vector<Stmt>& body = program_.kernels[k].body;
    bool stores = false;
    for_each_stmt(body, [&](const Stmt& s) {
      own.checks = own.checks || s.kind == StmtKind::kCheck || s.kind == StmtKind::kAssert;
      own.prints = own.prints || s.kind == StmtKind::kPrint || s.kind == StmtKind::kAssert;
      stores = stores || s.kind == StmtKind::kStore || s.kind == StmtKind::kCall;
    });
    own.only_checks = own.checks && !own.prints && !stores;
    if (own.checks) ++checks_left_;
    std::vector<std::pair<BufferId, bool>> uses;
    for_each_use(body, [&](const BufferUse& use) { uses.emplace_back(use.buffer, use.written); });
    std::sort(uses.begin(), uses.end());
    uses.erase(std::unique(uses.begin(), uses.end()), uses.end());
    for (const auto& [buffer, written] : uses) {
      depend(writer[buffer], k);
      if (written)
        for (const KernelId reader : readers[buffer]) depend(reader, k);
    }
    for (const auto& [buffer, written] : uses) {
      const bool state = program_.buffers[buffer].kind == BufferKind::kState;
      if (written) {
        writer[buffer] = k;
        readers[buffer].clear();
        own.writes_state = own.writes_state || state;
      } else {
        readers[buffer].push_back(k);
        if (state) own.reads_state.push_back(buffer);
      }
    }
  }

  void find_commits() {
    readers_left_.assign(program_.buffers.size(), 0);
    waiting_for_.resize(program_.buffers.size());
    for (const Facts& f : facts_) {
      for (const BufferId b : f.reads_state) ++readers_left_[b];
    }
    std::vector<KernelId> first_writer(program_.buffers.size(), kNone);
    for (KernelId k = 0; k < facts_.size(); ++k) {
      for_each_use(program_.kernels[k].body, [&](const BufferUse& use) {
        if (use.written && first_writer[use.buffer] == kNone) first_writer[use.buffer] = k;
      });
      const std::optional<Commit> commit = commit_in(program_, k);
      if (!commit || first_writer[commit->temporary] == kNone) continue;
      facts_[first_writer[commit->temporary]].begins_for = commit->state;
    }
  }

  bool others_read(KernelId k) const {
    const Facts& f = facts_[k];
    if (f.begins_for == UINT32_MAX) return false;
    const bool itself =
        std::find(f.reads_state.begin(), f.reads_state.end(), f.begins_for) != f.reads_state.end();
    return readers_left_[f.begins_for] > (itself ? 1U : 0U);
  }

  void make_ready(KernelId k) {
    const Facts& f = facts_[k];
    if (f.only_checks) return first_.push(k);
    if (f.writes_state && checks_left_ > 0) return commits_.push(k);
    if (!others_read(k)) return ready_.push(k);
    delayed_.push(k);
    waiting_for_[f.begins_for].push_back(k);
  }

  KernelId take() {
    for (Queue* queue : {&first_, &ready_, &delayed_, &commits_}) {
      while (!queue->empty()) {
        const KernelId k = queue->top();
        queue->pop();
        if (!done_[k]) return k;  // a kernel that waited may stand in two queues
      }
    }
    return kNone;
  }

  void finish(KernelId k) {
    done_[k] = true;
    const Facts& f = facts_[k];
    if (f.checks && --checks_left_ == 0) {
      for (; !commits_.empty(); commits_.pop()) ready_.push(commits_.top());
    }
    for (const BufferId b : f.reads_state) {
      --readers_left_[b];
      for (const KernelId waiting : waiting_for_[b]) {
        if (!done_[waiting] && !others_read(waiting)) ready_.push(waiting);
      }
    }
    for (const KernelId next : f.next) {
      if (--facts_[next].waiting == 0) make_ready(next);
    }
  }

  const Program& program_;
  std::vector<Facts> facts_;
  std::vector<bool> done_;
  std::vector<std::uint32_t> readers_left_;         // kernels that still read a state variable's old value
  std::vector<std::vector<KernelId>> waiting_for_;  // ready kernels that wait for its readers
  std::size_t checks_left_ = 0;
  Queue first_, ready_, delayed_, commits_;
};

}  // namespace

Program order_kernels(Program program, const Dims&) {
  const std::vector<KernelId> order = Scheduler(program).run();
  std::vector<Kernel> kernels;
  kernels.reserve(order.size());
  for (const KernelId k : order) kernels.push_back(std::move(program.kernels[k]));
  program.kernels = std::move(kernels);
  return program;
}

}  // namespace cohort::loop_passes
