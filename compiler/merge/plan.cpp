#include "compiler/merge/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "compiler/kernel_passes/commits.h"
#include "compiler/kernel_passes/walk.h"
#include "compiler/merge/align.h"
#include "compiler/merge/chains.h"
#include "compiler/merge/cost.h"
#include "compiler/merge/dependences.h"
#include "compiler/merge/near_misses.h"
#include "compiler/merge/schedule.h"
#include "ir/kernel_calls.h"

namespace cohort::merge {
namespace {

using namespace kernel;

// Different extents in one group cost an index table; few extents in many members are better apart.
constexpr std::size_t kMembersPerShape = 4;

bool is_mergeable(const Stmt& s) {
  return s.kind != StmtKind::kPrint && (s.kind != StmtKind::kCall || call_has_starts(s.text));
}
bool is_mergeable(const Kernel& kernel) {
  bool mergeable = true;
  for_each_stmt(kernel.body, [&](const Stmt& s) { mergeable = mergeable && is_mergeable(s); });
  return mergeable;
}

// Arguments of the call, and what a function of the runtime takes whole: these keep their place.
std::vector<bool> fixed_buffers(const Program& program) {
  std::vector<bool> fixed(program.buffers.size());
  for (BufferId b = 0; b < fixed.size(); ++b) fixed[b] = program.buffers[b].kind == BufferKind::kInput;
  for (const Kernel& kernel : program.kernels) {
    for_each_stmt(kernel.body, [&](const Stmt& s) {
      if (is_mergeable(s)) return;
      for_each_use_of(s, [&](const BufferUse& use) {
        if (use.index == nullptr) fixed[use.buffer] = true;
      });
    });
  }
  return fixed;
}

constexpr BufferId kNothing = UINT32_MAX;

// The array that a kernel copies elements of, if it does nothing else.
BufferId copied(const Kernel& kernel) {
  const std::vector<Stmt>* body = &kernel.body;
  while (body->size() == 1 && body->front().kind == StmtKind::kFor) body = &body->front().body;
  const bool copies = body->size() == 1 && body->front().kind == StmtKind::kStore &&
                      body->front().value->kind == ExprKind::kLoad;
  return copies ? body->front().value->id : kNothing;
}

class Planner {
 public:
  Planner(Module& module, Program& program, std::size_t function, MergeMode mode, const CpuProfile& cpu)
      : module_(module), program_(program), function_(function), mode_(mode), cpu_(cpu) {}

  Plan run() {
    const std::size_t count = program_.kernels.size();
    std::vector<bool> fixed = fixed_buffers(program_);
    plan_.lists = roll_sums(module_, program_, fixed);
    skeletons_.resize(count);
    bucket_.assign(count, kAlone);
    commits_.resize(count);
    for (std::uint32_t k = 0; k < count; ++k) {
      commits_[k] = commit_in(program_, k);
      if (is_mergeable(program_.kernels[k]))
        skeletons_[k] = skeleton_of(program_, program_.kernels[k], fixed, plan_.lists);
    }
    find_buckets();
    const std::vector<std::uint32_t> alike = bucket_;
    const std::vector<std::uint32_t> chain = find_chains(program_, alike);
    bucket_ = split_by_chains(alike, chain);
    const Dependences dependences = find_dependences(program_, plan_.lists);
    const std::vector<std::vector<std::uint32_t>> order = schedule(dependences, bucket_);
    const std::vector<bool> lost = lost_to_copies(program_, cpu_, skeletons_, plan_.lists, chain, order);
    for (std::size_t g = 0; g < order.size(); ++g) take(order[g], lost[g]);
    take_commits();
    align_members(program_, plan_);
    const Planned planned{program_, plan_.lists, skeletons_, alike, bucket_, fixed, dependences, order};
    for (NearMiss& miss : find_near_misses(planned, function_)) plan_.near_misses.push_back(std::move(miss));
    return std::move(plan_);
  }

 private:
  // Kernels of one skeleton are one bucket, or one for each set of extents. Copies, which are all alike, are
  // so only if what they copy is. Commits wait for take_commits.
  void find_buckets() {
    std::unordered_map<std::string, std::uint32_t> kinds;
    std::vector<std::vector<std::uint32_t>> alike;  // kernels by kind
    std::vector<std::uint32_t> kind_of_writer(program_.buffers.size(), 0);
    for (std::uint32_t k = 0; k < skeletons_.size(); ++k) {
      if (skeletons_[k].open.empty() || commits_[k]) continue;
      std::string key = skeletons_[k].open;
      if (const BufferId source = copied(program_.kernels[k]); source != kNothing)
        key += fmt::format("|{}", kind_of_writer[source]);
      const auto [kind, fresh] = kinds.try_emplace(std::move(key), static_cast<std::uint32_t>(alike.size()));
      if (fresh) alike.emplace_back();
      alike[kind->second].push_back(k);
      for_each_use(program_.kernels[k].body, [&](const BufferUse& use) {
        if (use.written) kind_of_writer[use.buffer] = 1 + kind->second;
      });
    }
    std::uint32_t next = 0;
    for (const std::vector<std::uint32_t>& members : alike) {
      std::unordered_map<std::string, std::uint32_t> shapes;
      for (const std::uint32_t k : members) {
        const auto fresh = next + static_cast<std::uint32_t>(shapes.size());
        shapes.try_emplace(skeletons_[k].exact, fresh);
      }
      const bool together = shapes.size() * kMembersPerShape > members.size();
      for (const std::uint32_t k : members) bucket_[k] = together ? next : shapes[skeletons_[k].exact];
      next += static_cast<std::uint32_t>(together ? 1 : shapes.size());
    }
  }

