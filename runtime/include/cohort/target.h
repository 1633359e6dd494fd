// What the prelude is compiled for: the machine's vectors and instructions, how functions and tables are
// declared on a CPU and on a GPU.
#pragma once

// a * b + c is two roundings in Cohort. From here to the end of the file that includes us no compiler may
// fuse them.
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__) && !defined(__CUDACC__)
#pragma GCC optimize("fp-contract=off")
#endif
// Vectors wider than the machine's pass between inlined functions only; what the ABI says of them does not
// matter.
#pragma GCC diagnostic ignored "-Wpsabi"

#ifndef COHORT_VECTOR_BYTES
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__) && defined(__AVX512DQ__)
#define COHORT_VECTOR_BYTES 64
#elif defined(__AVX2__)
#define COHORT_VECTOR_BYTES 32
#else
#define COHORT_VECTOR_BYTES 16
#endif
#endif

// What the machine has. Code for a GPU is scalar: nvcc sees no vector instructions.
#if !defined(__CUDACC__)
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__) && defined(__AVX512DQ__)
#define RT_AVX512 1
#endif
#if defined(__AVX2__)
#define RT_AVX2 1
#endif
#if defined(__SSE2__)
#define RT_SSE2 1
#elif defined(__aarch64__)
#define RT_NEON 1
#endif
#endif
// Fused multiply-add in hardware. COHORT_NO_FMA takes the other path, for tests.
#if !defined(COHORT_NO_FMA) && (defined(__FMA__) || defined(__aarch64__) || defined(__CUDACC__))
#define RT_FMA 1
#endif

// One definition serves host and device: under nvcc every function is both.
#if defined(__CUDACC__)
#define RT_BOTH __host__ __device__
#else
#define RT_BOTH
#endif
// A table of coefficients.
#if defined(__CUDA_ARCH__)
#define RT_TABLE static __device__ constexpr
#else
#define RT_TABLE constexpr
#endif
#define RT_INLINE static inline __attribute__((always_inline)) RT_BOTH
#define RT_CALL static __attribute__((noinline, unused)) RT_BOTH
#define RT_MEMBER static __attribute__((always_inline)) RT_BOTH
#define RT_LIKELY(x) __builtin_expect(!!(x), 1)
#define RT_UNLIKELY(x) __builtin_expect(!!(x), 0)
#if defined(__CUDACC__)
#define RT_UNROLL _Pragma("unroll")
#elif defined(__clang__)
#define RT_UNROLL _Pragma("clang loop unroll(full)")
#else
#define RT_UNROLL _Pragma("GCC unroll 64")
#endif
