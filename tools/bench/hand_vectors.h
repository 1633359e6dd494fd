// tanh and sigmoid as one would write them by hand on GCC/Clang vectors: the yardstick of chain.py, not a
// part of the product. Cody–Waite reduction by ln 2 and a degree-6 polynomial for expm1; about 2.5 ulp in
// f32.
#pragma once

#include <cstdint>

namespace hand_vectors {

#if defined(__AVX512F__)
inline constexpr int kWidth = 16;
#elif defined(__AVX__)
inline constexpr int kWidth = 8;
#else
inline constexpr int kWidth = 4;
#endif
typedef float vf __attribute__((vector_size(kWidth * 4), aligned(4)));
typedef std::int32_t vi __attribute__((vector_size(kWidth * 4), aligned(4)));

inline __attribute__((always_inline)) vf splat(float x) { return x - vf{}; }

// expm1 on [-ln2/2, ln2/2].
inline __attribute__((always_inline)) vf poly_expm1(vf r) {
  vf p = splat(1.9875691500e-4f);
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  return p * (r * r) + r;
}

// x = n ln2 + r; the bits of t end in n.
inline __attribute__((always_inline)) void reduce(vf x, vf& t, vf& r) {
  t = x * 1.44269504088896341f + 12582912.0f;
  const vf n = t - 12582912.0f;
  r = n * -0.693359375f + x;
  r = n * 2.12194440e-4f + r;
}

inline __attribute__((always_inline)) vf sigmoid(vf x) {
  vf xc = x < -88.0f ? splat(-88.0f) : x;
  xc = -(xc > 87.0f ? splat(87.0f) : xc);
  vf t, r;
  reduce(xc, t, r);
  const vf p = poly_expm1(r) + 1.0f;
  return 1.0f / (1.0f + (vf)((vi)p + ((vi)t << 23)));
}

inline __attribute__((always_inline)) vf tanh(vf x) {
  const vf ax = (vf)((vi)x & 0x7fffffff);
  vf y = -2.0f * ax;
  y = y < -40.0f ? splat(-40.0f) : y;
  vf t, r;
  reduce(y, t, r);
  const vf p = poly_expm1(r);
  const vf s = (vf)(((vi)t << 23) + 0x3f800000);
  const vf m = s * p + (s - 1.0f);
  const vf v = -m / (2.0f + m);
  return (vf)((vi)v | ((vi)x & (std::int32_t)0x80000000));
}

}  // namespace hand_vectors
