// Nests over the same extents that share a buffer become one, so that values pass in registers:
//
//   simd v0 < 8 { t[v0] = add(x[v0], 1) }                simd v0 < 8 {
//   simd v1 < 8 { y[v1] = mul(t[v1], x[v1]) }     ⇒        t[v0] = add(x[v0], 1)
//                                                          y[v0] = mul(t[v0], x[v0])
//                                                        }
//
// Kernels are taken in order; one joins the last kernel it depends on, or a later one that reads an element
// it reads, if every dependence between the two is at the loop's own index (loop_uses.h), extents and modes
// agree, and the result stays small. Kernels between them do not depend on it, so it may run earlier; and
// kernels it reads from that nobody else waits for move to where it runs. Inside the joined loop the same is
// done with the loops of its body. Kernels of scalar statements are gathered in groups. Kernels with short
// loops between scalar statements, such as reductions to a scalar, become one list where loops in it join.
//
// A nest that `collapse` would make one flat loop is not joined to one of another form while its rows are
// short and all of it fits into a cache: a vector loop over every short row costs more than passing values in
// memory. See Note [flat nests] in kernel_shape.h.
//
// State may not change before the last check that can fail: a kernel that writes state joins or precedes none
// with checks. Nor does a kernel whose indices come from data, since a check before it may be what allows
// them.
#include <algorithm>
#include <set>

#include "compiler/kernel_passes/guards.h"
#include "compiler/kernel_passes/join_loops.h"
#include "compiler/kernel_passes/kernel_pass.h"
#include "compiler/kernel_passes/kernel_shape.h"
#include "compiler/kernel_passes/loop_uses.h"
#include "compiler/kernel_passes/walk.h"

namespace cohort::loop_passes {
namespace {

using namespace kernel;

constexpr std::size_t kMaxStatements =
    200;  // in a kernel: compile time grows faster than the length of a function
// Flat loops pay while an array fills no more than half of the second-level cache, taken as f64: 2^17
// elements by the default profile.
constexpr double kCachedShare = 0.5;

struct Group {
  Kernel kernel;
  LoopUses uses;
  KernelShape shape = KernelShape::kOther;
  std::size_t statements = 0;
  std::vector<std::int64_t> flat;  // flat_extents of all its nests
  bool checks = false;
  bool awaited = false;  // a later group depends on it
};

class KernelFuser {
 public:
  KernelFuser(const Program& program, std::int64_t cached)
      : program_(program),
        cached_(cached),
        last_writer_(program.buffers.size(), kNone),
        last_reader_(program.buffers.size(), kNone) {}

  std::vector<Kernel> run(std::vector<Kernel> kernels) {
    for (Kernel& kernel : kernels) place(std::move(kernel));
    std::vector<Kernel> result;
    for (Group& group : groups_) {
      if (group.statements == 0) continue;  // moved
      join_loops(group.kernel.body);
      result.push_back(std::move(group.kernel));
    }
    return result;
  }

 private:
  static constexpr int kNone = -1;

  void place(Kernel kernel) {
    Group fresh;
    fresh.shape = shape_of(kernel.body);
    fresh.uses = fresh.shape == KernelShape::kNest ? loop_uses(kernel.body[0]) : list_uses(kernel.body);
    fresh.statements = count_statements(kernel.body);
    if (fresh.shape == KernelShape::kNest) fresh.flat = flat_extents(kernel.body[0]);
    const Guards guards = guards_of(program_, kernel.body);
    int earliest = kNone;
    for (const auto& [buffer, use] : fresh.uses) {
      earliest = std::max(earliest, last_writer_[buffer]);
      if (use.written) earliest = std::max(earliest, last_reader_[buffer]);
    }
    if (guards.writes_state) earliest = std::max(earliest, last_check_ + 1);
    if (guards.guarded) earliest = std::max(earliest, last_check_ + 1);
    if (guards.prints) earliest = std::max(earliest, last_print_);
    fresh.kernel = std::move(kernel);
    fresh.checks = guards.checks;
    int home = find_home(fresh, earliest);
    if (home == kNone && !guards.checks && !guards.prints) home = join_list(fresh, earliest);
    if (home == kNone) {
      home = static_cast<int>(groups_.size());
      groups_.emplace_back();
    }
    if (fresh.shape == KernelShape::kNest) pull_producers(fresh, home);
    record(home, fresh, guards);
    put(groups_[static_cast<std::size_t>(home)], std::move(fresh));
  }

  // Joins a list with a group whose loops it continues; its body is in the group then.
  int join_list(Group& fresh, int earliest) {
    if (!is_short_list(fresh.kernel.body)) return kNone;
    for (const int candidate : candidates(fresh, earliest)) {
      Group& group = at(candidate);
      const bool nests = fresh.shape == KernelShape::kNest && group.shape == KernelShape::kNest;
      if (nests || !fits(candidate, fresh) || group.checks || !is_short_list(group.kernel.body) ||
          !join_lists(group.kernel.body, fresh.kernel.body))
        continue;
      group.shape = shape_of(group.kernel.body);
      fresh.shape = KernelShape::kList;
      fresh.kernel.body.clear();
      return candidate;
    }
    return kNone;
  }

