// model_kernels.cu: kernels of module `model` for the GPU, made by cohort.
#include "cohort/cuda.h"
#include "cohort/cuda_gemm.h"
#include "cohort/cuda_aside.h"

// n = add(h, tanh(mul(x, w)))
RT_DEVICE_KERNEL void step_n(float* __restrict h, const float* __restrict x) {
  for (int64_t i = rt_thread(); i < 400; i += rt_threads()) {
    h[i] = h[i] + rt_tanh(x[i] * 1.5f);
  }
}
extern "C" RT_HIDDEN int32_t model_step_n(rt_workspace* header, float* __restrict h,
                                          const float* __restrict x) {
  return rt_launch(header, "step", step_n, 400, h, x);
}

// p = softmax(n)
RT_DEVICE_KERNEL void step_p(float* p, const float* __restrict h) {
  for (int64_t i = rt_team(); i < 8; i += rt_teams()) {
    rt_team_accumulator<rt_op_max, float> max;
    RT_UNROLL_LANES
    for (int64_t j = rt_lane(); j < 50; j += rt_accumulators) {
      max.add(j, h[i * 50 + j]);
    }
    const float t = max.finish();
    rt_team_accumulator<rt_op_sum, float> sum;
    RT_UNROLL_LANES
    for (int64_t j = rt_lane(); j < 50; j += rt_accumulators) {
      const float t_2 = rt_exp(h[i * 50 + j] - t);
      p[i * 50 + j] = t_2;
      sum.add(j, t_2);
    }
    const float t_3 = sum.finish();
    rt_team_barrier();
    for (int64_t j = rt_lane(); j < 50; j += rt_accumulators) {
      p[i * 50 + j] = p[i * 50 + j] / t_3;
    }
  }
}
extern "C" RT_HIDDEN int32_t model_step_p(rt_workspace* header, float* p, const float* __restrict h) {
  return rt_launch(header, "step", step_p, rt_accumulators * int64_t{8}, p, h);
}

// r = reduce_sum(m)
RT_DEVICE_KERNEL void rows_r(float* __restrict r, const float* __restrict m) {
  for (int64_t i = rt_team(); i < 256; i += rt_teams()) {
    rt_team_accumulator<rt_op_sum, float> sum;
    RT_UNROLL_LANES
    for (int64_t j = rt_lane(); j < 2048; j += rt_accumulators) {
      sum.add(j, m[i * 2048 + j]);
    }
    const float t = sum.finish();
    if (const int64_t j = rt_lane(); j == 0) {
      r[i] = t;
    }
  }
}
extern "C" RT_HIDDEN int32_t model_rows_r(rt_workspace* header, float* __restrict r,
                                          const float* __restrict m) {
  return rt_launch(header, "rows", rows_r, rt_accumulators * int64_t{256}, r, m);
}

RT_DEVICE_KERNEL void rows_t(float* __restrict sums, const float* __restrict few) {
  for (int64_t i = rt_team(); i < 100; i += rt_teams()) {
    const int64_t t = i / 25;
    const int64_t t_2 = i % 25;
    const int64_t t_3 = t_2 * 4096;
    const int64_t t_4 = rt_min(100000 - t_3, int64_t{4096});
    rt_team_accumulator<rt_op_sum, float> sum;
    RT_UNROLL_LANES
    for (int64_t j = rt_lane(); j < t_4; j += rt_accumulators) {
      sum.add(j, few[t * 100000 + (t_3 + j)]);
    }
    const float t_5 = sum.finish();
    if (const int64_t j = rt_lane(); j == 0) {
      sums[i] = t_5;
    }
  }
}
extern "C" RT_HIDDEN int32_t model_rows_t(rt_workspace* header, float* __restrict sums,
                                          const float* __restrict few) {
  return rt_launch(header, "rows", rows_t, rt_accumulators * int64_t{100}, sums, few);
}

// t = reduce_mean(few)
RT_DEVICE_KERNEL void rows_t_2(float* __restrict t, const float* __restrict sums) {
  for (int64_t i = rt_team(); i < 4; i += rt_teams()) {
    rt_team_accumulator<rt_op_sum, float> sum;
    RT_UNROLL_LANES
    for (int64_t j = rt_lane(); j < 25; j += rt_accumulators) {
      sum.add(j, sums[i * 25 + j]);
    }
    const float t_2 = sum.finish();
    if (const int64_t j = rt_lane(); j == 0) {
      t[i] = t_2 / 1e+05f;
    }
  }
}
extern "C" RT_HIDDEN int32_t model_rows_t_2(rt_workspace* header, float* __restrict t,
                                            const float* __restrict sums) {
  return rt_launch(header, "rows", rows_t_2, rt_accumulators * int64_t{4}, t, sums);
}

