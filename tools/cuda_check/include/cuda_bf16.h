// The type of the CUDA toolkit's <cuda_bf16.h>, as far as emitted code uses it: storage, conversions, and
// arithmetic that rounds once from single precision.
#pragma once
#include "cuda_check/half_bits.h"
#include "cuda_check/language.h"

struct __nv_bfloat16 {
  unsigned short bits;
  __nv_bfloat16() = default;
  __nv_bfloat16(float x) : bits(cuda_check::float_to_bf16(x)) {}
  operator float() const { return cuda_check::bf16_to_float(bits); }
};
struct __align__(4) __nv_bfloat162 {
  __nv_bfloat16 x, y;
};

__forceinline__ float __bfloat162float(__nv_bfloat16 h) { return (float)h; }
__forceinline__ __nv_bfloat16 __float2bfloat16(float x) { return __nv_bfloat16(x); }
__forceinline__ __nv_bfloat16 __float2bfloat16_rn(float x) { return __nv_bfloat16(x); }
__forceinline__ unsigned short __bfloat16_as_ushort(__nv_bfloat16 h) { return h.bits; }
__forceinline__ __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) {
  __nv_bfloat16 h;
  h.bits = bits;
  return h;
}
__forceinline__ __nv_bfloat16 __hadd(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __nv_bfloat16((float)a + (float)b);
}
__forceinline__ __nv_bfloat16 __hsub(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __nv_bfloat16((float)a - (float)b);
}
__forceinline__ __nv_bfloat16 __hmul(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __nv_bfloat16((float)a * (float)b);
}
__forceinline__ __nv_bfloat16 __hneg(__nv_bfloat16 a) { return __nv_bfloat16(-(float)a); }
__forceinline__ __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
  return __nv_bfloat16(__builtin_fmaf((float)a, (float)b, (float)c));
}
__forceinline__ bool __hlt(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a < (float)b; }
__forceinline__ bool __hgt(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a > (float)b; }
__forceinline__ bool __heq(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a == (float)b; }
__forceinline__ bool __hisnan(__nv_bfloat16 a) { return (float)a != (float)a; }
