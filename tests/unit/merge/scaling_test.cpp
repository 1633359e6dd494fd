// What reductions visit, counted: near-linear in elements and total size of the sets.
#include <doctest/doctest.h>

#include <string>

#include "compiler/merge/consecutive_ones.h"
#include "compiler/merge/pq_tree.h"
#include "tests/unit/merge/support.h"

namespace cohort::test {
namespace {

constexpr std::uint32_t kMany = 100'000;

struct Run {
  PqTree tree;
  std::uint64_t size = 0;  // of all sets together
  std::uint64_t accepted = 0;

  explicit Run(std::uint32_t element_count) : tree(element_count), size(element_count) {}
  void reduce(const Elements& set) {
    size += set.size();
    accepted += tree.reduce(set);
  }
  // Between 1 and 4 in all cases below; a list that is walked for each set would make it thousands.
  void check_steps() const { CHECK(static_cast<double>(tree.steps()) < 6 * static_cast<double>(size)); }
};

}  // namespace

TEST_CASE("100,000 intervals of a hidden order") {
  Random random(1);
  const Elements hidden = shuffled(kMany, random);
  Run run(kMany);
  for (std::uint32_t i = 0; i < kMany; ++i) {
    const auto begin = hidden.begin() + random.below(kMany - 20);
    run.reduce(Elements(begin, begin + 2 + random.below(18)));
  }
  CHECK(run.accepted == kMany);
  run.check_steps();
}

TEST_CASE("a chain of 100,000 pairs in random order, then triples of it") {
  Random random(2);
  const Elements hidden = shuffled(kMany, random), links = shuffled(kMany - 2, random);
  Run run(kMany);
  for (const std::uint32_t i : links) run.reduce({hidden[i], hidden[i + 1]});
  run.check_steps();
  for (const std::uint32_t i : links) run.reduce({hidden[i + 1], hidden[i], hidden[i + 2]});
  CHECK(run.accepted == 2 * links.size());
  run.check_steps();
}

TEST_CASE("a chain that grows by one element at its end") {
  Run run(kMany);
  for (std::uint32_t i = 0; i + 1 < kMany; ++i) run.reduce({i, i + 1});
  CHECK(run.accepted == kMany - 1);
  run.check_steps();
}

TEST_CASE("a chain that grows by short chains, whichever of the two is named first") {
  for (const bool long_first : {true, false}) {
    Run run(kMany);
    for (std::uint32_t i = 0; i + 2 < kMany; i += 3) {
      run.reduce({i, i + 1});
      run.reduce({i + 1, i + 2});
      if (i > 0) run.reduce(long_first ? Elements{i - 1, i} : Elements{i, i - 1});
    }
    CHECK(run.accepted == kMany - 2);
    run.check_steps();
  }
}

TEST_CASE("100,000 random sets, most of them refused") {
  Random random(3);
  Run run(kMany);
  for (std::uint32_t i = 0; i < 2 * kMany; ++i) {
    Elements set(2 + random.below(6));
    for (std::uint32_t& element : set) element = random.below(kMany);
    run.reduce(set);
  }
  CHECK(run.accepted > kMany / 10);
  CHECK(run.accepted < kMany);
  run.check_steps();
}

TEST_CASE("halves of halves") {
  Run run(1 << 16);
  for (std::uint32_t length = 2; length <= 1 << 16; length *= 2)
    for (std::uint32_t first = 0; first < 1 << 16; first += length) run.reduce(ascending(length, first));
  CHECK(run.accepted == (1 << 16) - 1);
  run.check_steps();
}

TEST_CASE("sets within sets, 3000 deep, then pairs from everywhere") {
  for (const bool outermost_first : {true, false}) {
    Run run(3000);
    for (std::uint32_t i = 2; i < 3000; ++i) run.reduce(ascending(outermost_first ? 3001 - i : i));
    CHECK(run.accepted == 2998);
    run.tree.arrange();
    CHECK(run.tree.to_text().find("(((((") != std::string::npos);
    run.check_steps();
    Random random(4);
    for (std::uint32_t i = 0; i < kMany; ++i) run.reduce({random.below(3000), random.below(3000)});
    CHECK(run.accepted < kMany / 10);
    run.check_steps();
  }
}

TEST_CASE("what cannot be below the node where a set meets does not climb out of a deep tree") {
  Run run(3000);
  for (std::uint32_t i = 0; i < 4; ++i) run.reduce({i, i + 1});
  for (std::uint32_t i = 6; i < 3000; ++i) run.reduce(ascending(i));
  const std::uint64_t before = run.tree.steps();
  for (std::uint32_t i = 0; i < kMany; ++i) run.reduce({1 + i % 3, 2999});
  CHECK(run.accepted == 4 + 2994);
  CHECK(run.tree.steps() - before < 10 * std::uint64_t{kMany});
}

TEST_CASE("100,000 elements and sets from end to end") {
  Random random(5);
  const Elements hidden = shuffled(kMany, random);
  std::vector<WeightedSet> sets;
  for (std::uint32_t i = 0; i < kMany; ++i) {
    const auto begin = hidden.begin() + random.below(kMany - 10);
    sets.push_back({Elements(begin, begin + 1 + random.below(9)), random.below(100) + 1.0});
  }
  sets.push_back({{hidden[0], hidden[kMany / 2], hidden[kMany - 1]}, 0.5});
  const ConsecutiveOrder result = order_consecutively(kMany, sets);
  CHECK(std::count(result.consecutive.begin(), result.consecutive.end(), false) == 1);
  CHECK(!result.consecutive.back());
}

}  // namespace cohort::test
