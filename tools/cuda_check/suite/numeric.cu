// What compilers make of arithmetic: special functions, integers of all widths, halves, calls, tables,
// switches. The host computes the same.
#include "suite.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

__device__ __attribute__((noinline)) float polynomial(float x, int n, const float* c) {
  float r = 0;
  for (int i = 0; i < n; i++) r = fmaf(r, x, c[i]);
  return r;
}
struct Pair {
  float a;
  double b;
  int c[3];
};

__global__ void floats(const float* x, float* y, double* d, int n, Pair p, int terms) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float a = x[i];
  const double v = d[i];
  y[i] = sinf(a) + cosf(a * 100) + tanf(a) + expf(a) + logf(a) + powf(a, 1.5f) + tanhf(a) + erff(a) +
         lgammaf(a) + atan2f(a, 2.f) + sinhf(a) + log1pf(a) + expm1f(a) + cbrtf(a) + fmodf(a * 10, 3.f) +
         floorf(a * 7) + rintf(a * 9) + roundf(a * 5) + rsqrtf(a) + polynomial(a, terms, x) + p.a +
         (float)p.b + p.c[i % 3];
  d[i] = sin(v) + exp(v) + log(v) + pow(v, 1.5) + tanh(v) + erf(v) + sqrt(v) + v / 3.0 + tgamma(v) +
         fmod(v * 10, 3.0) + cos(v * 1e6) + floor(v * 5);
}

// Angles that are reduced in many words, in code of nested blocks whose registers have the names of those
// outside.
__global__ void angles(const double* x, double* y, float* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = sin(x[i]) + cos(x[i]) + tan(x[i]);
  z[i] = sinf((float)x[i]) + cosf((float)x[i]);
}

// Blocks of PTX: what one declares is its own, and what it does not declare is that of the block around it.
__global__ void scopes(const unsigned* x, unsigned* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
#ifdef __CUDA_ARCH__
  asm volatile(
      "{ .reg .u32 %%q, %%s<3>; .reg .pred p; .local .u32 v; mov.u32 %%q, %1; mov.u32 %%s1, 7; st.local.u32 "
      "[v], 5;\n"
      "  { .reg .u32 %%q, %%s<2>; .local .u32 v; mov.u32 %%q, 99; mov.u32 %%s1, 98; mov.u32 %%s2, 11;\n"
      "    st.local.u32 [v], 97; setp.lt.u32 p, %1, 50; @p bra end; st.local.u32 [v], 96; end: }\n"
      "  { @!p bra end; add.u32 %%q, %%q, 1000; end: }\n"
      "  add.u32 %%q, %%q, %%s1; add.u32 %%q, %%q, %%s2; ld.local.u32 %%s0, [v]; add.u32 %0, %%q, %%s0; }"
      : "=r"(y[i])
      : "r"(x[i]));
#else
  y[i] = x[i] + 7 + 11 + 5 + (x[i] < 50 ? 1000 : 0);
#endif
}

__device__ __forceinline__ unsigned mixed(unsigned r, int mode) {
  switch (mode) {
    case 0:
      return r + 1;
    case 1:
      return r * 3;
    case 2:
      return r ^ 5;
    case 3:
      return r - 7;
    case 4:
      return r / 7;
    case 5:
      return r % 9u;
    case 6:
      return r >> 3;
    default:
      return ~r;
  }
}
__global__ void integers(const long long* x, unsigned long long* y, signed char* z, unsigned* r, int n,
                         int mode) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const long long v = x[i];
  y[i] = __umul64hi((unsigned long long)v, 0xD2511F53CD9E8D57ull) ^ (unsigned long long)(v / 7) ^
         (unsigned long long)(v % 11) ^ ((unsigned long long)v << 3) ^ (unsigned long long)(v >> 5) ^
         (unsigned long long)(__popcll((unsigned long long)v) + 64 * __clzll(v) + 4096 * __ffsll(v));
  z[i] = (signed char)((int)(v & 63) - z[i]);
  unsigned local[8];
  for (int k = 0; k < 8; k++) local[k] = mixed(r[i], k);
  r[i] = local[(i + mode) & 7] ^ mixed(r[i], mode) ^ __umulhi((unsigned)v, 0xD2511F53u) ^ __brev(r[i]) ^
         __funnelshift_l(r[i], (unsigned)v, 7) ^ (unsigned)__float2int_rz(__ll2float_rn(v >> 40));
}

