// Case 38: a module whose calls are replayed beside the same one without: equal results whatever changes
// between calls, and what a call asks CUDA for. Runs under tools/cuda_check.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "../../codegen/drivers/check.h"
#include "cuda_check/calls.h"
#include "plain.h"
#include "replayed.h"

namespace {

constexpr size_t kColumns = 64, kMost = 8 * kColumns;

struct Arrays {
  float *x, *p, *expected, *rate, *s;
};
float* pinned(size_t count) {
  void* memory = nullptr;
  CHECK(cudaMallocHost(&memory, count * sizeof(float)) == cudaSuccess);
  return static_cast<float*>(memory);
}
Arrays new_arrays() { return {pinned(kMost), pinned(kMost), pinned(kMost), pinned(1), pinned(kColumns)}; }
void fill(const Arrays& a, int round) {
  for (size_t i = 0; i < kMost; ++i)
    a.x[i] = 0.02f * static_cast<float>(i % 19) - 0.05f * static_cast<float>(round);
  *a.rate = 0.25f + 0.125f * static_cast<float>(round);
}

template <class Args>
Args arguments(const Arrays& a, int64_t n, float* p) {
  Args args = {};
  args.struct_size = sizeof args;
  args.n = n;
  args.x = a.x;
  args.rate = a.rate;
  args.p = p;
  args.s = a.s;
  args.x_bytes = args.p_bytes = kMost * sizeof(float);
  args.rate_bytes = sizeof(float);
  args.s_bytes = kColumns * sizeof(float);
  return args;
}

void* replayed = nullptr;
void* plain = nullptr;

// One call of both; what CUDA was asked for by that of the replayed module.
cuda_check_calls step(const Arrays& a, int64_t n, int round) {
  fill(a, round);
  const auto args = arguments<replayed_step_args>(a, n, a.p);
  const auto plain_args = arguments<plain_step_args>(a, n, a.expected);
  cuda_check_calls before = *cuda_check_called();
  CHECK(replayed_step_async(replayed, &args) == COHORT_OK);
  const cuda_check_calls after = *cuda_check_called();
  CHECK(replayed_wait(replayed) == COHORT_OK);
  float sums[kColumns] = {};
  for (size_t i = 0; i < static_cast<size_t>(n) * kColumns; ++i) sums[i % kColumns] += a.x[i];
  for (size_t i = 0; i < kColumns; ++i) CHECK(std::fabs(a.s[i] - sums[i]) < 1e-5f);
  const cuda_check_calls plain_before = *cuda_check_called();
  CHECK(plain_step_async(plain, &plain_args) == COHORT_OK);
  const cuda_check_calls plain_after = *cuda_check_called();
  CHECK(plain_wait(plain) == COHORT_OK);
  CHECK(std::memcmp(a.p, a.expected, static_cast<size_t>(n) * kColumns * sizeof(float)) == 0);
  float h[kColumns], expected[kColumns];
  CHECK(replayed_get(replayed, "h", h, sizeof h) == COHORT_OK);
  CHECK(plain_get(plain, "h", expected, sizeof expected) == COHORT_OK);
  CHECK(std::memcmp(h, expected, sizeof h) == 0);
  // A call that is not captured: x goes up, p and s come down, the number is an argument; nothing is waited
  // for.
  CHECK(plain_after.allocations == plain_before.allocations && plain_after.waits == plain_before.waits);
  CHECK(plain_after.copies == plain_before.copies + 3 && plain_after.captures == plain_before.captures);
  return {after.allocations - before.allocations, after.waits - before.waits,
          after.copies - before.copies,           after.launches - before.launches,
          after.captures - before.captures,       after.replays - before.replays};
}

void is_captured(const cuda_check_calls& calls) { CHECK(calls.captures == 1 && calls.replays == 1); }
void is_replayed(const cuda_check_calls& calls) {
  CHECK(calls.replays == 1);
  CHECK(calls.captures == 0 && calls.allocations == 0 && calls.waits == 0 && calls.copies == 0 &&
        calls.launches == 0);
}

}  // namespace

int main() {
  replayed = std::aligned_alloc(REPLAYED_WORKSPACE_ALIGN, (REPLAYED_WORKSPACE_SIZE + 63) / 64 * 64);
  plain = std::aligned_alloc(PLAIN_WORKSPACE_ALIGN, (PLAIN_WORKSPACE_SIZE + 63) / 64 * 64);
  std::memset(replayed, 0xff, REPLAYED_WORKSPACE_SIZE);
  CHECK(replayed_init(replayed, REPLAYED_WORKSPACE_SIZE) == COHORT_OK);
  CHECK(plain_init(plain, PLAIN_WORKSPACE_SIZE) == COHORT_OK);
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  CHECK(replayed_attach(replayed, nullptr, 0, stream) == COHORT_OK);
  CHECK(plain_attach(plain, nullptr, 0, nullptr) == COHORT_OK);
  const Arrays arrays = new_arrays(), others = new_arrays();
  is_captured(step(arrays, 5, 0));
  for (int round = 1; round < 4; ++round) is_replayed(step(arrays, 5, round));
  is_captured(step(arrays, 3, 4));  // another dim
  is_replayed(step(arrays, 3, 5));
  is_captured(step(others, 3, 6));  // other arrays
  is_replayed(step(others, 3, 7));

  // State that is set from outside between calls.
  float h[kColumns];
  for (float& value : h) value = 0.5f;
  CHECK(replayed_set(replayed, "h", h, sizeof h) == COHORT_OK &&
        plain_set(plain, "h", h, sizeof h) == COHORT_OK);
  is_replayed(step(others, 3, 8));

  // Within a capture of the caller's it is part of that.
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  const auto args = arguments<replayed_step_args>(others, 3, others.p);
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess);
  CHECK(replayed_step_async(replayed, &args) == COHORT_OK);
  CHECK(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  CHECK(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
  CHECK(cudaGraphLaunch(exec, stream) == cudaSuccess && replayed_wait(replayed) == COHORT_OK);
  const auto plain_args = arguments<plain_step_args>(others, 3, others.expected);
  CHECK(plain_step(plain, &plain_args) == COHORT_OK);
  is_replayed(step(others, 3, 9));

  // What was captured goes with detach.
  CHECK(replayed_detach(replayed) == COHORT_OK);
  CHECK(replayed_attach(replayed, nullptr, 0, stream) == COHORT_OK);
  is_captured(step(others, 3, 10));

  CHECK(replayed_detach(replayed) == COHORT_OK && plain_detach(plain) == COHORT_OK);
  CHECK(cudaGraphExecDestroy(exec) == cudaSuccess && cudaGraphDestroy(graph) == cudaSuccess);
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
  for (const Arrays& a : {arrays, others})
    for (float* memory : {a.x, a.p, a.expected, a.rate, a.s}) CHECK(cudaFreeHost(memory) == cudaSuccess);
  std::free(replayed);
  std::free(plain);
}