  // Groups before `home` that the kernel reads from and nobody else waits for move there, if they fit.
  void pull_producers(const Group& fresh, int home) {
    std::set<int> producers;
    for (const auto& [buffer, use] : fresh.uses) {
      if (last_writer_[buffer] != kNone && last_writer_[buffer] < home)
        producers.insert(last_writer_[buffer]);
    }
    for (const int p : producers) {
      Group& target = at(home);
      Group& producer = at(p);
      if (!is_movable(p) || producer.kernel.wanted != fresh.kernel.wanted || !same_form(producer, fresh) ||
          !same_form(producer, target) || !same_loop(producer.kernel.body[0], fresh.kernel.body[0]) ||
          !share_elements(producer.uses, fresh.uses) || !may_fuse(producer.uses, fresh.uses) ||
          !may_fuse(producer.uses, target.uses) ||
          target.statements + producer.statements + fresh.statements > kMaxStatements)
        continue;
      for (const auto& [buffer, use] : producer.uses) {
        if (last_writer_[buffer] == p) last_writer_[buffer] = home;
        last_reader_[buffer] = std::max(last_reader_[buffer], home);  // a later group may read it, too
      }
      Group moved = std::move(producer);
      producer = Group{};
      put(target, std::move(moved));
    }
  }

  // Whether a nest may run later: nobody between depends on it, nor writes what it reads.
  bool is_movable(int p) const {
    const Group& group = groups_[static_cast<std::size_t>(p)];
    return group.shape == KernelShape::kNest && !group.checks && !group.awaited &&
           std::all_of(group.uses.begin(), group.uses.end(),
                       [&](const auto& use) { return last_writer_[use.first] <= p; });
  }

  int find_home(const Group& fresh, int earliest) {
    if (fresh.shape == KernelShape::kScalars)
      return last_scalars_ >= earliest && fits(last_scalars_, fresh) ? last_scalars_ : kNone;
    if (fresh.shape != KernelShape::kNest) return kNone;
    for (const int candidate : candidates(fresh, earliest)) {
      const Group& group = groups_[static_cast<std::size_t>(candidate)];
      if (group.shape == KernelShape::kNest && fits(candidate, fresh) && same_form(group, fresh) &&
          same_loop(group.kernel.body[0], fresh.kernel.body[0]) && share_elements(group.uses, fresh.uses) &&
          may_fuse(group.uses, fresh.uses))
        return candidate;
    }
    return kNone;
  }

  // The last group a kernel depends on, and later ones that read what it reads.
  std::set<int> candidates(const Group& fresh, int earliest) const {
    std::set<int> result;
    if (earliest != kNone && earliest < static_cast<int>(groups_.size())) result.insert(earliest);
    for (const auto& [buffer, use] : fresh.uses) {
      if (last_reader_[buffer] >= std::max(earliest, 0)) result.insert(last_reader_[buffer]);
    }
    return result;
  }

  // Whether joining takes no flat loop away that is worth having.
  bool same_form(const Group& a, const Group& b) const {
    return b.statements == 0 || a.flat == b.flat ||
           (!is_better_flat(a.flat, cached_) && !is_better_flat(b.flat, cached_));
  }

  bool fits(int group, const Group& fresh) const {
    if (group == kNone) return false;
    const Group& home = groups_[static_cast<std::size_t>(group)];
    return home.statements + fresh.statements <= kMaxStatements && home.kernel.wanted == fresh.kernel.wanted;
  }

  Group& at(int group) { return groups_[static_cast<std::size_t>(group)]; }

  void record(int home, const Group& fresh, const Guards& guards) {
    for (const auto& [buffer, use] : fresh.uses) {
      for (const int before : {last_writer_[buffer], use.written ? last_reader_[buffer] : kNone}) {
        if (before != kNone && before != home) at(before).awaited = true;
      }
      int& last = use.written ? last_writer_[buffer] : last_reader_[buffer];
      last = std::max(last, home);
    }
    if (guards.checks) last_check_ = std::max(last_check_, home);
    if (guards.prints) last_print_ = std::max(last_print_, home);
    if (fresh.shape == KernelShape::kScalars) last_scalars_ = std::max(last_scalars_, home);
  }

  static void put(Group& group, Group fresh) {
    if (group.statements == 0) {
      group = std::move(fresh);
      return;
    }
    group.statements += fresh.statements;
    if (group.flat != fresh.flat) group.flat.clear();
    group.checks = group.checks || fresh.checks;
    group.awaited = group.awaited || fresh.awaited;
    add(group.uses, fresh.uses);
    std::vector<Stmt>& body = fresh.kernel.body;
    if (group.shape == KernelShape::kNest) return append_body(group.kernel.body[0], std::move(body[0]));
    std::move(body.begin(), body.end(), std::back_inserter(group.kernel.body));
  }

  const Program& program_;
  const std::int64_t cached_;  // elements
  std::vector<Group> groups_;
  std::vector<int> last_writer_, last_reader_;  // the last group that does so, by BufferId
  int last_check_ = kNone;
  int last_print_ = kNone;
  int last_scalars_ = kNone;
};

}  // namespace

Program fuse_loops(Program program, const Dims&, const CpuProfile& cpu) {
  const auto cached = static_cast<std::int64_t>(kCachedShare * cpu.l2_bytes / 8);
  program.kernels = KernelFuser(program, cached).run(std::move(program.kernels));
  return program;
}

}  // namespace cohort::loop_passes
