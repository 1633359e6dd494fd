// Products by cuBLAS: what a call of rt_gemm_blas becomes in a module compiled with --blas=cublas. Only such
// a module includes this file. The handle lies in the workspace's header, bound to the stream of calls and to
// working memory in the block, so that a call allocates nothing and can be captured.
//
// cuBLAS has matrices column by column, so a row-major one is its transpose there: c = a b is computed as
// c' = b' a'. f32 is computed in f32 (its default), without the shorter formats of tensor cores.
#pragma once
#include <cublas_v2.h>

#include "cuda_gemm.h"

inline namespace cohort_rt {

static int32_t rt_cublas_error(cublasStatus_t status) { return -static_cast<int32_t>(status); }
static int32_t rt_cublas_create(void** handle) {
  cublasHandle_t made = nullptr;
  const cublasStatus_t status = cublasCreate(&made);
  *handle = status == CUBLAS_STATUS_SUCCESS ? made : nullptr;
  return rt_cublas_error(status);
}
static int32_t rt_cublas_destroy(void* handle) {
  return rt_cublas_error(cublasDestroy(static_cast<cublasHandle_t>(handle)));
}
static int32_t rt_cublas_bind(void* handle, void* stream, void* memory, size_t bytes) {
  const cublasHandle_t own = static_cast<cublasHandle_t>(handle);
  // In this order: a new stream takes the working memory away.
  cublasStatus_t status = cublasSetStream(own, static_cast<cudaStream_t>(stream));
  if (status == CUBLAS_STATUS_SUCCESS) status = cublasSetWorkspace(own, memory, bytes);
  return rt_cublas_error(status);
}
static const char* rt_cublas_describe(int32_t error) {
  switch (-error) {
    case CUBLAS_STATUS_NOT_INITIALIZED:
      return "cuBLAS is not initialised; its version and the driver's may not fit";
    case CUBLAS_STATUS_ALLOC_FAILED:
      return "cuBLAS lacks memory";
    case CUBLAS_STATUS_INVALID_VALUE:
      return "cuBLAS refuses an argument";
    case CUBLAS_STATUS_ARCH_MISMATCH:
      return "cuBLAS does not know this GPU";
    case CUBLAS_STATUS_EXECUTION_FAILED:
      return "cuBLAS failed on the GPU";
    case CUBLAS_STATUS_INTERNAL_ERROR:
      return "cuBLAS failed within";
    default:
      return "cuBLAS failed";
  }
}
constexpr rt_blas_calls rt_cublas = {rt_cublas_create, rt_cublas_destroy, rt_cublas_bind, rt_cublas_describe};

// A matrix [rows, columns] as cuBLAS takes it: `as_is`, its transpose column by column, or transposed.
struct rt_blas_matrix {
  cublasOperation_t operation;
  int leading;
  bool fits;
};
RT_CALL rt_blas_matrix rt_blas_view(int64_t rows, int64_t columns, int64_t row, int64_t column) {
  const bool as_is = column == 1 || columns == 1, transposed = row == 1 || rows == 1;
  const int64_t by_rows = rows == 1 ? columns : row, by_columns = columns == 1 ? rows : column;
  if (as_is && by_rows >= columns && by_rows <= INT32_MAX)
    return {CUBLAS_OP_N, static_cast<int>(by_rows), true};
  if (transposed && by_columns >= rows && by_columns <= INT32_MAX)
    return {CUBLAS_OP_T, static_cast<int>(by_columns), true};
  return {CUBLAS_OP_N, 0, false};
}

template <class T>
cublasStatus_t rt_blas_call(cublasHandle_t handle, const rt_blas_matrix& b, const rt_blas_matrix& a,
                            const rt_product& s, T* c, int64_t c_batch, int leading, const T* left,
                            const T* right) {
  const auto product = [] {
    if constexpr (sizeof(T) == sizeof(float))
      return &cublasSgemm;
    else
      return &cublasDgemm;
  }();
  const auto products = [] {
    if constexpr (sizeof(T) == sizeof(float))
      return &cublasSgemmStridedBatched;
    else
      return &cublasDgemmStridedBatched;
  }();
  const T one = 1, zero = 0;
  const int m = static_cast<int>(s.m), n = static_cast<int>(s.n), k = static_cast<int>(s.depth);
  if (s.batch == 1)
    return product(handle, b.operation, a.operation, n, m, k, &one, right, b.leading, left, a.leading, &zero,
                   c, leading);
  return products(handle, b.operation, a.operation, n, m, k, &one, right, b.leading, s.b_batch, left,
                  a.leading, s.a_batch, &zero, c, leading, c_batch, static_cast<int>(s.batch));
}

// The product whose transpose is `s`: c' = b' a'.
RT_CALL rt_product rt_blas_swapped(const rt_product& s) {
  return {s.b_at,    s.a_at,     s.batch, s.n,       s.m,        s.depth,
          s.b_batch, s.b_column, s.b_row, s.a_batch, s.a_column, s.a_row};
}

// By cuBLAS from `least` multiplications on and if it knows such matrices, else as rt_gemm.
template <class T>
int32_t rt_launch_gemm_blas(rt_workspace* header, const char* function, const rt_failure* failure, T* c,
                            const T* a, const T* b, int64_t c_at, int64_t a_at, int64_t b_at, int64_t batch,
                            int64_t m, int64_t n, int64_t depth, int64_t c_batch, int64_t c_row,
                            int64_t c_column, int64_t a_batch, int64_t a_row, int64_t a_column,
                            int64_t b_batch, int64_t b_row, int64_t b_column, int64_t least) {
  const auto tiles = [&] {
    return rt_launch_gemm(header, function, failure, c, a, b, c_at, a_at, b_at, batch, m, n, depth, c_batch,
                          c_row, c_column, a_batch, a_row, a_column, b_batch, b_row, b_column);
  };
  constexpr int64_t most = INT32_MAX;
  const double work = static_cast<double>(batch) * static_cast<double>(m) * static_cast<double>(n) *
                      static_cast<double>(depth);
  if (work < static_cast<double>(least) || work <= 0 || batch > most || m > most || n > most || depth > most)
    return tiles();
  rt_product s = {a_at, b_at, batch, m, n, depth, a_batch, a_row, a_column, b_batch, b_row, b_column};
  rt_blas_matrix result = rt_blas_view(m, n, c_row, c_column);
  const T *left = a + a_at, *right = b + b_at;
  if (result.fits && result.operation == CUBLAS_OP_T) {
    s = rt_blas_swapped(s);
    left = b + b_at;
    right = a + a_at;
    result = rt_blas_view(s.m, s.n, c_column, c_row);
  }
  const rt_blas_matrix by_a = rt_blas_view(s.m, s.depth, s.a_row, s.a_column),
                       by_b = rt_blas_view(s.depth, s.n, s.b_row, s.b_column);
  if (!result.fits || result.operation == CUBLAS_OP_T || !by_a.fits || !by_b.fits) return tiles();
  const cublasStatus_t status = rt_blas_call(static_cast<cublasHandle_t>(header->blas), by_b, by_a, s,
                                             c + c_at, c_batch, result.leading, left, right);
  if (status == CUBLAS_STATUS_SUCCESS) return COHORT_OK;
  return rt_fail(header, COHORT_DEVICE_ERROR, function, nullptr, rt_cublas_describe(rt_cublas_error(status)),
                 0, static_cast<int64_t>(status));
}

}  // namespace cohort_rt
