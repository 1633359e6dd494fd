#include "compiler/merge/storage.h"

#include <algorithm>
#include <numeric>

#include "compiler/merge/consecutive_ones.h"

namespace cohort::merge {
namespace {

class DisjointSets {
 public:
  explicit DisjointSets(std::uint32_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), 0U);
  }
  std::uint32_t find(std::uint32_t e) {
    while (parent_[e] != e) e = parent_[e] = parent_[parent_[e]];
    return e;
  }
  void join(std::uint32_t a, std::uint32_t b) { parent_[find(a)] = find(b); }

 private:
  std::vector<std::uint32_t> parent_;
};

// Lists of one storage as sets of positions.
struct Wishes {
  std::vector<WeightedSet> in_order;  // ascending
  std::vector<WeightedSet> others;
};

// Lists that go through the storage in another order are blocks only where they leave the others in theirs.
std::vector<std::uint32_t> order_of(const Wishes& wishes, std::uint32_t count) {
  std::vector<std::uint32_t> order = order_consecutively(count, wishes.in_order).order;
  if (wishes.others.empty()) return order;
  std::vector<WeightedSet> all = wishes.in_order;
  all.insert(all.end(), wishes.others.begin(), wishes.others.end());
  std::vector<std::uint32_t> with_others = order_consecutively(count, all).order;
  const auto ascends = [&](const std::vector<std::uint32_t>& candidate) {
    std::vector<std::uint32_t> place(count);
    for (std::uint32_t i = 0; i < count; ++i) place[candidate[i]] = i;
    return std::all_of(wishes.in_order.begin(), wishes.in_order.end(), [&](const WeightedSet& set) {
      return std::is_sorted(set.elements.begin(), set.elements.end(),
                            [&](std::uint32_t a, std::uint32_t b) { return place[a] < place[b]; });
    });
  };
  return ascends(order) && !ascends(with_others) ? order : with_others;
}

// What the lists are worth that are blocks in this order: side by side and in the order of their members.
double worth(const std::vector<std::uint32_t>& order, const Wishes& wishes) {
  std::vector<std::uint32_t> place(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  double sum = 0;
  for (const std::vector<WeightedSet>* sets : {&wishes.in_order, &wishes.others})
    for (const WeightedSet& set : *sets)
      if (std::adjacent_find(set.elements.begin(), set.elements.end(), [&](std::uint32_t a, std::uint32_t b) {
            return place[b] != place[a] + 1;
          }) == set.elements.end())
        sum += set.weight;
  return sum;
}

// The order for lists whose weights are known. That of the elements themselves, in which the heaviest list is
// a block, is kept where the other is worth less.
std::vector<std::uint32_t> weighed_order(const Wishes& wishes, std::uint32_t count) {
  std::vector<std::uint32_t> own(count);
  std::iota(own.begin(), own.end(), 0U);
  std::vector<std::uint32_t> other = order_of(wishes, count);
  return worth(other, wishes) > worth(own, wishes) ? other : own;
}

}  // namespace

Storages join_lists(std::uint32_t count, std::span<const std::vector<std::uint32_t>> lists) {
  Storages result;
  result.storage.assign(count, Storages::kNone);
  result.position.assign(count, 0);
  DisjointSets sets(count);
  for (const std::vector<std::uint32_t>& list : lists) {
    for (const std::uint32_t e : list) sets.join(list.front(), e);
  }
  std::vector<std::uint32_t> storage_of_root(count, Storages::kNone);
  for (const std::vector<std::uint32_t>& list : lists) {
    std::uint32_t& storage = storage_of_root[sets.find(list.front())];
    if (storage == Storages::kNone) {
      storage = static_cast<std::uint32_t>(result.members.size());
      result.members.emplace_back();
    }
    for (const std::uint32_t e : list) {
      if (result.storage[e] != Storages::kNone) continue;
      result.storage[e] = storage;
      result.position[e] = static_cast<std::uint32_t>(result.members[storage].size());
      result.members[storage].push_back(e);
    }
  }
  return result;
}

Storages plan_storages(std::uint32_t count, std::span<const std::vector<std::uint32_t>> lists,
                       std::span<const double> weights) {
  const auto weight = [&](std::size_t l) {
    return weights.empty() ? static_cast<double>(lists[l].size()) : weights[l];
  };
  // Where the lists leave the order open it is that of the heaviest, in all storages: the members of groups
  // of any size then stand in the same order everywhere.
  std::vector<std::size_t> order(lists.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return weight(a) > weight(b); });
  std::vector<std::vector<std::uint32_t>> heaviest_first;
  for (const std::size_t l : order) heaviest_first.push_back(lists[l]);
  Storages result = join_lists(count, heaviest_first);
  std::vector<Wishes> wishes(result.members.size());
  for (std::size_t l = 0; l < lists.size(); ++l) {
    const std::vector<std::uint32_t>& list = lists[l];
    WeightedSet wish{{}, weight(l)};
    for (const std::uint32_t e : list) wish.elements.push_back(result.position[e]);
    Wishes& of_storage = wishes[result.storage[list.front()]];
    const bool in_order = std::is_sorted(wish.elements.begin(), wish.elements.end());
    (in_order ? of_storage.in_order : of_storage.others).push_back(std::move(wish));
  }
  for (std::size_t s = 0; s < result.members.size(); ++s) {
    std::vector<std::uint32_t>& members = result.members[s];
    std::vector<std::uint32_t> ordered;
    const auto size = static_cast<std::uint32_t>(members.size());
    for (const std::uint32_t i :
         weights.empty() ? order_of(wishes[s], size) : weighed_order(wishes[s], size)) {
      result.position[members[i]] = static_cast<std::uint32_t>(ordered.size());
      ordered.push_back(members[i]);
    }
    members = std::move(ordered);
  }
  return result;
}

}  // namespace cohort::merge
