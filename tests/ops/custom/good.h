// Sixteen functions that the operator `custom` takes; ../custom.txt says what they give.
#pragma once
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <limits>

#include "more ops/shared.h"

#define CUBE(x) ((x) * (x) * (x))
#define ROUNDS 8

// 1: floats, a helper, early returns, comments.
static inline float softclip(float x, float limit) {
  if (x != x) return x;  // NaN stays
  const float beyond = shared::excess(x, limit);  /* none: as it is */
  if (beyond == 0) return x;
  return (x < 0 ? -1.0f : 1.0f) * (limit + 0.5f * std::log1p(2.0f * beyond));
}
inline float softclip_x(float x, float limit) {
  const float beyond = shared::excess(x, limit);
  return beyond == 0 ? 1.0f : 1.0f / (1.0f + 2.0f * beyond);
}

// 2: doubles, macros, a constant of a macro.
double swell(double x) { return CUBE(x) / M_PI + x; }
double swell_x(double x) { return 3 * x * x / M_PI + 1; }
double swell_xx(double x) { return 6 * x / M_PI; }
double swell_xxx(double) { return 6 / M_PI; }

// 3: derivatives of both operands.
double blend(double a, double b) { return a * std::tanh(b); }
double blend_a(double, double b) { return std::tanh(b); }
double blend_b(double a, double b) {
  const double t = std::tanh(b);
  return a * (1 - t * t);
}
double blend_aa(double, double) { return 0; }
double blend_ab(double, double b) { return blend_b(1, b); }
double blend_bb(double a, double b) { return -2 * blend_b(a, b) * std::tanh(b); }

// 4: a loop with a condition, integers.
std::int32_t collatz(std::int32_t n) {
  std::int32_t count = 0;
  while (n > 1 && count < 1000) {
    n = n % 2 == 0 ? n / 2 : 3 * n + 1;
    ++count;
  }
  return count;
}

// 5: for, continue, break, compound assignment; unsigned arithmetic wraps.
uint32_t scramble(uint32_t x) {
  for (int round = 0; round < ROUNDS; ++round) {
    if (round == 2) continue;
    x ^= x << 13;
    x ^= x >> 17;
    x *= 2654435761u;
    if (round == 6) break;
  }
  return x;
}

// 6: do, old and new values of a variable, a comma.
int16_t zigzag(int16_t n) {
  int16_t i = 0, sum = 0;
  do {
    sum = static_cast<int16_t>(sum + i++);
  } while (i < n);
  return sum, --i;
}

// 7: bool in, bool out, logic.
bool majority(bool a, bool b, bool c) { return (a && b) || (c && (a || b)); }

// 8: dtypes that differ, conversions.
double weighed(float weight, int64_t n, bool on) { return on ? static_cast<double>(weight) * n : -0.5; }

// 9: a namespace, constants, an enumerator, a type of its own.
namespace units {
using real = float;
constexpr real kStep = 0.25f;
const int kLevels = 5;
enum Mode { kDown = 0, kUp = 1 };
inline real quantise(real x) {
  real level = std::floor(x / kStep);
  if (level > real(kLevels)) level = kLevels;
  return level * kStep + (kUp - kDown);
}
}  // namespace units

// 10: <limits>, min, max, clamp, what is not a number.
inline float bounded(float x) {
  if (std::isnan(x) || x > FLT_MAX) return std::numeric_limits<float>::max();
  if (std::isinf(x)) return -INFINITY;
  return std::max(std::min(x, 4.0f), std::clamp(x, -2.0f, 1.0f));
}

// 11: a static function, an anonymous namespace, mutual use without recursion.
namespace {
int twice(int x) { return 2 * x; }
}  // namespace
static int thrice(int x) { return twice(x) + x; }
int sixfold(int x) { return twice(thrice(x)); }

// 12: a body of hexadecimal floats and of unusual layout.
constexpr double wiggle(double x) noexcept
{
  double y = x   *   0x1.8p+1;
#ifdef COHORT_NEVER
  y = 0;
#else
  y += 1'000.0;
#endif
  return y;
}

// 13: bits.
std::uint8_t reversed(std::uint8_t x) {
  std::uint8_t r = 0;
  for (int k = 0; k < 8; k++) r |= static_cast<std::uint8_t>((x >> (k & 7) & 1) << (7 - k & 7));
  return r;
}

// 14: names that mean something elsewhere.
float exp(float register_, float rt_load) { return register_ - rt_load; }
float main_kernel(float workspace, float i) { return exp(workspace, i) * ::exp(workspace, workspace + 1); }

// 15: Newton's method, which stops when it has converged.
double inverse_square(double a) {
  if (!(a > 0)) return NAN;
  double x = a < 1 ? 1 : 1 / a;
  for (int step = 0; step < 200; ++step) {
    const double next = x * (1.5 - 0.5 * a * x * x);
    if (next == x) break;
    x = next;
  }
  return x;
}

// 16: x^9 and its derivatives to order 8.
double power(double x, int n) {
  double y = 1;
  for (int k = 0; k < n; ++k) y *= x;
  return y;
}
double power0(double x) { return 1 * power(x, 9); }
double power1(double x) { return 9 * power(x, 8); }
double power2(double x) { return 72 * power(x, 7); }
double power3(double x) { return 504 * power(x, 6); }
double power4(double x) { return 3024 * power(x, 5); }
double power5(double x) { return 15120 * power(x, 4); }
double power6(double x) { return 60480 * power(x, 3); }
double power7(double x) { return 181440 * power(x, 2); }
double power8(double x) { return 362880 * power(x, 1); }
