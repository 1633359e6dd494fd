// Functions of unusual style: names that mean something in emitted code, names of types and namespaces, layout
// that compilers read differently. ../custom.txt says what they give.
#pragma once
#include <cstdint>

namespace odd {

namespace units {
using real = float;
constexpr real kStep = 0.25f;
struct Pair {
  real a, b;
};
inline real twice(real x) { return 2 * x; }
}  // namespace units
template <class T>
constexpr T kEighth = T(0.125);
enum { kSeven = 7 };
enum Place { kFirst = 1, kNinth = 9 };
enum class Level : std::uint8_t { kLow = 3, kHigh };

// Variables that are called as macros, types and functions of ours.
inline float twofold(float x) { return 2 * x; }
inline float names(float EOF, float errno) {
  float custom_twofold = EOF, RT_KERNEL = 1, M_PI = 2, linux = errno, own_linux = 0;
  return twofold(custom_twofold) + RT_KERNEL * M_PI + linux + own_linux;
}
inline int typed(int int32_t, int) {
  long long int64_t = int32_t;
  constexpr long long kFive = 5;
  return static_cast<int>(int64_t + kFive);
}

// Names that end with the function.
inline float local_names(float x) {
  using namespace units;
  using units::twice;
  using T = real;
  typedef units::Pair P;
  static_assert(sizeof(units::Pair) == 8, "");
  decltype(units::twice(x)) y = twice(x);
  __typeof__(units::kStep) z = 1;
  auto w = 8 * kEighth<float> * x;
  T v{}, u = {};
  return y + z + w + v + u + kStep * sizeof(units::Pair) + T{};
}
inline int levels(int x) {
  static constexpr int kShift = 1;
  const Level level = Level::kHigh;
  __underlying_type(Level) low = 3;
  return (x << kShift) + static_cast<int>(level) + low + noexcept(x) + sizeof(__func__) + sizeof(long double);
}
// The enumerators are kept in unsigned integers and promoted to signed ones.
inline int signs(int x) {
  const Place place = kNinth;
  const auto seven = kSeven;
  return (x - 9) % kSeven + (x - 5) / place + (x - 9) % seven + (x < kFirst) + (x - 9 < place);
}

// A comment that ends with a carriage return, one with what turns the direction.
inline float layout(float x) {
  float y = x; // one  y += 1; /* ‮ */
  y *= 3; // two \
  y = 0;
  if constexpr (units::kStep < 1) [[likely]] {
    y += 1;
  }
#pragma unroll
  for (int i = 0; i < 2; ++i) y += \
      1;
  return y + 1 // not the last
#ifdef COHORT_NEVER
      + 10
#else
      - 1  /* # */
#endif
      ;
}

namespace {
inline float unnamed(float x) { return x; }
}  // namespace

}  // namespace odd
