#include "compiler/merge/consecutive_ones.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "compiler/merge/pq_tree.h"

namespace cohort {

ConsecutiveOrder order_consecutively(std::uint32_t element_count, std::span<const WeightedSet> sets) {
  std::vector<std::size_t> by_weight(sets.size());
  std::iota(by_weight.begin(), by_weight.end(), std::size_t{0});
  std::stable_sort(by_weight.begin(), by_weight.end(),
                   [&](std::size_t a, std::size_t b) { return sets[a].weight > sets[b].weight; });

  // A refused set is consecutive in no order that satisfies those accepted before it, so not in the last one.
  PqTree tree(element_count);
  std::vector<bool> consecutive(sets.size());
  for (const std::size_t i : by_weight) consecutive[i] = tree.reduce(sets[i].elements);
  tree.arrange();
  return {tree.order(), std::move(consecutive)};
}

}  // namespace cohort
