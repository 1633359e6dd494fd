// Activations of our own: what the graph names as `custom` operators. The program includes this file, too.
#pragma once
#include <algorithm>
#include <cmath>

namespace activations {

// How far beyond the limit, on either side.
inline float excess(float x, float limit) { return std::max(std::abs(x) - limit, 0.0f); }

// Straight up to the limit, from there on it bends.
inline float softclip(float x, float limit) {
  const float beyond = excess(x, limit);
  const float bent = std::min(std::abs(x), limit) + std::log1p(beyond);
  return std::copysign(bent, x);
}

// Its slope in x.
inline float softclip_x(float x, float limit) { return 1 / (1 + excess(x, limit)); }

}  // namespace activations
