// A bank of four first-order low-pass filters, compiled from filter.json, fed with a step: prints how each
// one rises and checks the values, which are exact in binary.
#include <array>
#include <cstdio>

#include "filter.hpp"

int main() {
  filter::module bank;
  const float sample = 1.0f;
  std::array<float, 4> levels{};
  for (int step = 1; step <= 3; ++step) {
    bank.step({.sample = {&sample, 1}, .levels = levels});
    std::printf("step %d: %.6f %.6f %.6f %.6f\n", step, static_cast<double>(levels[0]),
                static_cast<double>(levels[1]), static_cast<double>(levels[2]),
                static_cast<double>(levels[3]));
  }
  const std::array<float, 4> expected{0.875f, 0.578125f, 0.330078125f, 0.176025390625f};
  return levels == expected ? 0 : 1;
}
