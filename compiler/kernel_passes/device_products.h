// Products that are calls of the runtime (ir/ops/product_call.h) as loops, where they stand among the other
// statements of a kernel of the GPU: a function there would be no part of what its threads do together.
#pragma once

#include "ir/kernel.h"

namespace cohort::kernel {

// rt_gemm, rt_gemm_pack, rt_gemm_packed.
bool is_product_call(const Stmt& stmt);

// Multiplications of a product, of the greatest extents; 0 of copies.
double multiplications(const Stmt& call, const Dims& dims);

//   call rt_gemm(c, a, b; ..., m, n, k, ...)
//   ⇒
//   parallel v0 < m * n {
//     var v1 = 0
//     for v2 < k { v1 = fma(a[v0 / n, v2], b[v2, v0 % n], v1) }
//     c[v0 / n, v0 % n] = v1
//   }
//
// An element is one chain of fused multiply-adds, as everywhere.
void write_products(Program& program, std::vector<Stmt>& body);

//   tiles v3 at v4, v5, v6 of product(a, b; ...) { c[v5 * n + v6] = relu(v3) }
//   ⇒
//   parallel v0 < m * n {
//     let v5 = v0 / n, let v6 = v0 % n
//     var v3 = 0
//     for v2 < k { v3 = fma(a[v5, v2], b[v2, v6], v3) }
//     c[v5 * n + v6] = relu(v3)
//   }
Stmt tiles_as_loop(Program& program, Stmt tiles);

}  // namespace cohort::kernel
