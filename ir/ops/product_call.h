// Large products as calls of the runtime:
//
//   call rt_gemm(c, a, b; c_at, a_at, b_at, batch, m, n, k,
//                c_batch, c_row, c_column, a_batch, a_row, a_column, b_batch, b_row, b_column)
//
// means, for p < batch, i < m, j < n:
//   c[c_at + p*c_batch + i*c_row + j*c_column] =
//       the sum over l < k, in order, by fused multiply-add from 0, of
//       a[a_at + p*a_batch + i*a_row + l*a_column] * b[b_at + p*b_batch + l*b_row + j*b_column]
//
// All three buffers have one dtype, f32 or f64. Positions and strides count elements; strides of operands may
// be 0 (broadcast) or swapped (transposed). c does not overlap a or b.
//
// A right operand that many products read may be copied once, to the order in which they read it:
//
//   call rt_gemm_pack(packed, b; packed_at, b_at, at, n, rows, b_row, b_column, k)
//   call rt_gemm_packed(c, a, packed; c_at, a_at, packed_at, m, n, k, c_row, a_row, a_column)
//
// The first makes columns [at, at + n) of the copy, which has k rows, those of the matrix b[rows, n]. Several
// such calls make one copy of several matrices: side by side, from left to right; or one above the other, row
// r of the copy at packed_at = r * P. The second is the product, to the same bits; columns of c are
// neighbours. With P = kPackedRowBytes / (bytes of an element), element [l, j] lies at
// (j / P * k + l) * P + j % P of the copy.
//
// A loop over the elements of a product (Note [tiles] in ir/kernel.h) has the operands and the scalars of
// rt_gemm but for those of c:
//
//   tiles v at p, i, j of product(a, b; a_at, b_at, batch, m, n, k,
//                                 a_batch, a_row, a_column, b_batch, b_row, b_column)
//
// On a GPU `rt_gemm_blas` is `rt_gemm` by the vendor's library, which adds up in an order of its own; one
// more scalar says from how many multiplications on, fewer are `rt_gemm`.
#pragma once

#include "ir/ops/product.h"

namespace cohort {

inline constexpr std::int64_t kPackedRowBytes = 128;

// Where the scalars of these calls stand; the last two of rt_gemm where `parallelise` divides it.
namespace gemm {
enum : std::size_t {
  kCAt,
  kAAt,
  kBAt,
  kBatch,
  kM,
  kN,
  kK,
  kCBatch,
  kCRow,
  kCColumn,
  kABatch,
  kARow,
  kAColumn,
  kBBatch,
  kBRow,
  kBColumn,
  kPieces,
  kRoom,
  kLeast = kPieces  // of rt_gemm_blas
};
}
namespace gemm_tiles {
enum : std::size_t {
  kAAt,
  kBAt,
  kBatch,
  kM,
  kN,
  kK,
  kABatch,
  kARow,
  kAColumn,
  kBBatch,
  kBRow,
  kBColumn,
  kCount
};
}
namespace gemm_packed {
enum : std::size_t { kCAt, kAAt, kPackedAt, kM, kN, kK, kCRow, kARow, kAColumn };
}
namespace gemm_pack {
enum : std::size_t { kPackedAt, kBAt, kAt, kN, kRows, kRow, kColumn, kK };
}

// Bytes of scratch that are enough for a product on every machine, whatever its vectors are: a block of each
// operand. More where an extent is greater.
std::int64_t product_scratch_bytes(std::int64_t m, std::int64_t n, std::int64_t k,
                                   std::int64_t element_bytes);

// Whether the product is large enough, and of a dtype, that a call is made.
bool is_called(const LoopContext& context, const Product& product);
void call_product(LoopContext& context, const Product& product);

}  // namespace cohort
