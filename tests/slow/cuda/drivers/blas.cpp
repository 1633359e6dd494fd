// A module compiled with --blas=cublas: large products are calls of the library, on the stream of calls and
// without allocating, small ones are not; results are as exact as sums in any order. Runs under
// tools/cuda_check, which adds up in an order that is not Cohort's.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "../../codegen/drivers/check.h"
#include "blas.h"
#include "cuda_check/calls.h"

namespace {

void* workspace = nullptr;
unsigned seed = 1;

template <class T>
std::vector<T> values(size_t count) {
  std::vector<T> list(count);
  for (T& v : list) {
    seed = seed * 1664525u + 1013904223u;
    v = static_cast<T>(seed >> 8) / T{8388608} - T{1};
  }
  return list;
}

// An operand [rows, columns] with the places of its elements.
template <class T>
struct Matrix {
  const T* data;
  size_t row, column;
  double at(size_t i, size_t j) const { return static_cast<double>(data[i * row + j * column]); }
};

// c = a b, but for the bound that every order of additions keeps; whether it is right to the bits of
// Cohort's.
template <class T>
bool expect_product(const T* c, const Matrix<T>& a, const Matrix<T>& b, size_t m, size_t n, size_t depth) {
  const double epsilon = sizeof(T) == 4 ? 0x1p-24 : 0x1p-53;
  bool same = true;
  for (size_t i = 0; i < m; ++i) {
    for (size_t j = 0; j < n; ++j) {
      T chain = 0;
      double sum = 0, sizes = 0;
      for (size_t l = 0; l < depth; ++l) {
        chain = std::fma(static_cast<T>(a.at(i, l)), static_cast<T>(b.at(l, j)), chain);
        sum += a.at(i, l) * b.at(l, j);
        sizes += std::fabs(a.at(i, l) * b.at(l, j));
      }
      CHECK(std::fabs(static_cast<double>(c[i * n + j]) - sum) <=
            2 * static_cast<double>(depth) * epsilon * sizes);
      same = same && c[i * n + j] == chain;
    }
  }
  return same;
}

// What a call asks CUDA for: products of the library, and neither memory nor a wait.
template <class Call>
size_t products_of(const Call& call) {
  const cuda_check_calls before = *cuda_check_called();
  const int32_t status = call();
  if (status != COHORT_OK) {
    char text[200];
    blas_error_text(workspace, text, sizeof text);
    std::printf("%s\n", text);
  }
  CHECK(status == COHORT_OK);
  const cuda_check_calls after = *cuda_check_called();
  CHECK(after.allocations == before.allocations && after.waits == before.waits);
  return after.products - before.products;
}

template <class Args, class T>
void give(Args& args, const T*& place, size_t& bytes, const std::vector<T>& from) {
  args.struct_size = sizeof args;
  place = from.data();
  bytes = from.size() * sizeof(T);
}
template <class Args, class T>
void take(Args& args, T*& place, size_t& bytes, std::vector<T>& to) {
  args.struct_size = sizeof args;
  place = to.data();
  bytes = to.size() * sizeof(T);
}

void plain(const std::vector<float>& w) {
  for (const int64_t n : {64, 20, 4}) {
    const auto x = values<float>(static_cast<size_t>(n) * 32);
    std::vector<float> y(static_cast<size_t>(n) * 48);
    blas_plain_args args = {};
    args.n = n;
    give(args, args.x, args.x_bytes, x);
    take(args, args.y, args.y_bytes, y);
    const size_t products = products_of([&] { return blas_plain_async(workspace, &args); });
    CHECK(products == (n == 4 ? 0 : 1));
    CHECK(blas_wait(workspace) == COHORT_OK);
    const bool same =
        expect_product<float>(y.data(), {x.data(), 32, 1}, {w.data(), 48, 1}, static_cast<size_t>(n), 48, 32);
    CHECK(same == (n == 4));
  }
}

void turned() {
  const auto a = values<float>(40 * 24), b = values<float>(32 * 40);
  std::vector<float> y(24 * 32);
  blas_turned_args args = {};
  give(args, args.a, args.a_bytes, a);
  give(args, args.b, args.b_bytes, b);
  take(args, args.y, args.y_bytes, y);
  CHECK(products_of([&] { return blas_turned_async(workspace, &args); }) == 1);
  CHECK(blas_wait(workspace) == COHORT_OK);
  expect_product<float>(y.data(), {a.data(), 1, 24}, {b.data(), 1, 40}, 24, 32, 40);
}

void batched() {
  const auto a = values<double>(3 * 20 * 24), b = values<double>(3 * 24 * 28);
  std::vector<double> y(3 * 20 * 28);
  blas_batched_args args = {};
  give(args, args.a, args.a_bytes, a);
  give(args, args.b, args.b_bytes, b);
  take(args, args.y, args.y_bytes, y);
  CHECK(products_of([&] { return blas_batched_async(workspace, &args); }) == 1);
  CHECK(blas_wait(workspace) == COHORT_OK);
  for (size_t p = 0; p < 3; ++p)
    expect_product<double>(y.data() + p * 20 * 28, {a.data() + p * 20 * 24, 24, 1},
                           {b.data() + p * 24 * 28, 28, 1}, 20, 28, 24);
}

// Two products in each of three steps.
void steps() {
  const auto x = values<float>(3 * 32 * 64), h0 = values<float>(32 * 64), m = values<float>(32 * 64);
  std::vector<float> h(32 * 64);
  blas_steps_args args = {};
  give(args, args.x, args.x_bytes, x);
  give(args, args.h0, args.h0_bytes, h0);
  give(args, args.m, args.m_bytes, m);
  take(args, args.h, args.h_bytes, h);
  CHECK(products_of([&] { return blas_steps_async(workspace, &args); }) == 6);
  CHECK(blas_wait(workspace) == COHORT_OK);
  std::vector<double> state(h0.begin(), h0.end()), next(32 * 32);
  double greatest = 0;
  for (size_t t = 0; t < 3; ++t) {
    std::fill(next.begin(), next.end(), 0.0);
    for (size_t i = 0; i < 32; ++i)
      for (size_t j = 0; j < 32; ++j)
        for (size_t l = 0; l < 64; ++l)
          next[i * 32 + j] += static_cast<double>(x[t * 32 * 64 + i * 64 + l]) * state[j * 64 + l];
    for (size_t i = 0; i < 32; ++i)
      for (size_t j = 0; j < 64; ++j) {
        state[i * 64 + j] = 0;
        for (size_t l = 0; l < 32; ++l)
          state[i * 64 + j] += next[i * 32 + l] * static_cast<double>(m[l * 64 + j]);
      }
  }
  for (const double v : state) greatest = std::fmax(greatest, std::fabs(v));
  for (size_t i = 0; i < h.size(); ++i)
    CHECK(std::fabs(static_cast<double>(h[i]) - state[i]) <= 1e-5 * greatest);
}

// What is computed after a check that failed changes no state, though the library knows nothing of checks.
void checked(const std::vector<float>& w) {
  const auto x = values<float>(50 * 32);
  std::vector<int64_t> i(40);
  for (size_t k = 0; k < i.size(); ++k) i[k] = static_cast<int64_t>(k * 7 % 50);
  std::vector<float> kept(40 * 48), now(40 * 48), rows(40 * 32);
  blas_checked_args args = {};
  give(args, args.x, args.x_bytes, x);
  give(args, args.i, args.i_bytes, i);
  CHECK(blas_get(workspace, "kept", kept.data(), 4 * kept.size()) == COHORT_OK && kept[0] == 0.5f);
  i[20] = 50;
  CHECK(blas_checked(workspace, &args) == COHORT_INDEX_OUT_OF_RANGE);
  CHECK(blas_get(workspace, "kept", now.data(), 4 * now.size()) == COHORT_OK && now == kept);
  i[20] = 3;
  CHECK(blas_checked(workspace, &args) == COHORT_OK);
  CHECK(blas_get(workspace, "kept", now.data(), 4 * now.size()) == COHORT_OK);
  for (size_t r = 0; r < 40; ++r)
    std::memcpy(&rows[r * 32], &x[static_cast<size_t>(i[r]) * 32], 32 * sizeof(float));
  expect_product<float>(now.data(), {rows.data(), 32, 1}, {w.data(), 48, 1}, 40, 48, 32);
}

// The handle follows the stream of calls, and a captured call is replayed there.
void captured(const std::vector<float>& w) {
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  CHECK(blas_set_stream(workspace, stream) == COHORT_OK);
  float *x = nullptr, *y = nullptr;
  CHECK(cudaMallocHost(&x, 64 * 32 * sizeof(float)) == cudaSuccess);
  CHECK(cudaMallocHost(&y, 64 * 48 * sizeof(float)) == cudaSuccess);
  blas_plain_args args = {};
  args.struct_size = sizeof args;
  args.n = 64;
  args.x = x, args.x_bytes = 64 * 32 * sizeof(float);
  args.y = y, args.y_bytes = 64 * 48 * sizeof(float);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t replay = nullptr;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess);
  CHECK(products_of([&] { return blas_plain_async(workspace, &args); }) == 1);
  CHECK(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  CHECK(cudaGraphInstantiate(&replay, graph, 0) == cudaSuccess);
  for (int round = 0; round < 2; ++round) {
    const auto new_x = values<float>(64 * 32);
    std::memcpy(x, new_x.data(), 64 * 32 * sizeof(float));
    CHECK(cudaGraphLaunch(replay, stream) == cudaSuccess && blas_wait(workspace) == COHORT_OK);
    expect_product<float>(y, {x, 32, 1}, {w.data(), 48, 1}, 64, 48, 32);
  }
  CHECK(blas_detach(workspace) == COHORT_OK);
  CHECK(cudaGraphExecDestroy(replay) == cudaSuccess && cudaGraphDestroy(graph) == cudaSuccess);
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
  CHECK(cudaFreeHost(x) == cudaSuccess && cudaFreeHost(y) == cudaSuccess);
}

// Where the library cannot be set up `attach` says so and leaves nothing.
void unavailable() {
  char text[200];
  CHECK(blas_attach(workspace, nullptr, 0, nullptr) == COHORT_DEVICE_ERROR);
  CHECK(blas_error_text(workspace, text, sizeof text) > 0);
  CHECK(std::strcmp(text,
                    "`attach`: error 1 of the GPU: cuBLAS is not initialised; its version and the driver's "
                    "may not fit") == 0);
  CHECK(cuda_check_called()->allocations == 5);  // stream, block, handle; stream and block again
  CHECK(blas_detach(workspace) == COHORT_OK);
}

}  // namespace

int main() {
  workspace = std::aligned_alloc(BLAS_WORKSPACE_ALIGN, (BLAS_WORKSPACE_SIZE + 63) / 64 * 64);
  CHECK(blas_init(workspace, BLAS_WORKSPACE_SIZE) == COHORT_OK);
  if (std::getenv("CUDA_CHECK_NO_BLAS")) {
    unavailable();
    std::free(workspace);
    return 0;
  }
  CHECK(blas_attach(workspace, nullptr, 0, nullptr) == COHORT_OK);
  const auto w = values<float>(32 * 48);
  CHECK(blas_set(workspace, "w", w.data(), 4 * w.size()) == COHORT_OK);
  plain(w);
  turned();
  batched();
  steps();
  checked(w);
  captured(w);
  std::free(workspace);
}