// c = reduce_sum(m)
RT_DEVICE_KERNEL void rows_c(float* __restrict c, const float* __restrict m) {
  for (int64_t i = rt_thread(); i < 2048; i += rt_threads()) {
    float sum = 0.0f;
    for (int64_t j = 0; j < 256; ++j) {
      sum += m[j * 2048 + i];
    }
    c[i] = sum;
  }
}
extern "C" RT_HIDDEN int32_t model_rows_c(rt_workspace* header, float* __restrict c,
                                          const float* __restrict m) {
  return rt_launch(header, "rows", rows_c, 2048, c, m);
}

// d = sigmoid(matmul(a, b))
RT_DEVICE_KERNEL void product_d(float* __restrict d, const float* __restrict a, const float* __restrict b) {
  const rt_product product = {.m = 100, .n = 300, .depth = 200, .a_row = 200, .a_column = 1, .b_row = 300,
                              .b_column = 1};
  rt_gemm_tiles(product, a, b, [&](int64_t, int64_t i, int64_t j, float t) {
    const int64_t t_2 = i * 300 + j;
    d[t_2] = rt_sigmoid(t);
  });
}
extern "C" RT_HIDDEN int32_t model_product_d(rt_workspace* header, float* __restrict d,
                                             const float* __restrict a, const float* __restrict b) {
  return rt_launch(header, "product", product_d, rt_tile_threads(1, 100, 300), d, a, b);
}

// h, hs = scan(x, h0, a)
RT_DEVICE_KERNEL void steps_h(float* __restrict h, const float* __restrict h0) {
  for (int64_t i = rt_thread(); i < 192; i += rt_threads()) {
    h[i] = h0[i];
  }
}
extern "C" RT_HIDDEN int32_t model_steps_h(rt_workspace* header, float* __restrict h,
                                           const float* __restrict h0) {
  return rt_launch(header, "steps", steps_h, 192, h, h0);
}

// h, hs = scan(x, h0, a)
RT_DEVICE_KERNEL void steps_h_2(float* h, float* hs, const float* __restrict a, const float* __restrict x) {
  for (int64_t i = blockIdx.x; i < 1; i += gridDim.x) {
    for (int64_t j = 0; j < 50; ++j) {
      for (int64_t k = rt_block_team(); k < 3; k += rt_block_teams()) {
        rt_team_accumulator<rt_op_sum, float> sum;
        RT_UNROLL_LANES
        for (int64_t l = rt_lane(); l < 64; l += rt_accumulators) {
          sum.add(l, h[k * 64 + l]);
        }
        const float t = sum.finish();
        rt_team_barrier();
        for (int64_t l = rt_lane(); l < 64; l += rt_accumulators) {
          const float t_2 = rt_tanh(t * a[l] + x[j * 192 + k * 64 + l]);
          hs[j * 192 + k * 64 + l] = t_2;
          h[k * 64 + l] = t_2;
        }
      }
      __syncthreads();
    }
  }
}
extern "C" RT_HIDDEN int32_t model_steps_h_2(rt_workspace* header, float* h, float* hs,
                                             const float* __restrict a, const float* __restrict x) {
  return rt_launch(header, "steps", steps_h_2, rt_block_threads * int64_t{1}, h, hs, a, x);
}

static void mark_buffers([[maybe_unused]] void* block) {
  COHORT_MARK_RANGE(rt_place<char>(block, 256), 1600, "h");
  COHORT_MARK_RANGE(rt_place<char>(block, 1856), 256, "a");
  COHORT_MARK_RANGE(rt_place<char>(block, 1856), 768, "h0");
  COHORT_MARK_RANGE(rt_place<char>(block, 1856), 1600, "x");
  COHORT_MARK_RANGE(rt_place<char>(block, 1856), 80000, "a");
  COHORT_MARK_RANGE(rt_place<char>(block, 1856), 2097152, "m");
  COHORT_MARK_RANGE(rt_place<char>(block, 2624), 768, "h");
  COHORT_MARK_RANGE(rt_place<char>(block, 3392), 38400, "x");
  COHORT_MARK_RANGE(rt_place<char>(block, 41792), 38400, "hs");
  COHORT_MARK_RANGE(rt_place<char>(block, 81856), 240000, "b");
  COHORT_MARK_RANGE(rt_place<char>(block, 321856), 120000, "d");
  COHORT_MARK_RANGE(rt_place<char>(block, 2099008), 16, "t");
  COHORT_MARK_RANGE(rt_place<char>(block, 2099008), 1600000, "few");
  COHORT_MARK_RANGE(rt_place<char>(block, 2099072), 8192, "c");
  COHORT_MARK_RANGE(rt_place<char>(block, 3699008), 1024, "r");
  COHORT_MARK_RANGE(rt_place<char>(block, 3700032), 400, "sums");
}

RT_DEVICE_CALLS(model_device, mark_buffers, nullptr, 0, nullptr, &rt_cuda_aside);
