#include "compiler/merge/pq_tree.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>

#include "tests/unit/merge/support.h"

namespace cohort::test {
namespace {

// A tree read from its text.
struct ParsedTree {
  char kind = 0;  // ( or [ or 0 for a leaf
  std::uint32_t leaf = 0;
  std::vector<ParsedTree> children;
};
ParsedTree parse(const char*& text) {
  ParsedTree tree;
  while (*text == ' ') ++text;
  if (*text != '(' && *text != '[') {
    char* end = nullptr;
    tree.leaf = static_cast<std::uint32_t>(std::strtoul(text, &end, 10));
    REQUIRE(end != text);
    text = end;
    return tree;
  }
  tree.kind = *text++;
  while (*text != ')' && *text != ']') tree.children.push_back(parse(text));
  REQUIRE(*text++ == (tree.kind == '(' ? ')' : ']'));
  REQUIRE(tree.children.size() >= (tree.kind == '(' ? 2 : 3));
  return tree;
}
double count_orders(const ParsedTree& tree) {
  double count = tree.kind == '('   ? std::tgamma(static_cast<double>(tree.children.size() + 1))
                 : tree.kind == '[' ? 2
                                    : 1;
  for (const ParsedTree& child : tree.children) count *= count_orders(child);
  return count;
}
void append_random_order(const ParsedTree& tree, Random& random, Elements& order) {
  if (!tree.kind) return order.push_back(tree.leaf);
  std::vector<ParsedTree> children = tree.children;
  if (tree.kind == '(')
    random.shuffle(children);
  else if (random.one_in(2))
    std::reverse(children.begin(), children.end());
  for (const ParsedTree& child : children) append_random_order(child, random, order);
}

// Accepts what some permutation of those left allows, as the tree should.
struct AllPermutations {
  std::vector<Elements> left;

  explicit AllPermutations(std::uint32_t n) {
    Elements order = ascending(n);
    do left.push_back(order);
    while (std::next_permutation(order.begin(), order.end()));
  }
  bool reduce(const Elements& set) {
    std::vector<Elements> still;
    for (const Elements& order : left)
      if (stands_side_by_side(order, set)) still.push_back(order);
    if (still.empty()) return false;
    left = std::move(still);
    return true;
  }
};

Elements random_set(std::uint32_t n, Random& random) {
  Elements set(random.below(n + 2));
  for (std::uint32_t& element : set) element = random.below(n);  // may repeat
  return set;
}
void compare_with_all_permutations(std::uint64_t seed) {
  Random random(seed);
  const std::uint32_t n = 1 + random.below(7);
  PqTree tree(n);
  AllPermutations all(n);
  for (int i = 0; i < 12; ++i) {
    const Elements set = random_set(n, random);
    const std::string before = tree.to_text();
    const bool accepted = tree.reduce(set);
    REQUIRE(accepted == all.reduce(set));
    if (!accepted) REQUIRE(tree.to_text() == before);
    if (random.one_in(4)) tree.arrange();

    // As many orders as there should be, and each of them one of those: then it is those.
    const std::string text = tree.to_text();
    const char* rest = text.c_str();
    const ParsedTree parsed = parse(rest);
    REQUIRE(count_orders(parsed) == doctest::Approx(static_cast<double>(all.left.size())));
    REQUIRE(std::binary_search(all.left.begin(), all.left.end(), tree.order()));
    for (int k = 0; k < 4; ++k) {
      Elements order;
      append_random_order(parsed, random, order);
      REQUIRE(std::binary_search(all.left.begin(), all.left.end(), order));
    }
  }
}

std::string text_after(std::uint32_t n, const std::vector<Elements>& sets) {
  PqTree tree(n);
  for (const Elements& set : sets) CHECK(tree.reduce(set));
  tree.arrange();
  return tree.to_text();
}

}  // namespace

TEST_CASE("trees of few elements and of trivial sets") {
  CHECK(text_after(0, {{}}) == "");
  CHECK(text_after(1, {{}, {0}, {0, 0}}) == "0");
  CHECK(text_after(2, {{0, 1}, {1}}) == "(0 1)");
  CHECK(text_after(4, {{}, {3}, {2, 2}, {3, 0, 2, 1}}) == "(0 1 2 3)");
}

TEST_CASE("each shape of node at which sets meet") {
  CHECK(text_after(5, {{2, 3}}) == "(0 1 (2 3) 4)");
  CHECK(text_after(5, {{2, 3}, {2, 3}}) == "(0 1 (2 3) 4)");
  CHECK(text_after(5, {{2, 3}, {3, 4}}) == "(0 1 [2 3 4])");
  CHECK(text_after(5, {{2, 3}, {3, 4}, {0, 2}}) == "([0 2 3 4] 1)");
  CHECK(text_after(6, {{0, 1, 2}, {3, 4}, {2, 3}}) == "([(0 1) 2 3 4] 5)");
  CHECK(text_after(6, {{0, 1, 2}, {3, 4, 5}, {2, 3}}) == "[(0 1) 2 3 (4 5)]");
  CHECK(text_after(7, {{0, 1, 2, 3}, {0, 1, 2}, {0, 1}, {0, 4}}) == "([3 2 1 0 4] 5 6)");
  CHECK(text_after(7, {{0, 1}, {1, 2}, {4, 5}, {5, 6}, {2, 3, 4}}) == "[0 1 2 3 4 5 6]");
  CHECK(text_after(6, {{0, 1, 2, 3}, {2, 3, 4, 5}, {1, 2}}) == "[0 1 2 3 (4 5)]");
}

TEST_CASE("every decision and every tree is that of all permutations") {
  // COHORT_SEED and COHORT_COUNT in the environment try other and more families of sets.
  const std::uint64_t first = number_from("COHORT_SEED", 0);
  for (std::uint64_t seed = first; seed < first + number_from("COHORT_COUNT", 400); ++seed) {
    CAPTURE(seed);
    compare_with_all_permutations(seed);
  }
}

TEST_CASE("intervals of a hidden order are all accepted") {
  Random random(7);
  for (const std::uint32_t n : {20u, 300u, 2000u}) {
    const Elements hidden = shuffled(n, random);
    PqTree tree(n);
    std::vector<Elements> sets;
    for (std::uint32_t i = 0; i < 2 * n; ++i) {
      const std::uint32_t length = 1 + random.below(i % 8 == 0 ? n / 2 : 12);
      const auto begin = hidden.begin() + random.below(n - length);
      sets.emplace_back(begin, begin + length);
      REQUIRE(tree.reduce(sets.back()));
    }
    tree.arrange();
    const Elements order = tree.order();
    for (const Elements& set : sets) REQUIRE(stands_side_by_side(order, set));
  }
}

TEST_CASE("refused sets change nothing") {
  Random random(8);
  const std::uint32_t n = 1000;
  PqTree tree(n), only_accepted(n);
  int refused = 0;
  for (int i = 0; i < 3000; ++i) {
    // Neighbours mostly, so that large nodes grow before most of what follows is refused.
    Elements set(2 + random.below(6));
    const std::uint32_t first = random.below(n), spread = i % 5 == 0 ? n : 8;
    for (std::uint32_t& element : set) element = (first + random.below(spread)) % n;
    const std::string before = tree.to_text();
    if (tree.reduce(set)) {
      REQUIRE(only_accepted.reduce(set));
    } else {
      ++refused;
      REQUIRE(tree.to_text() == before);
    }
  }
  CHECK(refused > 1000);
  CHECK(refused < 2900);
  CHECK(tree.to_text() == only_accepted.to_text());
}

}  // namespace cohort::test
