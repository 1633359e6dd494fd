// Loops that threads may share. An emitted module creates no threads: the workspace's hook does (set_parallel
// in the module's header), or OpenMP where the module's sources are compiled with it; else the loop runs as
// it stands. Whoever runs which iterations, the bits are the same.
#pragma once
#include "calls.h"
#include "module.h"
#ifdef _OPENMP
#include <omp.h>
#endif

inline namespace cohort_rt {

#ifdef _OPENMP
// One range for each thread, the same in every call of one count: what a thread has in its cache, it meets
// again. Within a parallel region of the caller's the loop runs on the caller's thread.
RT_CALL void rt_openmp_for(cohort_range_fn body, void* context, int64_t count, int64_t grain) {
  const int64_t most = omp_get_max_threads(), worth = count / grain;
  const int threads = static_cast<int>(most < worth ? most : worth);
  if (threads < 2 || omp_in_parallel()) return body(context, 0, count);
  const int64_t step = grain % 64 ? 1 : 64, steps = count / step;
#pragma omp parallel num_threads(threads)
  {
    const int64_t thread = omp_get_thread_num(), all = omp_get_num_threads();
    const int64_t begin = steps * thread / all * step;
    const int64_t end = thread + 1 == all ? count : steps * (thread + 1) / all * step;
    body(context, begin, end);
  }
}
#endif

// body(begin, end) for ranges that make up [0, count); one call of it where there is work for one thread
// only.
template <class Body>
RT_INLINE void rt_parallel_for(const rt_workspace* workspace, int64_t count, int64_t grain, Body body) {
  if (count >= 2 * grain) {
    Body shared = body;  // the compiler keeps `body` itself in registers
    const cohort_range_fn range = [](void* context, int64_t begin, int64_t end) {
      (*static_cast<const Body*>(context))(begin, end);
    };
    if (workspace->parallel_for)
      return workspace->parallel_for(workspace->parallel_user, range, &shared, count, grain);
#ifdef _OPENMP
    return rt_openmp_for(range, &shared, count, grain);
#endif
  }
  body(int64_t{0}, count);
}

// rt_gemm of calls.h in at most `pieces` pieces, each of `grain` multiplications at least: some products of
// the batch, or some rows or columns of all of them. `scratch` has `room` bytes for every piece.
template <class T>
RT_CALL void rt_gemm_shared(const rt_workspace* workspace, int64_t grain, T* c, uint8_t* scratch, const T* a,
                            const T* b, int64_t c_at, int64_t a_at, int64_t b_at, int64_t batch, int64_t m,
                            int64_t n, int64_t depth, int64_t c_batch, int64_t c_row, int64_t c_column,
                            int64_t a_batch, int64_t a_row, int64_t a_column, int64_t b_batch, int64_t b_row,
                            int64_t b_column, int64_t pieces, int64_t room) {
  const int64_t worth = batch * m * n * depth / grain;
  if (worth < pieces) pieces = worth;
  const bool by_product = batch >= pieces, by_row = !by_product && m >= n;
  const int64_t extent = by_product ? batch : by_row ? m : n;
  // Columns are divided where panels of two vectors begin, if there are enough of them; tiles of rows are of
  // any even height.
  const int64_t panel = 2 * rt_width<T>;
  const int64_t step = by_product ? 1 : by_row ? 2 : extent >= 2 * panel ? panel : 1;
  const int64_t steps = (extent + step - 1) / step;
  if (steps < pieces) pieces = steps;
  if (pieces < 1) pieces = 1;
  rt_parallel_for(workspace, pieces, 1, [=](int64_t begin, int64_t end) {
    const int64_t first = steps * begin / pieces * step;
    const int64_t count = end == pieces ? extent - first : steps * end / pieces * step - first;
    const int64_t move_c = by_product ? c_batch : by_row ? c_row : c_column;
    const int64_t move_a = by_product ? a_batch : by_row ? a_row : 0;
    const int64_t move_b = by_product ? b_batch : by_row ? 0 : b_column;
    rt_gemm<T>(c, scratch + begin * room, a, b, c_at + first * move_c, a_at + first * move_a,
               b_at + first * move_b, by_product ? count : batch, by_row ? count : m,
               by_product || by_row ? n : count, depth, c_batch, c_row, c_column, a_batch, a_row, a_column,
               b_batch, b_row, b_column);
  });
}

// rt_gemm_pack of calls.h, panels shared; pieces of `grain` elements at least.
template <class T>
RT_CALL void rt_gemm_pack_shared(const rt_workspace* workspace, int64_t grain, T* packed, const T* b,
                                 int64_t packed_at, int64_t b_at, int64_t at, int64_t n, int64_t rows,
                                 int64_t b_row, int64_t b_column, int64_t depth) {
  constexpr int64_t panel = rt_packed_columns<T>;
  const int64_t first = at / panel, end_panel = (at + n + panel - 1) / panel, each = panel * rows + 1;
  rt_parallel_for(workspace, end_panel - first, grain / each + 1, [=](int64_t begin, int64_t end) {
    const int64_t low = begin == 0 ? at : (first + begin) * panel;
    const int64_t high = first + end == end_panel ? at + n : (first + end) * panel;
    rt_gemm_pack<T>(packed, b, packed_at, b_at + (low - at) * b_column, low, high - low, rows, b_row,
                    b_column, depth);
  });
}
// rt_gemm_packed of calls.h, panels shared; pieces of `grain` multiplications at least.
template <class T>
RT_CALL void rt_gemm_packed_shared(const rt_workspace* workspace, int64_t grain, T* c, const T* a,
                                   const T* packed, int64_t c_at, int64_t a_at, int64_t packed_at, int64_t m,
                                   int64_t n, int64_t depth, int64_t c_row, int64_t a_row, int64_t a_column) {
  constexpr int64_t panel = rt_packed_columns<T>;
  const int64_t each = panel * depth * m + 1;
  rt_parallel_for(workspace, (n + panel - 1) / panel, grain / each + 1, [=](int64_t begin, int64_t end) {
    const int64_t high = end * panel < n ? end * panel : n;
    rt_gemm_packed_columns<T>(begin * panel, high, m, depth, {a + a_at, a_row, a_column}, packed + packed_at,
                              c + c_at, c_row);
  });
}

}  // namespace cohort_rt
