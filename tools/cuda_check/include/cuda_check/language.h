// CUDA's keywords, vector types and built-in variables, spelled so that a host compiler accepts kernels
// unchanged.
#pragma once

#define __host__
#define __device__
#define __global__
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)
#define __grid_constant__
#define __constant__ __attribute__((section("cuda_check_constant")))
// The one storage class that is legal both for an array inside a function (which it makes static) and after
// `extern` (dynamic shared memory). All threads of a block run on one thread of the host, so they share it.
#define __shared__ thread_local

struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};

#define CUDA_CHECK_VECTOR2(T, NAME, ALIGN) \
  struct __align__(ALIGN) NAME {           \
    T x, y;                                \
  };                                       \
  inline NAME make_##NAME(T x, T y) { return NAME{x, y}; }
#define CUDA_CHECK_VECTOR4(T, NAME, ALIGN) \
  struct __align__(ALIGN) NAME {           \
    T x, y, z, w;                          \
  };                                       \
  inline NAME make_##NAME(T x, T y, T z, T w) { return NAME{x, y, z, w}; }
CUDA_CHECK_VECTOR2(signed char, char2, 2)
CUDA_CHECK_VECTOR4(signed char, char4, 4)
CUDA_CHECK_VECTOR2(unsigned char, uchar2, 2)
CUDA_CHECK_VECTOR4(unsigned char, uchar4, 4)
CUDA_CHECK_VECTOR2(short, short2, 4)
CUDA_CHECK_VECTOR4(short, short4, 8)
CUDA_CHECK_VECTOR2(unsigned short, ushort2, 4)
CUDA_CHECK_VECTOR4(unsigned short, ushort4, 8)
CUDA_CHECK_VECTOR2(int, int2, 8)
CUDA_CHECK_VECTOR4(int, int4, 16)
CUDA_CHECK_VECTOR2(unsigned, uint2, 8)
CUDA_CHECK_VECTOR4(unsigned, uint4, 16)
CUDA_CHECK_VECTOR2(float, float2, 8)
CUDA_CHECK_VECTOR4(float, float4, 16)
CUDA_CHECK_VECTOR2(long long, longlong2, 16)
CUDA_CHECK_VECTOR2(unsigned long long, ulonglong2, 16)
CUDA_CHECK_VECTOR2(double, double2, 16)
#undef CUDA_CHECK_VECTOR2
#undef CUDA_CHECK_VECTOR4

// Objects and not macros, since cudaLaunchConfig_t has members of the same names. They are set at each switch
// of threads.
extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;
constexpr int warpSize = 32;
