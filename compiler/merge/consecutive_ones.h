// Orders n elements so that as many given sets as possible stand side by side: arrays in one storage so that
// the operands of a merged loop are one block, where every other operand costs a table of indices.
//
//   sets of five elements   {0,3}  {3,4}  {1,2}  {0,4}
//   order                   0 3 4 1 2
//   consecutive             yes    yes    yes    no      3 lies between 0 and 4: the first two demand it
//
// The work is done by a PQ-tree (pq_tree.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cohort {

struct WeightedSet {
  std::vector<std::uint32_t> elements;  // in any order, repeated or not
  double weight = 1;                    // what it is worth, such as the bytes that are read through it
};

struct ConsecutiveOrder {
  std::vector<std::uint32_t> order;  // the n elements, each once
  std::vector<bool> consecutive;     // by set: whether its elements stand side by side in `order`
};

// Sets are tried from the heaviest to the lightest, equal ones as they are given; one that cannot stand side
// by side together with those accepted before is skipped. (To accept the most weight is NP-hard.) Among the
// orders that satisfy the accepted sets it gives the one that stays near 0, 1, ..., n-1: what may be permuted
// stands in ascending order of smallest elements, what may only be reversed begins with the smaller of its
// two ends. Elements are below `element_count`, weights are numbers. Time: see PqTree::reduce.
ConsecutiveOrder order_consecutively(std::uint32_t element_count, std::span<const WeightedSet> sets);

}  // namespace cohort