__global__ void halves(const __half* x, __half* y, const __nv_bfloat16* u, __nv_bfloat16* w, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = __float2half_rn(__half2float(x[i]) * 1.7f);
  w[i] = __float2bfloat16_rn(__bfloat162float(u[i]) * 1.7f);
  y[i] = __hadd(y[i], __hmul(x[i], x[i]));
  if (__hgt(x[i], y[i])) y[i] = __hfma(x[i], x[i], y[i]);
}

static void test_floats(cudaStream_t s) {
  const int n = 200, terms = 7;
  auto x = random_values(n);
  for (float& v : x) v = std::fabs(v) + 0.1f;
  std::vector<double> d(x.begin(), x.end()), y(n), w(n);
  const Pair p{1.5f, 2.5, {1, 2, 3}};
  for (int i = 0; i < n; i++) {
    const double a = x[i];
    double r = 0;
    for (int k = 0; k < terms; k++) r = r * a + x[k];
    y[i] = std::sin(a) + std::cos((double)(x[i] * 100)) + std::tan(a) + std::exp(a) + std::log(a) +
           std::pow(a, 1.5) + std::tanh(a) + std::erf(a) + std::lgamma(a) + std::atan2(a, 2.) + std::sinh(a) +
           std::log1p(a) + std::expm1(a) + std::cbrt(a) + std::fmod((double)(x[i] * 10), 3.) +
           std::floor(x[i] * 7) + std::rint(x[i] * 9) + std::round(x[i] * 5) + 1 / std::sqrt(a) + r + p.a +
           p.b + p.c[i % 3];
    w[i] = std::sin(a) + std::exp(a) + std::log(a) + std::pow(a, 1.5) + std::tanh(a) + std::erf(a) +
           std::sqrt(a) + a / 3.0 + std::tgamma(a) + std::fmod(a * 10, 3.0) + std::cos(a * 1e6) +
           std::floor(a * 5);
  }
  float *dx = to_device(x), *dy = on_device<float>(n);
  double* dd = to_device(d);
  launch(floats, dim3(2), dim3(128), 0, s, dx, dy, dd, n, p, terms);
  CHECKED(cudaStreamSynchronize(s));
  expect("floats", to_host(dy, n), y, 2e-6);
  expect("doubles", to_host(dd, n), w, 1e-13);
}

static void test_angles(cudaStream_t s) {
  std::vector<double> x, y, z;
  for (double v = 1.5; v < 1e30; v *= -4.7) x.push_back((float)v);
  for (double v : x) {
    y.push_back(std::sin(v) + std::cos(v) + std::tan(v));
    z.push_back(std::sin(v) + std::cos(v));
  }
  const int n = (int)x.size();
  double *dx = to_device(x), *dy = on_device<double>(n);
  float* dz = on_device<float>(n);
  launch(angles, dim3(1), dim3(128), 0, s, dx, dy, dz, n);
  CHECKED(cudaStreamSynchronize(s));
  expect("large angles, double", to_host(dy, n), y, 1e-13);
  expect("large angles, float", to_host(dz, n), z, 1e-6);
}

static void test_scopes(cudaStream_t s) {
  const int n = 100;
  std::vector<unsigned> x(n);
  std::vector<double> y(n);
  for (unsigned i = 0; i < n; i++) x[i] = i, y[i] = i + 23.0 + (i < 50 ? 1000 : 0);
  unsigned *dx = to_device(x), *dy = on_device<unsigned>(n);
  launch(scopes, dim3(1), dim3(128), 0, s, dx, dy, n);
  CHECKED(cudaStreamSynchronize(s));
  expect("blocks of PTX", to_host(dy, n), y, 0);
}

