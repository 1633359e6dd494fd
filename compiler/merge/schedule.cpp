#include "compiler/merge/schedule.h"

#include <algorithm>
#include <set>

namespace cohort::merge {
namespace {

using NodeId = std::uint32_t;

class Scheduler {
 public:
  Scheduler(const Dependences& dependences, std::span<const std::uint32_t> bucket)
      : dependences_(dependences), waiting_(dependences.waiting), bucket_(bucket.begin(), bucket.end()) {
    std::uint32_t count = 0;
    for (const std::uint32_t b : bucket_) {
      if (b != kAlone) count = std::max(count, b + 1);
    }
    for (std::uint32_t& b : bucket_) {
      if (b == kAlone) b = count++;
    }
    ready_.resize(count);
    first_.resize(count);
    missing_.resize(count);
    for (const std::uint32_t b : bucket_) ++missing_[b];
  }

  std::vector<std::vector<NodeId>> run() {
    const std::vector<NodeId> at_start = nodes_without_dependences();
    for (const NodeId n : at_start) n < bucket_.size() ? make_ready(n) : finish(n);
    std::vector<std::vector<NodeId>> groups;
    while (!queue_.empty()) {
      const std::uint32_t bucket = std::get<2>(*queue_.begin());
      queue_.erase(queue_.begin());
      std::vector<NodeId> group = std::move(ready_[bucket]);
      ready_[bucket].clear();
      std::sort(group.begin(), group.end());
      for (const NodeId n : group) finish(n);
      groups.push_back(std::move(group));
    }
    return groups;
  }

 private:
  using Key = std::tuple<std::uint32_t, NodeId, std::uint32_t>;  // missing, first that is ready, bucket

  std::vector<NodeId> nodes_without_dependences() const {
    std::vector<NodeId> result;
    for (NodeId n = 0; n < waiting_.size(); ++n) {
      if (waiting_[n] == 0) result.push_back(n);
    }
    return result;
  }
  Key key(std::uint32_t bucket) const { return {missing_[bucket], first_[bucket], bucket}; }

  void make_ready(NodeId node) {
    const std::uint32_t bucket = bucket_[node];
    if (!ready_[bucket].empty()) queue_.erase(key(bucket));
    first_[bucket] = ready_[bucket].empty() ? node : std::min(first_[bucket], node);
    ready_[bucket].push_back(node);
    --missing_[bucket];
    queue_.insert(key(bucket));
  }
  void finish(NodeId node) {
    std::vector<NodeId> finished{node};
    while (!finished.empty()) {
      const NodeId done = finished.back();
      finished.pop_back();
      for (const NodeId next : dependences_.next[done]) {
        if (--waiting_[next] > 0) continue;
        if (next < bucket_.size())
          make_ready(next);
        else
          finished.push_back(next);  // a join
      }
    }
  }

  const Dependences& dependences_;
  std::vector<std::uint32_t> waiting_;
  std::vector<std::uint32_t> bucket_;       // by kernel
  std::vector<std::vector<NodeId>> ready_;  // by bucket
  std::vector<std::uint32_t> missing_;      // by bucket: not ready yet
  std::vector<NodeId> first_;               // by bucket: the first that is ready
  std::set<Key> queue_;
};

}  // namespace

std::vector<std::vector<std::uint32_t>> schedule(const Dependences& dependences,
                                                 std::span<const std::uint32_t> bucket) {
  return Scheduler(dependences, bucket).run();
}

}  // namespace cohort::merge
