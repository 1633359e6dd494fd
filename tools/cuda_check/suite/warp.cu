// One warp for each row of a product of matrices and vectors; an exchange in shared memory inside a warp;
// ballots.
#include "suite.h"

__global__ void __launch_bounds__(128) matvec(const float* __restrict__ a, const float* __restrict__ x,
                                              float* __restrict__ y, int batch, int rows, int columns) {
  const int lane = threadIdx.x & 31, row = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
  if (row >= batch * rows) return;
  const float *from = a + (size_t)row * columns, *vector = x + (size_t)(row / rows) * columns;
  float sum = 0.0f;
  for (int c = lane; c < columns; c += 32) sum = fmaf(from[c], vector[c], sum);
#ifdef DEFECT_LANES_RETURN
  if (lane >= 24) return;
#endif
  sum = warp_sum(sum);
  if (lane == 0) y[row] = sum;
}

__global__ void __launch_bounds__(128) reverse_in_warps(const float* in, float* out) {
  __shared__ float buffer[128];
  const int t = threadIdx.x, warp = t & ~31, lane = t & 31;
  buffer[t] = in[blockIdx.x * 128 + t];
#ifndef DEFECT_NO_WARP_BARRIER
  __syncwarp();
#endif
  out[blockIdx.x * 128 + t] = buffer[warp + 31 - lane];
}

// The same in teams of 16 lanes, each with its own barriers.
__global__ void __launch_bounds__(128) reverse_in_teams(const float* in, float* out) {
  __shared__ float buffer[128];
  const int t = threadIdx.x, team = t & ~15, lane = t & 15;
  const unsigned mask = 0xffffu << (t & 16);
  for (int turn = 0; turn < 3; ++turn) {
    buffer[t] = turn == 0 ? in[blockIdx.x * 128 + t] : buffer[t] + 1.0f;
#ifndef DEFECT_NO_TEAM_BARRIER
    __syncwarp(mask);
#endif
#ifdef DEFECT_TEAM_BARRIER_FOR_WARP
    const float v = buffer[(t & ~31) + 31 - (t & 31)];
#else
    const float v = buffer[team + 15 - lane];
#endif
    __syncwarp(mask);
    buffer[t] = v;
  }
  out[blockIdx.x * 128 + t] = buffer[t];
}

// How many elements of the warp before this one are positive.
__global__ void __launch_bounds__(128) rank_of_positive(const float* in, int* out) {
  const int i = blockIdx.x * 128 + threadIdx.x, lane = threadIdx.x & 31;
#if defined DEFECT_OTHER_COLLECTIVE
  unsigned mask;
  if (lane < 16)
    mask = __ballot_sync(0xffffffffu, in[i] > 0.0f);
  else
    mask = __ballot_sync(0xffffffffu, in[i] > 0.0f) + 0u * __activemask();
#elif defined DEFECT_CALLER_NOT_IN_MASK
  unsigned mask = __ballot_sync(0x0000ffffu, in[i] > 0.0f);
#elif defined DEFECT_INACTIVE_LANE
  unsigned mask = __ballot_sync(0xffffffffu, in[i] > 0.0f);
  if (lane < 16) mask = __shfl_sync(0x0000ffffu, mask, 20);
#elif defined DEFECT_HALF_WAITS
  unsigned mask = 0;
  if (lane < 16) mask = __ballot_sync(0xffffffffu, in[i] > 0.0f);
  __syncthreads();
#else
  unsigned mask = __ballot_sync(0xffffffffu, in[i] > 0.0f);
#endif
  out[i] = __popc(mask & ((1u << lane) - 1u));
}

int main() {
  cudaStream_t s = new_stream();
  const int batch = 3, rows = 37, columns = 130, n = 512;
  auto a = random_values(batch * rows * columns), x = random_values(batch * columns), v = random_values(n);
  float *da = to_device(a), *dx = to_device(x), *dy = on_device<float>(batch * rows), *dv = to_device(v),
        *dr = on_device<float>(n), *dt = on_device<float>(n);
  int* rank = on_device<int>(n);
  launch(matvec, dim3((batch * rows + 3) / 4), dim3(128), 0, s, da, dx, dy, batch, rows, columns);
  launch(reverse_in_warps, dim3(4), dim3(128), 0, s, dv, dr);
  launch(reverse_in_teams, dim3(4), dim3(128), 0, s, dv, dt);
  launch(rank_of_positive, dim3(4), dim3(128), 0, s, dv, rank);
  CHECKED(cudaStreamSynchronize(s));
  std::vector<double> product(batch * rows), reversed(n), in_teams(n), ranks(n);
  for (int i = 0; i < batch * rows; i++)
    for (int c = 0; c < columns; c++) product[i] += (double)a[i * columns + c] * x[i / rows * columns + c];
  for (int i = 0; i < n; i++) reversed[i] = v[(i & ~31) + 31 - (i & 31)];
  for (int i = 0; i < n; i++) in_teams[i] = v[(i & ~15) + 15 - (i & 15)] + 2.0;
  for (int i = 0; i < n; i++)
    for (int j = i & ~31; j < i; j++) ranks[i] += v[j] > 0;
  expect("matvec", to_host(dy, batch * rows), product, 1e-5);
  expect("reverse in warps", to_host(dr, n), reversed, 0);
  expect("reverse in teams", to_host(dt, n), in_teams, 1e-6);
  expect("rank of positive", to_host(rank, n), ranks, 0);
  for (float* p : {da, dx, dy, dv, dr, dt}) CHECKED(cudaFree(p));
  CHECKED(cudaFree(rank));
  return failures != 0;
}
