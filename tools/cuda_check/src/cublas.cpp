// cuBLAS as far as emitted code calls it: products of column-major matrices as operations of the handle's
// stream, whose accesses are checked. Sums are in an order of their own, as a library's are, so that nobody
// relies on bits.
#include "../include/cublas_v2.h"
#include "../include/cuda_check/calls.h"
#undef __shared__
#include "access.h"
#include "arguments.h"
#include "memory.h"
#include "report.h"
#include "settings.h"
#include "stream.h"

struct cublasContext {
  cudaStream_t stream = nullptr;
  void* memory = nullptr;  // null: the library's own, which it may have to allocate in a call
  size_t bytes = 0;
  bool destroyed = false;
};

namespace cuda_check {
namespace {

// As stored: `rows` neighbours, then `leading` further on the next column.
template <class T>
struct Matrix {
  T* data;
  int rows, columns, leading;
  long long stride;
  bool transposed;

  T* matrix(int batch) const { return data + batch * stride; }
  T& at(T* from, int i, int j) const {
    return transposed ? from[j + static_cast<long long>(i) * leading]
                      : from[i + static_cast<long long>(j) * leading];
  }
  bool is_valid() const { return leading >= (rows > 1 ? rows : 1) && data; }
};

template <class T>
struct Product {
  Matrix<const T> a, b;
  Matrix<T> c;
  int m, n, k, count;
  T alpha, beta;
  cublasContext handle;
};

constexpr size_t kTouched = 4096;  // at either end of the working memory

template <class T>
bool touch(const Matrix<T>& matrix, int batch, Use use) {
  const size_t bytes = static_cast<size_t>(matrix.rows) * sizeof(T);
  bool possible = true;
  for (int column = 0; column < matrix.columns; ++column) {
    const T* from = matrix.matrix(batch) + static_cast<long long>(column) * matrix.leading;
    possible = operation_access(from, bytes, use, "a product of cuBLAS") && possible;
    const uintptr_t a = reinterpret_cast<uintptr_t>(from);
    if (possible && !slot_of(a).ranges.empty()) check_range(a, bytes, use == Use::kWrite, {});
  }
  return possible;
}

template <class T>
void carry_out(const Product<T>& p) {
  const void* opened[] = {p.a.data, p.b.data, p.c.data, p.handle.memory};
  open_ranges(opened, sizeof opened);
  if (p.handle.memory) {
    const size_t bytes = p.handle.bytes < kTouched ? p.handle.bytes : kTouched;
    char* const begin = static_cast<char*>(p.handle.memory);
    operation_access(begin, bytes, Use::kWrite, "working memory of cuBLAS");
    operation_access(begin + p.handle.bytes - bytes, bytes, Use::kWrite, "working memory of cuBLAS");
  }
  for (int batch = 0; batch < p.count; ++batch) {
    bool possible = touch(p.a, batch, Use::kRead) && touch(p.b, batch, Use::kRead);
    if (p.beta != T(0)) possible = touch(p.c, batch, Use::kRead) && possible;
    if (!touch(p.c, batch, Use::kWrite) || !possible) return;
    const T *a = p.a.matrix(batch), *b = p.b.matrix(batch);
    T* c = p.c.matrix(batch);
    for (int j = 0; j < p.n; ++j) {
      for (int i = 0; i < p.m; ++i) {
        T sums[2] = {};
        for (int l = 0; l < p.k; ++l) sums[l % 2] += p.a.at(a, i, l) * p.b.at(b, l, j);
        T& to = p.c.at(c, i, j);
        to = p.alpha * (sums[0] + sums[1]) + (p.beta == T(0) ? T(0) : p.beta * to);
      }
    }
  }
}

template <class T>
cublasStatus_t product(cublasHandle_t handle, const Product<T>& p) {
  if (!handle || handle->destroyed) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (p.m < 0 || p.n < 0 || p.k < 0 || p.count < 0 || !p.a.is_valid() || !p.b.is_valid() || !p.c.is_valid())
    return CUBLAS_STATUS_INVALID_VALUE;
  CUstream_st& stream = stream_of(handle->stream);
  if (!handle->memory) {
    ++called().allocations;
    if (stream.capture) report(Check::kCapture, {}, "cuBLAS without working memory of the caller's");
  }
  ++called().products;
  Product<T> own = p;
  own.handle = *handle;
  const cudaError_t error = enqueue(stream, {"product of cuBLAS", [own] { carry_out(own); }, {}});
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

template <class T>
Matrix<T> stored(T* data, int rows, int columns, int leading, long long stride, cublasOperation_t op) {
  const bool transposed = op == CUBLAS_OP_T;
  return {data, transposed ? columns : rows, transposed ? rows : columns, leading, stride, transposed};
}

template <class T>
cublasStatus_t gemm(cublasHandle_t handle, cublasOperation_t of_a, cublasOperation_t of_b, int m, int n,
                    int k, const T* alpha, const T* a, int lda, long long stride_a, const T* b, int ldb,
                    long long stride_b, const T* beta, T* c, int ldc, long long stride_c, int count) {
  return product<T>(handle, {stored(a, m, k, lda, stride_a, of_a),
                             stored(b, k, n, ldb, stride_b, of_b),
                             stored(c, m, n, ldc, stride_c, CUBLAS_OP_N),
                             m,
                             n,
                             k,
                             count,
                             *alpha,
                             *beta,
                             {}});
}

}  // namespace
}  // namespace cuda_check

using namespace cuda_check;

extern "C" {
cublasStatus_t cublasCreate(cublasHandle_t* handle) {
  ++called().allocations;
  *handle = nullptr;
  if (settings().no_blas) return CUBLAS_STATUS_NOT_INITIALIZED;
  *handle = new cublasContext;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy(cublasHandle_t handle) {
  ++called().allocations;
  if (!handle || handle->destroyed) return CUBLAS_STATUS_NOT_INITIALIZED;
  cudaDeviceSynchronize();
  handle->destroyed = true;  // never released: a second time is found
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream) {
  if (!handle || handle->destroyed) return CUBLAS_STATUS_NOT_INITIALIZED;
  handle->stream = stream;
  handle->memory = nullptr;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void* memory, size_t bytes) {
  if (!handle || handle->destroyed) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (reinterpret_cast<uintptr_t>(memory) % 256) return CUBLAS_STATUS_INVALID_VALUE;
  handle->memory = memory;
  handle->bytes = bytes;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSgemm(cublasHandle_t handle, cublasOperation_t of_a, cublasOperation_t of_b, int m,
                           int n, int k, const float* alpha, const float* a, int lda, const float* b, int ldb,
                           const float* beta, float* c, int ldc) {
  return gemm(handle, of_a, of_b, m, n, k, alpha, a, lda, 0, b, ldb, 0, beta, c, ldc, 0, 1);
}
cublasStatus_t cublasDgemm(cublasHandle_t handle, cublasOperation_t of_a, cublasOperation_t of_b, int m,
                           int n, int k, const double* alpha, const double* a, int lda, const double* b,
                           int ldb, const double* beta, double* c, int ldc) {
  return gemm(handle, of_a, of_b, m, n, k, alpha, a, lda, 0, b, ldb, 0, beta, c, ldc, 0, 1);
}
cublasStatus_t cublasSgemmStridedBatched(cublasHandle_t handle, cublasOperation_t of_a,
                                         cublasOperation_t of_b, int m, int n, int k, const float* alpha,
                                         const float* a, int lda, long long stride_a, const float* b, int ldb,
                                         long long stride_b, const float* beta, float* c, int ldc,
                                         long long stride_c, int count) {
  return gemm(handle, of_a, of_b, m, n, k, alpha, a, lda, stride_a, b, ldb, stride_b, beta, c, ldc, stride_c,
              count);
}
cublasStatus_t cublasDgemmStridedBatched(cublasHandle_t handle, cublasOperation_t of_a,
                                         cublasOperation_t of_b, int m, int n, int k, const double* alpha,
                                         const double* a, int lda, long long stride_a, const double* b,
                                         int ldb, long long stride_b, const double* beta, double* c, int ldc,
                                         long long stride_c, int count) {
  return gemm(handle, of_a, of_b, m, n, k, alpha, a, lda, stride_a, b, ldb, stride_b, beta, c, ldc, stride_c,
              count);
}
}
