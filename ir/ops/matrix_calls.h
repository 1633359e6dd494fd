// What the runtime's functions of linear algebra do, written plainly (elimination.h, orthogonal.h). They are
// called on one matrix at a time: outputs, perhaps working memory, inputs, then where each buffer begins,
// then sizes and flags:
//
//   call rt_cholesky(l, a; l_at, a_at, n, lower)
//   call rt_solve_triangular(x, a, b; x_at, a_at, b_at, n, columns, lower, transpose, unit)
//   call rt_solve(x, work[n,n], order[n], a, b; starts, n, columns, positive)
//   call rt_lu(packed, order, a; starts, m, n)
//   call rt_inv(x, work[n,n], order[n], a; starts, n)
//   call rt_det(d, work[n,n], order[n], a; starts, n)
//   call rt_slogdet(sign, logarithm, work[n,n], order[n], a; starts, n)
//   call rt_qr(q, r, work[m+1,n], a; starts, m, n)
//   call rt_eigh(w, v, work[2*n+4,n], a; starts, n)
//   call rt_svd(u, s, vt, work[2*max(m,n)+k+1,k], a; starts, m, n)
#pragma once

#include <span>
#include <string_view>

#include "ir/tensor.h"

namespace cohort::ops {

bool is_matrix_call(std::string_view name);
// `scalars` are as many starts as there are outputs and inputs, and the rest. Working memory may be left out.
void run_matrix_call(std::string_view name, std::span<Tensor> outputs, std::span<const Tensor> inputs,
                     std::span<const std::int64_t> scalars);

}  // namespace cohort::ops
