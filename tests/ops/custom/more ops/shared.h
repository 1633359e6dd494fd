#pragma once
#include <algorithm>
#include <cmath>

namespace shared {
// How far beyond the limit.
inline float excess(float x, float limit) { return std::max(std::abs(x) - limit, 0.0f); }
}  // namespace shared
