#include "compiler/merge/near_misses.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "compiler/kernel_passes/walk.h"
#include "compiler/merge/schedule.h"

namespace cohort::merge {
namespace {

using namespace kernel;
using Kernels = std::vector<std::uint32_t>;

// Whether there is a path between two groups is asked for this many misses; each takes a walk over the graph.
constexpr std::size_t kMostWalks = 20;

const char* kind_name(BufferKind kind) {
  static constexpr const char* kNames[] = {"an input", "an output", "state", "a constant", "a temporary"};
  return kNames[static_cast<int>(kind)];
}

class NearMissFinder {
 public:
  NearMissFinder(const Planned& planned, std::size_t function) : planned_(planned), function_(function) {
    loose_.buffers = planned.program.buffers;
    for (Buffer& b : loose_.buffers) b.kind = BufferKind::kTemporary;
    free_.assign(loose_.buffers.size(), false);
  }

  std::vector<NearMiss> run() {
    collect();
    for (const Kind& kind : kinds_) by_loose_[loose_skeleton(kind.kernels.front()).open].push_back(&kind);
    for (const auto& [open, kinds] : by_loose_) by_operands(kinds);
    for (const Kind& kind : kinds_) by_extents(kind);
    by_chains();
    by_order();
    std::stable_sort(misses_.begin(), misses_.end(), [](const NearMiss& a, const NearMiss& b) {
      return a.kernels.size() > b.kernels.size();
    });
    return std::move(misses_);
  }

 private:
  struct Kind {  // kernels of one skeleton
    Kernels kernels;
    std::vector<std::uint32_t> buckets;
    bool mergeable = true;
  };
  struct Operands {
    std::string open;
    std::vector<BufferId> buffers;
  };

  // Kernels by skeleton. Those that cannot be merged have none: they are a kind for each loose skeleton.
  void collect() {
    std::unordered_map<std::string, std::size_t> kind_of;
    std::vector<std::size_t> kind_of_bucket;
    for (std::uint32_t k = 0; k < planned_.skeletons.size(); ++k) {
      const std::uint32_t b = planned_.alike[k];
      const bool mergeable = !planned_.skeletons[k].open.empty();
      if (mergeable && b == kAlone) continue;  // a commit
      if (b == kAlone) {
        add(kind_of, "!" + loose_skeleton(k).open, k).mergeable = false;
        continue;
      }
      if (b >= kind_of_bucket.size()) kind_of_bucket.resize(b + 1, SIZE_MAX);
      if (kind_of_bucket[b] == SIZE_MAX) {
        Kind& kind = add(kind_of, planned_.skeletons[k].open, k);
        kind.buckets.push_back(b);
        kind_of_bucket[b] = static_cast<std::size_t>(&kind - kinds_.data());
      } else {
        kinds_[kind_of_bucket[b]].kernels.push_back(k);
      }
    }
  }
  Kind& add(std::unordered_map<std::string, std::size_t>& kind_of, const std::string& key, std::uint32_t k) {
    const auto [found, fresh] = kind_of.try_emplace(key, kinds_.size());
    if (fresh) kinds_.emplace_back();
    kinds_[found->second].kernels.push_back(k);
    return kinds_[found->second];
  }

  // The skeleton in which no buffer is fixed and none has a kind.
  Operands loose_skeleton(std::uint32_t k) {
    Skeleton skeleton = skeleton_of(loose_, planned_.program.kernels[k], free_, planned_.lists);
    return {std::move(skeleton.open), std::move(skeleton.operands)};
  }

  void report(std::string reason, const Kernels& kernels) {
    NearMiss miss{function_, {}, std::move(reason)};
    for (const std::uint32_t k : kernels) miss.kernels.push_back(planned_.program.kernels[k].name);
    misses_.push_back(std::move(miss));
  }

