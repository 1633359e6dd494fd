// Halves as their bits: IEEE binary16 and bfloat16, rounded to nearest even.
#pragma once
#include <stdint.h>

namespace cuda_check {

inline uint32_t bits_of(float x) {
  uint32_t b;
  __builtin_memcpy(&b, &x, sizeof b);
  return b;
}
inline float float_of(uint32_t b) {
  float x;
  __builtin_memcpy(&x, &b, sizeof x);
  return x;
}

inline float bf16_to_float(uint16_t h) { return float_of(uint32_t{h} << 16); }
inline uint16_t float_to_bf16(float x) {
  uint32_t b = bits_of(x);
  if (x != x) return 0x7fff;  // the canonical NaN of cvt.rn.bf16.f32
  return static_cast<uint16_t>((b + 0x7fff + (b >> 16 & 1)) >> 16);
}

inline float f16_to_float(uint16_t h) {
  uint32_t sign = uint32_t{h & 0x8000u} << 16, exponent = h >> 10 & 31, fraction = h & 0x3ff;
  if (exponent == 31) return float_of(sign | 0x7f800000u | fraction << 13);
  if (exponent) return float_of(sign | (exponent + 112) << 23 | fraction << 13);
  float magnitude = static_cast<float>(fraction) * 0x1p-24f;
  return sign ? -magnitude : magnitude;
}
inline uint16_t float_to_f16(float x) {
  uint32_t b = bits_of(x), magnitude = b & 0x7fffffffu;
  uint16_t sign = static_cast<uint16_t>(b >> 16 & 0x8000u);
  if (magnitude > 0x7f800000u) return 0x7fff;  // the canonical NaN of cvt.rn.f16.f32
  if (magnitude >= 0x477ff000u) return static_cast<uint16_t>(sign | 0x7c00u);
  if (magnitude < 0x38800000u) {
    // Below the least normal: adding 0.5 leaves the fraction, rounded by the addition, in the low bits.
    return static_cast<uint16_t>(sign | (bits_of(float_of(magnitude) + 0.5f) - 0x3f000000u));
  }
  uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
  return static_cast<uint16_t>(sign | ((rounded - (112u << 23)) >> 13));
}

}  // namespace cuda_check
