// The half types: every f16, every rounding boundary, against conversions written from the definition.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "bits.h"

namespace {

// The value of an f16 by its definition.
float f16_value(uint16_t bits) {
  const int exponent = (bits >> 10) & 31, mantissa = bits & 1023;
  float size = exponent == 31  ? (mantissa ? kNanF : kInfF)
               : exponent == 0 ? std::ldexp(static_cast<float>(mantissa), -24)
                               : std::ldexp(static_cast<float>(1024 + mantissa), exponent - 25);
  return bits & 0x8000 ? -size : size;
}

float round_trip(float x) { return rt_from_f16<float>(rt_to_f16(x)); }

}  // namespace

TEST_CASE("every f16 decodes to its value and encodes to itself, in vectors and scalars") {
  std::vector<rt_f16> all(65536), back(65536);
  std::vector<float> wide(65536);
  for (unsigned k = 0; k < 65536; ++k) all[k].bits = static_cast<uint16_t>(k);
  rt_simd_for<rt_width<rt_f16>>(65536 - 3, [&](auto i) {
    auto x = rt_load(all.data(), i);
    rt_store(wide.data(), i, x);
    rt_store(back.data(), i, x);
  });
  int wrong = 0;
  for (unsigned k = 0; k < 65536 - 3; ++k) {
    const float want = f16_value(static_cast<uint16_t>(k));
    wrong += !same_bits(wide[k], want);
    wrong += !same_bits(rt_load(all.data(), static_cast<int64_t>(k)), want);
    const bool is_nan = want != want;
    wrong += is_nan ? f16_value(back[k].bits) == f16_value(back[k].bits) : back[k].bits != k;
  }
  CHECK(wrong == 0);
}

TEST_CASE("f16 rounds to nearest even") {
  // Between neighbours a < b: the middle goes to the even one, a hair to either side goes to that side.
  int wrong = 0;
  for (unsigned k = 0; k < 0x7bff; ++k) {
    const float a = f16_value(static_cast<uint16_t>(k)), b = f16_value(static_cast<uint16_t>(k + 1)),
                middle = (a + b) / 2;
    wrong += round_trip(middle) != (k & 1 ? b : a);
    wrong += round_trip(std::nextafter(middle, 0.0f)) != a;
    wrong += round_trip(std::nextafter(middle, kInfF)) != b;
    wrong += round_trip(-middle) != -(k & 1 ? b : a);
  }
  CHECK(wrong == 0);
  CHECK(round_trip(65519.9f) == 65504.0f);
  CHECK(round_trip(65520.0f) == kInfF);
  CHECK(round_trip(1e30f) == kInfF);
  CHECK(same_bits(round_trip(-1e-30f), -0.0f));
  CHECK(rt_round_f16(1.0f / 3) == 0.333251953125f);
}

TEST_CASE("bf16 rounds to nearest even") {
  int wrong = 0;
  for (uint32_t k = 0; k < 0x7f80; ++k) {
    const auto value = [](uint32_t bits) { return rt_bit_cast<float>(bits << 16); };
    const uint32_t middle = (k << 16) | 0x8000u;
    wrong += rt_round_bf16(value(k)) != value(k);
    wrong += rt_round_bf16(rt_bit_cast<float>(middle)) != value(k & 1 ? k + 1 : k);
    wrong += rt_round_bf16(rt_bit_cast<float>(middle - 1)) != value(k);
    wrong += rt_round_bf16(rt_bit_cast<float>(middle + 1)) != value(k + 1);
  }
  CHECK(wrong == 0);
  CHECK(rt_round_bf16(kNanF) != rt_round_bf16(kNanF));
  CHECK(rt_round_bf16(rt_bit_cast<float>(0x7f800001u)) != 0);  // a NaN whose payload is cut stays one
  CHECK(std::isnan(rt_round_bf16(rt_bit_cast<float>(0x7f800001u))));
  CHECK(rt_round_bf16(-kInfF) == -kInfF);
  CHECK(rt_round_bf16(std::numeric_limits<float>::max()) == kInfF);
}
