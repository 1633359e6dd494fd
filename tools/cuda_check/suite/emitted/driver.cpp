// Host code with what nvcc does not take: vectors of the host's compiler.
#include <cuda_runtime.h>

#include <cstdio>

typedef float Vector __attribute__((vector_size(16)));
constexpr int kVectors = 50, kNumbers = 4 * kVectors;

cudaError_t start(const float* a, const float* b, float* y, int n, cudaStream_t stream);

static bool same(const Vector* a, const Vector* b, const Vector* y) {
  for (int i = 0; i < kVectors; i++) {
    const Vector product = a[i] * b[i], wanted = product + b[i] * 0.5f;
    for (int k = 0; k < 4; k++) {
      if (y[i][k] == wanted[k]) continue;
      std::printf("FAIL number %d is %.9g, not %.9g\n", 4 * i + k, y[i][k], wanted[k]);
      return false;
    }
  }
  return true;
}

int main() {
  const size_t bytes = kNumbers * sizeof(float);
  Vector *a, *b, *y;
  float *da, *db, *dy;
  cudaStream_t s;
  if (cudaMallocHost((void**)&a, bytes) || cudaMallocHost((void**)&b, bytes) ||
      cudaMallocHost((void**)&y, bytes) || cudaMalloc((void**)&da, bytes) || cudaMalloc((void**)&db, bytes) ||
      cudaMalloc((void**)&dy, bytes) || cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking)) {
    return 3;
  }
  for (int i = 0; i < kVectors; i++) {
    for (int k = 0; k < 4; k++) a[i][k] = 1 + 0.0137f * (float)(4 * i + k), b[i][k] = 3 - a[i][k] / 7;
  }
  if (cudaMemcpyAsync(da, a, bytes, cudaMemcpyHostToDevice, s) ||
      cudaMemcpyAsync(db, b, bytes, cudaMemcpyHostToDevice, s) || start(da, db, dy, kNumbers, s) ||
      cudaMemcpyAsync(y, dy, bytes, cudaMemcpyDeviceToHost, s) || cudaStreamSynchronize(s)) {
    return 3;
  }
  return same(a, b, y) ? 0 : 1;
}