  void take(const std::vector<std::uint32_t>& kernels, bool lost_to_copies) {
    if (commits_[kernels.front()]) {  // a bucket of its own
      last_.push_back(kernels.front());
      return;
    }
    if (kernels.size() == 1 || !pays(kernels, lost_to_copies)) {
      for (const std::uint32_t k : kernels) add({k});
      return;
    }
    add(kernels);
  }

  bool pays(const std::vector<std::uint32_t>& kernels, bool lost_to_copies) {
    if (mode_ == MergeMode::kAlways) return true;
    Verdict verdict = merging_pays(program_, cpu_, module_.dims, kernels);
    if (verdict.pays && lost_to_copies)
      verdict = {false, "copying results to the caller's arrays would cost more than one loop saves"};
    if (verdict.pays) return true;
    NearMiss miss{function_, {}, verdict.reason};
    for (const std::uint32_t k : kernels) miss.kernels.push_back(program_.kernels[k].name);
    plan_.near_misses.push_back(std::move(miss));
    return false;
  }

  void add(const std::vector<std::uint32_t>& kernels) {
    Group group;
    group.kernels = kernels;
    if (kernels.size() == 1) {
      for (const BufferId b : skeletons_[kernels.front()].operands) {
        if (plan_.lists.contains(b)) group.operands.push_back({{b}, true});
      }
    } else {
      const std::uint32_t index = static_cast<std::uint32_t>(plan_.groups.size());
      group.operands.resize(skeletons_[kernels.front()].operands.size());
      for (std::size_t o = 0; o < group.operands.size(); ++o) {
        Operand& operand = group.operands[o];
        for (std::uint32_t m = 0; m < kernels.size(); ++m) {
          operand.buffers.push_back(skeletons_[kernels[m]].operands[o]);
          if (!commits_[kernels[m]]) role_.try_emplace(operand.buffers.back(), Role{index, o, m});
        }
        operand.shared = std::all_of(operand.buffers.begin(), operand.buffers.end(),
                                     [&](BufferId b) { return b == operand.buffers.front(); });
      }
      for (const std::uint32_t k : kernels) group.constants.push_back(std::move(skeletons_[k].constants));
    }
    plan_.groups.push_back(std::move(group));
  }

  // Commits are all alike (copies): they are grouped as what they commit was, so that each group is one block
  // of one storage. They come last in a program, and no one waits for them.
  void take_commits() {
    using Key = std::tuple<std::uint32_t, std::size_t, std::size_t, std::string>;
    std::map<Key, std::vector<std::uint32_t>> groups;
    std::unordered_map<BufferId, std::size_t> commits_of;  // a value may be committed to several variables
    for (const std::uint32_t k : last_) {
      const auto role = role_.find(commits_[k]->temporary);
      const std::size_t turn = commits_of[commits_[k]->temporary]++;
      if (role == role_.end() || skeletons_[k].operands.size() != 2)
        add({k});
      else
        groups[{role->second.group, role->second.operand, turn, skeletons_[k].open}].push_back(k);
    }
    for (auto& [key, kernels] : groups) {
      std::sort(kernels.begin(), kernels.end(), [&](std::uint32_t a, std::uint32_t b) {
        return role_.at(commits_[a]->temporary).member < role_.at(commits_[b]->temporary).member;
      });
      add(kernels);
    }
  }

  struct Role {
    std::uint32_t group = 0;
    std::size_t operand = 0;
    std::uint32_t member = 0;
  };

  Module& module_;
  Program& program_;
  const std::size_t function_;
  const MergeMode mode_;
  const CpuProfile& cpu_;
  std::vector<Skeleton> skeletons_;             // by kernel; empty if it cannot be merged
  std::vector<std::uint32_t> bucket_;           // by kernel
  std::vector<std::optional<Commit>> commits_;  // by kernel
  std::vector<std::uint32_t> last_;             // commits, in order
  std::unordered_map<BufferId, Role> role_;     // where a buffer stands in a merged group
  Plan plan_;
};

}  // namespace

std::vector<BufferId> Plan::arrays(const Operand& operand) const {
  std::vector<BufferId> result;
  const auto begin = operand.buffers.begin();
  for (auto b = begin; b != (operand.shared ? begin + 1 : operand.buffers.end()); ++b) {
    const auto list = lists.arrays.find(*b);
    if (list != lists.arrays.end())
      result.insert(result.end(), list->second.begin(), list->second.end());
    else if (!operand.shared)
      result.push_back(*b);
  }
  return result;
}

Plan plan_merging(Module& module, Program& program, std::size_t function, MergeMode mode,
                  const CpuProfile& cpu) {
  return Planner(module, program, function, mode, cpu).run();
}

}  // namespace cohort::merge