  // Kinds that differ in what their operands are: one miss for each way in which they differ from the first.
  void by_operands(const std::vector<const Kind*>& kinds) {
    for (const Kind* kind : kinds) {
      if (!kind->mergeable && kind->kernels.size() > 1)
        report(unmergeable_reason(kind->kernels.front()), kind->kernels);
    }
    std::map<std::string, std::pair<std::string, Kernels>> ways;
    const Kind* first = nullptr;
    std::vector<BufferId> operands;
    for (const Kind* kind : kinds) {
      if (!kind->mergeable) continue;
      if (first == nullptr) {
        first = kind;
        operands = loose_skeleton(kind->kernels.front()).buffers;
        continue;
      }
      auto [way, text] = difference(operands, loose_skeleton(kind->kernels.front()).buffers);
      const auto [found, fresh] = ways.try_emplace(way, std::move(text), first->kernels);
      Kernels& kernels = found->second.second;
      kernels.insert(kernels.end(), kind->kernels.begin(), kind->kernels.end());
    }
    for (const auto& [way, miss] : ways) report(miss.first, miss.second);
  }
  // The first difference between operands: a key, and a text about these two.
  std::pair<std::string, std::string> difference(const std::vector<BufferId>& a,
                                                 const std::vector<BufferId>& b) const {
    const std::vector<Buffer>& buffers = planned_.program.buffers;
    for (std::size_t o = 0; o < a.size(); ++o) {
      const Buffer &left = buffers[a[o]], &right = buffers[b[o]];
      if (a[o] == b[o]) continue;
      if (planned_.fixed[a[o]] && planned_.fixed[b[o]])
        return {fmt::format("{} fixed", o),
                fmt::format("one reads `{}`, another `{}`: {} keep their place", left.name, right.name,
                            left.kind == BufferKind::kInput && right.kind == BufferKind::kInput
                                ? "the caller's arrays"
                                : "such arrays")};
      if (planned_.fixed[a[o]] || planned_.fixed[b[o]]) {
        const Buffer& fixed = planned_.fixed[a[o]] ? left : right;
        const Buffer& other = planned_.fixed[a[o]] ? right : left;
        const char* why = fixed.kind == BufferKind::kInput ? "an array of the caller, which keeps its place"
                                                           : "an array that a function of the runtime takes "
                                                             "whole, which keeps its place";
        return {fmt::format("{} {} {}", o, why, kind_name(other.kind)),
                fmt::format("`{}` is {}; `{}` at its place in another is {}", fixed.name, why, other.name,
                            kind_name(other.kind))};
      }
      if (comparable(left.kind) != comparable(right.kind))
        return {fmt::format("{} {} {}", o, kind_name(left.kind), kind_name(right.kind)),
                fmt::format("operands of another kind: `{}` is {}, `{}` is {}", left.name,
                            kind_name(left.kind), right.name, kind_name(right.kind))};
    }
    return {"copies", "they copy what kernels that are not alike have computed"};
  }
  static BufferKind comparable(BufferKind kind) {
    return kind == BufferKind::kOutput ? BufferKind::kTemporary : kind;
  }
  std::string unmergeable_reason(std::uint32_t k) const {
    std::string reason = "a print keeps its place in the order of the others";
    for_each_stmt(planned_.program.kernels[k].body, [&](const Stmt& s) {
      if (s.kind == StmtKind::kCall) reason = fmt::format("`{}` takes whole arrays", s.text);
    });
    return reason;
  }

  void by_extents(const Kind& kind) {
    if (kind.buckets.size() < 2) return;
    report(fmt::format("{} sets of extents with {} kernels: each set is a group, whose loops have constant "
                       "bounds",
                       kind.buckets.size(), kind.kernels.size()),
           kind.kernels);
  }

  // Buckets that were split.
  void by_chains() {
    std::map<std::uint32_t, std::pair<std::set<std::uint32_t>, Kernels>> parts;
    for (std::uint32_t k = 0; k < planned_.alike.size(); ++k) {
      if (planned_.alike[k] == kAlone) continue;
      parts[planned_.alike[k]].first.insert(planned_.bucket[k]);
      parts[planned_.alike[k]].second.push_back(k);
    }
    for (const auto& [whole, split] : parts) {
      if (split.first.size() > 1)
        report(fmt::format("in {} groups by the kernels their loops are joined with", split.first.size()),
               split.second);
    }
  }

  // Buckets that did not become one group.
  void by_order() {
    std::vector<std::vector<const Kernels*>> parts;
    for (const Kernels& group : planned_.schedule) {
      const std::uint32_t b = planned_.bucket[group.front()];
      if (b == kAlone) continue;
      if (b >= parts.size()) parts.resize(b + 1);
      parts[b].push_back(&group);
    }
    const auto split = std::partition(parts.begin(), parts.end(), [](const auto& p) { return p.size() > 1; });
    parts.erase(split, parts.end());
    const auto count = [](const std::vector<const Kernels*>& groups) {
      std::size_t kernels = 0;
      for (const Kernels* g : groups) kernels += g->size();
      return kernels;
    };
    std::sort(parts.begin(), parts.end(), [&](const auto& a, const auto& b) {
      return std::pair(count(b), a.front()->front()) < std::pair(count(a), b.front()->front());
    });
    for (std::size_t i = 0; i < parts.size(); ++i) {
      Kernels kernels;
      for (const Kernels* g : parts[i]) kernels.insert(kernels.end(), g->begin(), g->end());
      report(fmt::format("scheduled apart, in {} groups: {}", parts[i].size(),
                         i < kMostWalks ? why_apart(*parts[i][0], *parts[i][1])
                                        : "some need what is computed after others"),
             kernels);
    }
  }
  std::string why_apart(const Kernels& before, const Kernels& after) const {
    std::vector<bool> reached(planned_.dependences.next.size(), false);
    std::vector<std::uint32_t> waiting(before.begin(), before.end());
    while (!waiting.empty()) {
      const std::uint32_t n = waiting.back();
      waiting.pop_back();
      for (const std::uint32_t next : planned_.dependences.next[n]) {
        if (!reached[next]) waiting.push_back(next);
        reached[next] = true;
      }
    }
    for (const std::uint32_t k : after) {
      if (reached[k])
        return fmt::format("`{}` needs what one of the first group computes",
                           planned_.program.kernels[k].name);
    }
    return "together with other groups they would need each other in a circle";
  }

  const Planned& planned_;
  const std::size_t function_;
  Program loose_;           // its buffers have no kinds
  std::vector<bool> free_;  // by buffer: none is fixed
  std::vector<Kind> kinds_;
  std::map<std::string, std::vector<const Kind*>> by_loose_;
  std::vector<NearMiss> misses_;
};

}  // namespace

std::vector<NearMiss> find_near_misses(const Planned& planned, std::size_t function) {
  return NearMissFinder(planned, function).run();
}

}  // namespace cohort::merge