static void test_integers(cudaStream_t s) {
  const int n = 200, mode = 4;
  std::vector<long long> x(n);
  std::vector<signed char> z(n);
  std::vector<unsigned> r(n);
  unsigned long long state = 88172645463325252ull;
  for (int i = 0; i < n; i++) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    x[i] = (long long)state >> (i % 40), z[i] = (signed char)state, r[i] = (unsigned)(state >> 20);
  }
  // The host's compiler has the same functions from the checker's headers or spells them here.
  auto reversed = [](unsigned v) {
    unsigned q = 0;
    for (int k = 0; k < 32; k++) q |= (v >> k & 1u) << (31 - k);
    return q;
  };
  auto host_mixed = [](unsigned v, int m) {
    const unsigned all[8] = {v + 1, v * 3, v ^ 5, v - 7, v / 7, v % 9, v >> 3, ~v};
    return all[m & 7];
  };
  std::vector<double> y(n), q(n), t(n);
  for (int i = 0; i < n; i++) {
    const long long v = x[i];
    __extension__ typedef unsigned __int128 Wide;
    unsigned long long high = (unsigned long long)((Wide)(unsigned long long)v * 0xD2511F53CD9E8D57ull >> 64);
    unsigned long long counts = (unsigned long long)(__builtin_popcountll((unsigned long long)v) +
                                                     64 * (v ? __builtin_clzll((unsigned long long)v) : 64) +
                                                     4096 * __builtin_ffsll(v));
    y[i] = (double)(high ^ (unsigned long long)(v / 7) ^ (unsigned long long)(v % 11) ^
                    ((unsigned long long)v << 3) ^ (unsigned long long)(v >> 5) ^ counts);
    q[i] = (signed char)((int)(v & 63) - z[i]);
    const unsigned shifted = (unsigned)((((unsigned long long)(unsigned)v << 32 | r[i]) << 7) >> 32);
    t[i] = host_mixed(r[i], i + mode) ^ host_mixed(r[i], mode) ^
           (unsigned)((unsigned long long)(unsigned)v * 0xD2511F53u >> 32) ^ reversed(r[i]) ^ shifted ^
           (unsigned)(int)(float)(v >> 40);
  }
  long long* dx = to_device(x);
  unsigned long long* dy = on_device<unsigned long long>(n);
  signed char* dz = to_device(z);
  unsigned* dr = to_device(r);
  launch(integers, dim3(2), dim3(128), 0, s, dx, dy, dz, dr, n, mode);
  CHECKED(cudaStreamSynchronize(s));
  expect("64-bit integers", to_host(dy, n), y, 0);
  expect("8-bit integers", to_host(dz, n), q, 0);
  expect("32-bit integers", to_host(dr, n), t, 0);
}

static void test_halves(cudaStream_t s) {
  const int n = 200;
  auto v = random_values(n);
  std::vector<__half> x;
  std::vector<__nv_bfloat16> u;
  std::vector<double> y(n), w(n);
  for (int i = 0; i < n; i++) {
    x.push_back(__float2half(v[i])), u.push_back(__float2bfloat16(v[i]));
    float a = __half2float(x[i]),
          r = __half2float(__float2half(a * 1.7f)) + __half2float(__float2half(a * a));
    r = __half2float(__float2half(r));
    if (a > r) r = __half2float(__float2half(std::fma(a, a, r)));
    y[i] = r;
    w[i] = __bfloat162float(__float2bfloat16(__bfloat162float(u[i]) * 1.7f));
  }
  __half *dx = to_device(x), *dy = on_device<__half>(n);
  __nv_bfloat16 *du = to_device(u), *dw = on_device<__nv_bfloat16>(n);
  launch(halves, dim3(2), dim3(128), 0, s, dx, dy, du, dw, n);
  CHECKED(cudaStreamSynchronize(s));
  std::vector<float> found, other;
  for (__half h : to_host(dy, n)) found.push_back(__half2float(h));
  for (__nv_bfloat16 h : to_host(dw, n)) other.push_back(__bfloat162float(h));
  expect("binary16", found, y, 0);
  expect("bfloat16", other, w, 0);
}

int main() {
  cudaStream_t s = new_stream();
  test_floats(s);
  test_angles(s);
  test_scopes(s);
  test_integers(s);
  test_halves(s);
  return failures != 0;
}
