// Transfers beside kernels: large inputs that the first kernels do not read and outputs that the last ones do
// not write cross on streams of their own. Results are what they are, whichever stream is first; a call waits for
// nothing, allocates nothing, and can be captured; what comes on the caller's stream behind it finds its
// outputs. Runs under tools/cuda_check.
#include <cuda_runtime.h>

#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "../../codegen/drivers/check.h"
#include "aside.h"
#include "cuda_check/calls.h"

namespace {

constexpr size_t kColumns = 64, kMost = 64 * kColumns;

struct Arrays {
  float *a, *b, *c, *p, *q;
  int64_t* i;
};
template <class T>
T* pinned(size_t count) {
  void* memory = nullptr;
  CHECK(cudaMallocHost(&memory, count * sizeof(T)) == cudaSuccess);
  return static_cast<T*>(memory);
}
Arrays new_arrays() {
  return {pinned<float>(kMost), pinned<float>(kMost), pinned<float>(kMost),
          pinned<float>(kMost), pinned<float>(kMost), pinned<int64_t>(1)};
}
// Small integers: sums are exact.
void fill(const Arrays& arrays, int round) {
  for (size_t k = 0; k < kMost; ++k) {
    arrays.a[k] = static_cast<float>(static_cast<int>(k % 3) - round % 2);
    arrays.b[k] = static_cast<float>(k % 7) + static_cast<float>(round);
    arrays.c[k] = static_cast<float>(k % 2);
  }
  *arrays.i = round;
}

struct Expected {
  float p[kMost], q[kMost], h = 0;  // each element of the state
};
void compute(const Arrays& arrays, size_t n, Expected& expected) {
  float s[kColumns] = {}, t = 0;
  for (size_t k = 0; k < n * kColumns; ++k) s[k % kColumns] += arrays.a[k] + arrays.c[k];
  for (size_t row = 0; row < n; ++row) {
    float r = 0;
    for (size_t j = 0; j < kColumns; ++j) {
      const size_t k = row * kColumns + j;
      r += expected.p[k] = arrays.a[k] * s[j];
    }
    for (size_t j = 0; j < kColumns; ++j) expected.q[row * kColumns + j] = arrays.b[row * kColumns + j] - r;
    t += expected.q[row * kColumns + static_cast<size_t>(*arrays.i)];
  }
  expected.h += t;
}

aside_step_args arguments(const Arrays& arrays, int64_t n) {
  aside_step_args args = {};
  args.struct_size = sizeof args;
  args.n = n;
  args.a = arrays.a, args.b = arrays.b, args.c = arrays.c, args.i = arrays.i;
  args.p = arrays.p, args.q = arrays.q;
  args.a_bytes = args.b_bytes = args.c_bytes = args.p_bytes = args.q_bytes = kMost * sizeof(float);
  args.i_bytes = sizeof(int64_t);
  return args;
}

void* workspace = nullptr;
Expected expected;

void expect(const Arrays& arrays, int64_t n) {
  compute(arrays, static_cast<size_t>(n), expected);
  const size_t bytes = static_cast<size_t>(n) * kColumns * sizeof(float);
  CHECK(std::memcmp(arrays.p, expected.p, bytes) == 0);
  CHECK(std::memcmp(arrays.q, expected.q, bytes) == 0);
}

}  // namespace

int main() {
  workspace = std::aligned_alloc(ASIDE_WORKSPACE_ALIGN, (ASIDE_WORKSPACE_SIZE + 63) / 64 * 64);
  CHECK(aside_init(workspace, ASIDE_WORKSPACE_SIZE) == COHORT_OK);
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  CHECK(aside_attach(workspace, nullptr, 0, stream) == COHORT_OK);
  const Arrays arrays = new_arrays(), others = new_arrays();

  // Each call waits for the caller's stream only.
  for (int round = 0; round < 3; ++round) {
    fill(arrays, round);
    const aside_step_args args = arguments(arrays, 64 - round);
    const cuda_check_calls before = *cuda_check_called();
    CHECK(aside_step_async(workspace, &args) == COHORT_OK);
    const cuda_check_calls after = *cuda_check_called();
    CHECK(after.allocations == before.allocations && after.waits == before.waits);
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
    expect(arrays, args.n);
  }
  CHECK(aside_wait(workspace) == COHORT_OK);

  // Calls one behind the other, with arrays of their own.
  fill(arrays, 3), fill(others, 4);
  const aside_step_args first = arguments(arrays, 64), second = arguments(others, 64);
  CHECK(aside_step_async(workspace, &first) == COHORT_OK);
  CHECK(aside_step_async(workspace, &second) == COHORT_OK);
  CHECK(aside_wait(workspace) == COHORT_OK);
  expect(arrays, 64), expect(others, 64);

  // An error leaves no stream behind: arrays are the caller's again.
  fill(arrays, 64);
  CHECK(aside_step(workspace, &first) == COHORT_INDEX_OUT_OF_RANGE);

  // Captured, with all streams in the graph, and replayed with other values but for the number.
  *arrays.i = 5;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t replay = nullptr;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess);
  CHECK(aside_step_async(workspace, &first) == COHORT_OK);
  CHECK(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  CHECK(cudaGraphInstantiate(&replay, graph, 0) == cudaSuccess);
  for (int round = 5; round < 8; ++round) {
    fill(arrays, round);
    *arrays.i = 5;
    CHECK(cudaGraphLaunch(replay, stream) == cudaSuccess);
    CHECK(aside_wait(workspace) == COHORT_OK);
    expect(arrays, 64);
  }
  float h[kColumns];
  CHECK(aside_get(workspace, "h", h, sizeof h) == COHORT_OK);
  for (const float value : h) CHECK(value == expected.h);

  // From memory that is not pinned.
  static float pageable[5][kMost];
  int64_t index = 0;
  const Arrays plain = {pageable[0], pageable[1], pageable[2], pageable[3], pageable[4], &index};
  fill(plain, 8);
  const aside_step_args args = arguments(plain, 64);
  CHECK(aside_step(workspace, &args) == COHORT_OK);
  expect(plain, 64);

  CHECK(aside_detach(workspace) == COHORT_OK);
  CHECK(aside_attach(workspace, nullptr, 0, nullptr) == COHORT_OK);
  fill(plain, 9);
  CHECK(aside_step(workspace, &args) == COHORT_OK);
  expect(plain, 64);
  CHECK(aside_detach(workspace) == COHORT_OK);
  CHECK(cudaGraphExecDestroy(replay) == cudaSuccess && cudaGraphDestroy(graph) == cudaSuccess);
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
  for (const Arrays& a : {arrays, others}) {
    for (float* memory : {a.a, a.b, a.c, a.p, a.q}) CHECK(cudaFreeHost(memory) == cudaSuccess);
    CHECK(cudaFreeHost(a.i) == cudaSuccess);
  }
  std::free(workspace);
}
