#include "compiler/merge/consecutive_ones.h"

#include <doctest/doctest.h>

#include "tests/unit/merge/support.h"

namespace cohort::test {
namespace {

std::vector<WeightedSet> of_equal_weight(const std::vector<Elements>& sets) {
  std::vector<WeightedSet> weighted;
  for (const Elements& set : sets) weighted.push_back({set, 1});
  return weighted;
}
Elements order_of(std::uint32_t n, const std::vector<Elements>& sets) {
  return order_consecutively(n, of_equal_weight(sets)).order;
}
long count_broken(std::uint32_t n, const std::vector<Elements>& sets) {
  const ConsecutiveOrder result = order_consecutively(n, of_equal_weight(sets));
  return std::count(result.consecutive.begin(), result.consecutive.end(), false);
}

// The matrices without the consecutive-ones property from which every other one has one inside: A. Tucker, A
// structure theorem for the consecutive 1's property, 1972. Without any one of their rows they have it.
struct Family {
  std::uint32_t n;
  std::vector<Elements> sets;
};
Family path(std::uint32_t links) {  // {0,1}, {1,2}, ...
  Family family{links + 1, {}};
  for (std::uint32_t i = 0; i < links; ++i) family.sets.push_back({i, i + 1});
  return family;
}
Elements with(Elements set, std::uint32_t element) {
  set.push_back(element);
  return set;
}
std::vector<Family> tucker_matrices() {
  std::vector<Family> all;
  for (std::uint32_t k = 1; k <= 5; ++k) {
    Family one = path(k + 1);
    one.sets.push_back({0, k + 1});
    Family two = path(k + 1);
    two.sets.push_back(with(ascending(k + 1), two.n));
    two.sets.push_back(with(ascending(k + 1, 1), two.n++));
    Family three = path(k + 1);
    three.sets.push_back(with(ascending(k, 1), three.n++));
    all.insert(all.end(), {one, two, three});
  }
  all.push_back({6, {{0, 1}, {2, 3}, {4, 5}, {0, 2, 4}}});
  all.push_back({5, {{0, 1}, {2, 3}, {0, 1, 2, 3}, {0, 3, 4}}});
  return all;
}

}  // namespace

TEST_CASE("nothing to order, and nothing that orders it") {
  CHECK(order_of(0, {}) == Elements{});
  CHECK(order_of(1, {{0}}) == Elements{0});
  CHECK(order_of(5, {}) == ascending(5));
  CHECK(order_of(5, {{}, {3}, {4, 2, 0, 1, 3}, {1, 1}}) == ascending(5));
  CHECK(count_broken(5, {{}, {3}, {4, 2, 0, 1, 3}, {1, 1}}) == 0);
}

TEST_CASE("sets that stand side by side already change nothing") {
  CHECK(order_of(8, {{2, 3}, {4, 5, 6}, {0, 1, 2, 3}, {3, 4, 5, 6}}) == ascending(8));
  CHECK(order_of(8, {{0, 1, 2, 3, 4, 5}, {1, 2, 3, 4}, {2, 3}}) == ascending(8));
}

TEST_CASE("disjoint, nested and overlapping sets") {
  CHECK(order_of(6, {{0, 3}, {1, 4}, {2, 5}}) == Elements{0, 3, 1, 4, 2, 5});
  CHECK(order_of(6, {{1, 5}, {1, 5, 3}, {1, 5, 3, 0}}) == Elements{0, 1, 5, 3, 2, 4});
  CHECK(order_of(6, {{5, 0}, {0, 3}, {3, 1}, {1, 4}, {4, 2}}) == Elements{2, 4, 1, 3, 0, 5});
  CHECK(order_of(7, {{0, 2, 4}, {4, 6, 1}, {1, 3}}) == Elements{0, 2, 4, 6, 1, 3, 5});
}

TEST_CASE("a Q node begins with the smaller end, wherever its smallest element is") {
  CHECK(order_of(4, {{3, 0}, {0, 2}}) == Elements{2, 0, 3, 1});
}

TEST_CASE("of the forbidden matrices one row is broken, without any row none") {
  for (const Family& family : tucker_matrices()) {
    CAPTURE(family.n);
    CHECK(count_broken(family.n, family.sets) == 1);
    for (std::size_t i = 0; i < family.sets.size(); ++i) {
      std::vector<Elements> fewer = family.sets;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      CHECK(count_broken(family.n, fewer) == 0);
    }
  }
}

TEST_CASE("the lightest set is broken, of equal ones the last") {
  std::vector<WeightedSet> sets{{{0, 1}, 5}, {{0, 2}, 5}, {{0, 3}, 5}};
  CHECK(order_consecutively(4, sets).consecutive == std::vector<bool>{true, true, false});
  sets[2].weight = 6;
  CHECK(order_consecutively(4, sets).consecutive == std::vector<bool>{true, false, true});
  sets[1].weight = 5.5;
  CHECK(order_consecutively(4, sets).consecutive == std::vector<bool>{false, true, true});
}

TEST_CASE("families of random sets: what is said of an order holds of it, twice alike") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    const std::uint32_t n = 1 + random.below(30);
    std::vector<WeightedSet> sets(random.below(20));
    for (WeightedSet& set : sets) {
      set.weight = random.below(4);
      for (std::uint32_t i = random.below(8); i > 0; --i) set.elements.push_back(random.below(n));
    }
    CAPTURE(seed);
    const ConsecutiveOrder result = order_consecutively(n, sets), again = order_consecutively(n, sets);
    CHECK(result.order == again.order);
    CHECK(result.consecutive == again.consecutive);
    CHECK(std::is_permutation(result.order.begin(), result.order.end(), ascending(n).begin()));
    REQUIRE(result.consecutive.size() == sets.size());
    for (std::size_t i = 0; i < sets.size(); ++i)
      CHECK(result.consecutive[i] == stands_side_by_side(result.order, sets[i].elements));
  }
}

}  // namespace cohort::test
