// Device functions of one thread: CUDA's intrinsics with the meaning that the CUDA C++ and PTX manuals give
// them. The approximate ones (__expf, __fdividef, ...) are computed exactly here: their error is not a matter
// for this tool.
#pragma once
#include <math.h>
#include <stdint.h>

#include "language.h"

template <class T>
__forceinline__ T __ldg(const T* p) {
  return *p;
}
template <class T>
__forceinline__ T __ldcg(const T* p) {
  return *p;
}
template <class T>
__forceinline__ T __ldcs(const T* p) {
  return *p;
}
template <class T>
__forceinline__ void __stcg(T* p, T v) {
  *p = v;
}
template <class T>
__forceinline__ void __stcs(T* p, T v) {
  *p = v;
}

#define CUDA_CHECK_BITS(NAME, FROM, TO)           \
  __forceinline__ TO NAME(FROM value) {           \
    TO bits;                                      \
    __builtin_memcpy(&bits, &value, sizeof bits); \
    return bits;                                  \
  }
CUDA_CHECK_BITS(__float_as_int, float, int)
CUDA_CHECK_BITS(__float_as_uint, float, unsigned)
CUDA_CHECK_BITS(__int_as_float, int, float)
CUDA_CHECK_BITS(__uint_as_float, unsigned, float)
CUDA_CHECK_BITS(__double_as_longlong, double, long long)
CUDA_CHECK_BITS(__longlong_as_double, long long, double)
#undef CUDA_CHECK_BITS
__forceinline__ int __double2hiint(double v) { return (int)(__double_as_longlong(v) >> 32); }
__forceinline__ int __double2loint(double v) { return (int)__double_as_longlong(v); }
__forceinline__ double __hiloint2double(int hi, int lo) {
  return __longlong_as_double((long long)((unsigned long long)(unsigned)hi << 32 | (unsigned)lo));
}

// Rounding to nearest, one operation each: never contracted into a fused multiply-add.
__forceinline__ float __fadd_rn(float a, float b) { return a + b; }
__forceinline__ float __fsub_rn(float a, float b) { return a - b; }
__forceinline__ float __fmul_rn(float a, float b) { return a * b; }
__forceinline__ float __fdiv_rn(float a, float b) { return a / b; }
__forceinline__ float __fsqrt_rn(float a) { return sqrtf(a); }
__forceinline__ float __frcp_rn(float a) { return 1.0f / a; }
__forceinline__ float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
__forceinline__ double __dadd_rn(double a, double b) { return a + b; }
__forceinline__ double __dsub_rn(double a, double b) { return a - b; }
__forceinline__ double __dmul_rn(double a, double b) { return a * b; }
__forceinline__ double __ddiv_rn(double a, double b) { return a / b; }
__forceinline__ double __dsqrt_rn(double a) { return sqrt(a); }
__forceinline__ double __drcp_rn(double a) { return 1.0 / a; }
__forceinline__ double __fma_rn(double a, double b, double c) { return fma(a, b, c); }

__forceinline__ float __expf(float x) { return expf(x); }
__forceinline__ float __exp10f(float x) { return powf(10.0f, x); }
__forceinline__ float __logf(float x) { return logf(x); }
__forceinline__ float __log2f(float x) { return log2f(x); }
__forceinline__ float __log10f(float x) { return log10f(x); }
__forceinline__ float __sinf(float x) { return sinf(x); }
__forceinline__ float __cosf(float x) { return cosf(x); }
__forceinline__ float __tanf(float x) { return tanf(x); }
__forceinline__ float __powf(float x, float y) { return powf(x, y); }
__forceinline__ float __fdividef(float a, float b) { return a / b; }
__forceinline__ float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
__forceinline__ float rsqrtf(float x) { return 1.0f / sqrtf(x); }
__forceinline__ double rsqrt(double x) { return 1.0 / sqrt(x); }

