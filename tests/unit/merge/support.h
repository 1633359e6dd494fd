// What the tests of consecutive orders share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

namespace cohort::test {

using Elements = std::vector<std::uint32_t>;

struct Random {
  std::mt19937 engine;

  explicit Random(std::uint64_t seed) : engine(static_cast<std::mt19937::result_type>(seed)) {}
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(engine() % n); }
  bool one_in(std::uint32_t n) { return below(n) == 0; }
  template <typename List>
  void shuffle(List& list) {
    for (std::size_t i = list.size(); i > 1; --i)
      std::swap(list[i - 1], list[below(static_cast<std::uint32_t>(i))]);
  }
};

inline Elements ascending(std::uint32_t n, std::uint32_t first = 0) {
  Elements elements(n);
  std::iota(elements.begin(), elements.end(), first);
  return elements;
}
inline Elements shuffled(std::uint32_t n, Random& random) {
  Elements elements = ascending(n);
  random.shuffle(elements);
  return elements;
}
inline bool stands_side_by_side(const Elements& order, const Elements& set) {
  const auto in_set = [&](std::uint32_t e) { return std::find(set.begin(), set.end(), e) != set.end(); };
  const auto first = std::find_if(order.begin(), order.end(), in_set);
  return std::none_of(std::find_if_not(first, order.end(), in_set), order.end(), in_set);
}
inline std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

}  // namespace cohort::test
