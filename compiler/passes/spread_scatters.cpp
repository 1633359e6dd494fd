// spread_scatters: additions at constant positions go to different elements one after the other, so that none
// waits for the one before it. Every element is added to in the same order as before: the same bits.
//
//   scatter_add(x, y, [0, 0, 1, 1, 2])   =>   scatter_add(x, take(y, [0, 2, 4, 1, 3]), [0, 1, 2, 0, 1])
//
// Groups of observations come sorted by group (the hierarchical models of statistics), and then every
// addition needs the sum that the last one has just written: 4 to 10 cycles each, where independent ones take
// 1 or 2.
#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <set>

#include "compiler/emitter.h"
#include "compiler/pass.h"
#include "ir/op_def.h"
#include "ir/tensor.h"

namespace cohort::passes {

namespace {

using Values = std::vector<ValueId>;

constexpr std::int64_t kFewest = 32;  // additions
constexpr std::int64_t kMost = std::int64_t{1} << 22;
constexpr std::int64_t kLongestRow = 4;  // elements that move together: longer rows hide the wait
constexpr std::size_t kNear = 3;         // additions within which the sum is not yet there

// Additions that meet their own element among the few before them.
std::size_t waits(const std::vector<std::int64_t>& targets) {
  std::size_t count = 0;
  for (std::size_t i = 1; i < targets.size(); ++i) {
    const std::size_t first = i < kNear ? 0 : i - kNear;
    count += std::find(targets.begin() + static_cast<std::ptrdiff_t>(first),
                       targets.begin() + static_cast<std::ptrdiff_t>(i),
                       targets[i]) != targets.begin() + static_cast<std::ptrdiff_t>(i);
  }
  return count;
}

// The first addition to every element, then the second to each, and so on.
std::vector<std::int64_t> spread_order(const std::vector<std::int64_t>& targets) {
  std::map<std::int64_t, std::int64_t> seen;
  std::vector<std::int64_t> turn(targets.size()), order(targets.size());
  for (std::size_t i = 0; i < targets.size(); ++i) turn[i] = seen[targets[i]]++;
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return turn[static_cast<std::size_t>(a)] < turn[static_cast<std::size_t>(b)];
  });
  return order;
}

class Spreader {
 public:
  Values scatter(Emitter& e, const NodeView& node) {
    if (node.inputs.size() != 3) return {};
    const ValueId x = node.inputs[0], y = node.inputs[1], positions = node.inputs[2];
    if (!is_narrow(e.shape(y)) || !e.shape(x)[0].is_constant()) return {};
    const Spread* spread = find(e, positions, e.shape(x)[0].offset);
    if (!spread) return {};
    const ValueId moved = e.emit("take", {y, spread->order}, {{"axis", std::int64_t{0}}});
    return {e.emit("scatter_add", {x, moved, spread->positions})};
  }

 private:
  struct Spread {
    ValueId order, positions;
  };

  static bool is_narrow(const Shape& y) {
    std::int64_t row = 1;
    for (std::size_t k = 1; k < y.size(); ++k) {
      if (!y[k].is_constant()) return false;
      row *= y[k].offset;
    }
    return !y.empty() && row >= 1 && row <= kLongestRow;
  }

  const Spread* find(Emitter& e, ValueId positions, std::int64_t size) {
    const Tensor* tensor = e.constant(positions);
    if (!tensor || tensor->rank() != 1 || tensor->size() < kFewest || tensor->size() > kMost) return nullptr;
    if (spread_.contains(positions)) return nullptr;
    if (const auto known = known_.find(positions); known != known_.end()) return &known->second;
    std::vector<std::int64_t> targets;
    for (std::int64_t i = 0; i < tensor->size(); ++i) {
      targets.push_back(element_as_int(*tensor, i));
      if (targets.back() < 0 || targets.back() >= size) return nullptr;  // errors stay as they are
    }
    const std::vector<std::int64_t> order = spread_order(targets);
    std::vector<std::int64_t> spread;
    for (const std::int64_t i : order) spread.push_back(targets[static_cast<std::size_t>(i)]);
    if (4 * waits(targets) < targets.size() || 2 * waits(spread) > waits(targets)) return nullptr;
    const std::string name = e.function().value(positions).name;  // constants that are made move it
    const Spread made{constant(e, order, name, " order"), constant(e, spread, name, " spread")};
    spread_.insert(made.positions);
    return &(known_[positions] = made);
  }

  static ValueId constant(Emitter& e, const std::vector<std::int64_t>& elements, const std::string& name,
                          const char* what) {
    Tensor tensor(DType::kI64, {static_cast<std::int64_t>(elements.size())});
    std::memcpy(tensor.mutable_data(), elements.data(), elements.size() * sizeof(std::int64_t));
    const ValueId value = e.to().constant(e.to().module().add_constant("", std::move(tensor)));
    if (!name.empty()) e.to().function().values[value].name = name + what;
    return value;
  }

  std::map<ValueId, Spread> known_;
  std::set<ValueId> spread_;  // positions in an order of ours
};

}  // namespace

Function spread_scatters(ModuleBuilder& module, const Function& function, const PassOptions&) {
  Spreader spreader;
  const RewriteNode apply = [&](Emitter& e, const NodeView& node) -> Values {
    return node.op->name == "scatter_add" ? spreader.scatter(e, node) : Values{};
  };
  return Emitter(module, function, apply).run();
}

}  // namespace cohort::passes