// Conversions to integers: to nearest even (rn) or towards zero (rz), clamped to the range, NaN as 0.
template <class To, class From>
__forceinline__ To cuda_check_clamped(From x, From lowest, From end) {
  if (x != x) return 0;
  return x < lowest ? (To)lowest
         : x >= end ? (To)(sizeof(To) == 8 ? (To)-1 > 0 ? ~0ull : 0x7fffffffffffffffull
                           : (To)-1 > 0    ? 0xffffffffu
                                           : 0x7fffffffu)
                    : (To)x;
}
__forceinline__ int __float2int_rn(float x) { return cuda_check_clamped<int>(rintf(x), -0x1p31f, 0x1p31f); }
__forceinline__ int __float2int_rz(float x) { return cuda_check_clamped<int>(truncf(x), -0x1p31f, 0x1p31f); }
__forceinline__ unsigned __float2uint_rn(float x) {
  return cuda_check_clamped<unsigned>(rintf(x), 0.0f, 0x1p32f);
}
__forceinline__ unsigned __float2uint_rz(float x) {
  return cuda_check_clamped<unsigned>(truncf(x), 0.0f, 0x1p32f);
}
__forceinline__ int __double2int_rn(double x) { return cuda_check_clamped<int>(rint(x), -0x1p31, 0x1p31); }
__forceinline__ int __double2int_rz(double x) { return cuda_check_clamped<int>(trunc(x), -0x1p31, 0x1p31); }
__forceinline__ unsigned __double2uint_rz(double x) {
  return cuda_check_clamped<unsigned>(trunc(x), 0.0, 0x1p32);
}
__forceinline__ long long __float2ll_rz(float x) {
  return cuda_check_clamped<long long>(truncf(x), -0x1p63f, 0x1p63f);
}
__forceinline__ unsigned long long __float2ull_rz(float x) {
  return cuda_check_clamped<unsigned long long>(truncf(x), 0.0f, 0x1p64f);
}
__forceinline__ long long __double2ll_rn(double x) {
  return cuda_check_clamped<long long>(rint(x), -0x1p63, 0x1p63);
}
__forceinline__ long long __double2ll_rz(double x) {
  return cuda_check_clamped<long long>(trunc(x), -0x1p63, 0x1p63);
}
__forceinline__ unsigned long long __double2ull_rz(double x) {
  return cuda_check_clamped<unsigned long long>(trunc(x), 0.0, 0x1p64);
}
__forceinline__ float __int2float_rn(int x) { return (float)x; }
__forceinline__ float __uint2float_rn(unsigned x) { return (float)x; }
__forceinline__ float __ll2float_rn(long long x) { return (float)x; }
__forceinline__ float __ull2float_rn(unsigned long long x) { return (float)x; }
__forceinline__ double __ll2double_rn(long long x) { return (double)x; }
__forceinline__ double __ull2double_rn(unsigned long long x) { return (double)x; }
__forceinline__ float __double2float_rn(double x) { return (float)x; }

__forceinline__ int __popc(unsigned x) { return __builtin_popcount(x); }
__forceinline__ int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
__forceinline__ int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
__forceinline__ int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
__forceinline__ int __ffs(int x) { return __builtin_ffs(x); }
__forceinline__ int __ffsll(long long x) { return __builtin_ffsll(x); }
__forceinline__ unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((uint64_t)a * b >> 32); }
__forceinline__ int __mulhi(int a, int b) { return (int)((int64_t)a * b >> 32); }
__extension__ typedef __int128 CudaCheckWide;
__extension__ typedef unsigned __int128 CudaCheckUnsignedWide;
__forceinline__ unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)(((CudaCheckUnsignedWide)a * b) >> 64);
}
__forceinline__ long long __mul64hi(long long a, long long b) {
  return (long long)(((CudaCheckWide)a * b) >> 64);
}
__forceinline__ unsigned __brev(unsigned x) {
  unsigned r = 0;
  for (int i = 0; i < 32; i++) r |= (x >> i & 1u) << (31 - i);
  return r;
}
__forceinline__ unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned by) {
  return (unsigned)((((uint64_t)hi << 32 | lo) << (by & 31)) >> 32);
}
__forceinline__ unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned by) {
  return (unsigned)(((uint64_t)hi << 32 | lo) >> (by & 31));
}

#define CUDA_CHECK_MIN_MAX(T)                               \
  __forceinline__ T min(T a, T b) { return b < a ? b : a; } \
  __forceinline__ T max(T a, T b) { return a < b ? b : a; }
CUDA_CHECK_MIN_MAX(int)
CUDA_CHECK_MIN_MAX(unsigned)
CUDA_CHECK_MIN_MAX(long)
CUDA_CHECK_MIN_MAX(unsigned long)
CUDA_CHECK_MIN_MAX(long long)
CUDA_CHECK_MIN_MAX(unsigned long long)
#undef CUDA_CHECK_MIN_MAX
__forceinline__ float min(float a, float b) { return fminf(a, b); }
__forceinline__ float max(float a, float b) { return fmaxf(a, b); }
__forceinline__ double min(double a, double b) { return fmin(a, b); }
__forceinline__ double max(double a, double b) { return fmax(a, b); }
