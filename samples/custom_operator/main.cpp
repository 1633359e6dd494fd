// Trains the layer by one step and compares with the same function of activations.h, called by hand.
#include <cmath>
#include <cstdio>
#include <vector>

#include "activations.h"
#include "layer.hpp"

int main() {
  layer::module model;
  std::vector<float> x(256);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0.02f * static_cast<float>(i) - 2;

  float loss = 0;
  model.train({.x = x, .loss = {&loss, 1}});

  double expected = 0, worst = 0;
  const auto weight = model.weight();
  for (std::size_t i = 0; i < x.size(); ++i) {
    const float y = activations::softclip(x[i], 0.5f);
    expected += static_cast<double>(y) * y;
    const float slope = 2 * y * activations::softclip_x(x[i], 0.5f) * x[i];
    worst = std::fmax(worst, std::fabs(weight[i] - (1 - 0.25f * slope)));
  }
  std::printf("loss %.6g, by hand %.6g; weights differ by at most %g\n", static_cast<double>(loss), expected,
              worst);
  return std::fabs(loss - expected) < 1e-4 * expected && worst < 1e-6 ? 0 : 1;
}
