// Runs the perceptron on three rows through the C++ wrapper and compares with what NumPy gives in f64.
#include <cmath>
#include <cstdio>
#include <vector>

#include "expected.h"
#include "mlp.hpp"

int main() {
  mlp::module module;
  std::vector<float> y(3 * 5);
  module.forward({.batch = 3, .x = expected_x, .y = y});
  double worst = 0;
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 5; ++column) {
      const int i = 5 * row + column;
      std::printf("%s%.4f", column ? "  " : "", static_cast<double>(y[i]));
      worst = std::fmax(worst, std::fabs(static_cast<double>(y[i]) - static_cast<double>(expected_y[i])));
    }
    std::printf("\n");
  }
  std::printf("worst difference from NumPy: %.1e\n", worst);
  return worst < 1e-6 ? 0 : 1;
}
