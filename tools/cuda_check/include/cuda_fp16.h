// The half type of the CUDA toolkit's <cuda_fp16.h>, as far as emitted code uses it: storage, conversions,
// and arithmetic that rounds once from single precision.
#pragma once
#include "cuda_check/half_bits.h"
#include "cuda_check/language.h"

struct __half {
  unsigned short bits;
  __half() = default;
  __half(float x) : bits(cuda_check::float_to_f16(x)) {}
  operator float() const { return cuda_check::f16_to_float(bits); }
};
struct __align__(4) __half2 {
  __half x, y;
};

__forceinline__ float __half2float(__half h) { return (float)h; }
__forceinline__ __half __float2half(float x) { return __half(x); }
__forceinline__ __half __float2half_rn(float x) { return __half(x); }
__forceinline__ unsigned short __half_as_ushort(__half h) { return h.bits; }
__forceinline__ __half __ushort_as_half(unsigned short bits) {
  __half h;
  h.bits = bits;
  return h;
}
__forceinline__ __half __hadd(__half a, __half b) { return __half((float)a + (float)b); }
__forceinline__ __half __hsub(__half a, __half b) { return __half((float)a - (float)b); }
__forceinline__ __half __hmul(__half a, __half b) { return __half((float)a * (float)b); }
__forceinline__ __half __hneg(__half a) { return __half(-(float)a); }
__forceinline__ __half __hfma(__half a, __half b, __half c) {
  return __half(__builtin_fmaf((float)a, (float)b, (float)c));
}
__forceinline__ bool __hlt(__half a, __half b) { return (float)a < (float)b; }
__forceinline__ bool __hgt(__half a, __half b) { return (float)a > (float)b; }
__forceinline__ bool __heq(__half a, __half b) { return (float)a == (float)b; }
__forceinline__ bool __hisnan(__half a) { return (float)a != (float)a; }
typedef __half half;
typedef __half2 half2;
