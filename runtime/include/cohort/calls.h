// What `call` statements of the loop IR name, with the arguments as they stand there: written buffers, read
// buffers, scalars.
#pragma once
#include "gemm.h"
#include "gemm_packed.h"

inline namespace cohort_rt {

// For p < batch, i < m, j < n: c[c_at + p*c_batch + i*c_row + j*c_column] is the sum over l < depth, in
// order, of a[a_at + p*a_batch + i*a_row + l*a_column] * b[b_at + p*b_batch + l*b_row + j*b_column]. Along m
// or n the elements of c are neighbours. `scratch` has room for rt_gemm_scratch of the product and of the
// product of the transposes.
template <class T>
RT_CALL void rt_gemm(T* c, uint8_t* scratch, const T* a, const T* b, int64_t c_at, int64_t a_at, int64_t b_at,
                     int64_t batch, int64_t m, int64_t n, int64_t depth, int64_t c_batch, int64_t c_row,
                     int64_t c_column, int64_t a_batch, int64_t a_row, int64_t a_column, int64_t b_batch,
                     int64_t b_row, int64_t b_column) {
  for (int64_t p = 0; p < batch; ++p) {
    T* const to = c + c_at + p * c_batch;
    const T* const left = a + a_at + p * a_batch;
    const T* const right = b + b_at + p * b_batch;
    if (c_column == 1 || n == 1)
      rt_gemm<T>(m, n, depth, left, a_row, a_column, right, b_row, b_column, to, c_row, scratch);
    else  // c' = b' a'
      rt_gemm<T>(n, m, depth, right, b_column, b_row, left, a_column, a_row, to, c_column, scratch);
  }
}

// Columns [at, at + n) of the packed copy (gemm_packed.h) of `depth` rows, which begins at element packed_at,
// are those of the matrix b[rows, n] at b_at.
template <class T>
RT_CALL void rt_gemm_pack(T* packed, const T* b, int64_t packed_at, int64_t b_at, int64_t at, int64_t n,
                          int64_t rows, int64_t b_row, int64_t b_column, int64_t depth) {
  rt_gemm_pack_columns<T>(at, n, rows, depth, {b + b_at, b_row, b_column}, packed + packed_at);
}
// c[m, n] = a[m, depth] by the matrix whose packed copy is given; columns of c are neighbours.
template <class T>
RT_CALL void rt_gemm_packed(T* c, const T* a, const T* packed, int64_t c_at, int64_t a_at, int64_t packed_at,
                            int64_t m, int64_t n, int64_t depth, int64_t c_row, int64_t a_row,
                            int64_t a_column) {
  rt_gemm_packed_columns<T>(0, n, m, depth, {a + a_at, a_row, a_column}, packed + packed_at, c + c_at, c_row);
}

}  // namespace cohort_rt
