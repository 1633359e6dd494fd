// Case 38: a call is captured in a CUDA graph and replayed with new data; the caller's block and stream;
// state by name, save and load on the GPU. Runs under tools/cuda_check.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "../../codegen/drivers/check.h"
#include "model.h"

namespace {

constexpr size_t kElements = 400, kBytes = sizeof(float) * kElements;

void* new_workspace() {
  void* workspace = std::aligned_alloc(MODEL_WORKSPACE_ALIGN, (MODEL_WORKSPACE_SIZE + 63) / 64 * 64);
  CHECK(model_init(workspace, MODEL_WORKSPACE_SIZE) == COHORT_OK);
  return workspace;
}

model_step_args arguments(const float* x, float* p) {
  model_step_args args = {};
  args.struct_size = sizeof args;
  args.x = x;
  args.p = p;
  args.x_bytes = args.p_bytes = kBytes;
  return args;
}

void fill(float* x, int round) {
  for (size_t i = 0; i < kElements; ++i)
    x[i] = 0.01f * static_cast<float>(i % 37) - 0.1f * static_cast<float>(round);
}

}  // namespace

int main(int, char** argv) {
  void* plain = new_workspace();
  void* captured = new_workspace();
  float *x = nullptr, *p = nullptr;
  CHECK(cudaMallocHost(&x, kBytes) == cudaSuccess && cudaMallocHost(&p, kBytes) == cudaSuccess);
  std::vector<float> expected(kElements);
  const model_step_args plain_args = arguments(x, expected.data()), captured_args = arguments(x, p);
  fill(x, 0);

  CHECK(model_step(plain, &plain_args) == COHORT_NO_DEVICE);
  char text[200];
  CHECK(model_error_text(plain, text, sizeof text) > 0);
  CHECK(model_attach(plain, nullptr, 0, nullptr) == COHORT_OK);

  void* block = nullptr;
  cudaStream_t stream = nullptr;
  CHECK(cudaMalloc(&block, MODEL_DEVICE_SIZE) == cudaSuccess);
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  CHECK(model_attach(captured, block, MODEL_DEVICE_SIZE - 1, stream) == COHORT_SHORT_BUFFER);
  CHECK(model_attach(captured, static_cast<char*>(block) + 64, MODEL_DEVICE_SIZE, stream) ==
        COHORT_MISALIGNED);
  CHECK(model_attach(captured, block, MODEL_DEVICE_SIZE, stream) == COHORT_OK);

  cudaGraph_t graph = nullptr;
  cudaGraphExec_t replay = nullptr;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess);
  CHECK(model_step_async(captured, &captured_args) == COHORT_OK);
  CHECK(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  CHECK(cudaGraphInstantiate(&replay, graph, 0) == cudaSuccess);
  for (int round = 0; round < 4; ++round) {
    fill(x, round);
    CHECK(model_step(plain, &plain_args) == COHORT_OK);
    CHECK(cudaGraphLaunch(replay, stream) == cudaSuccess);
    CHECK(model_wait(captured) == COHORT_OK);
    for (size_t i = 0; i < kElements; ++i) CHECK(p[i] == expected[i]);
  }

  float h[kElements], other[kElements];
  CHECK(model_get(plain, "h", h, kBytes) == COHORT_OK &&
        model_get(captured, "h", other, kBytes) == COHORT_OK);
  for (size_t i = 0; i < kElements; ++i) CHECK(h[i] == other[i]);
  const std::string file = std::string(argv[0]) + ".state";
  CHECK(model_save(plain, file.c_str()) == COHORT_OK);
  CHECK(model_reset(plain) == COHORT_OK && model_get(plain, "h", other, kBytes) == COHORT_OK);
  for (size_t i = 0; i < kElements; ++i) CHECK(other[i] == 0);
  CHECK(model_load(plain, file.c_str()) == COHORT_OK && model_get(plain, "h", other, kBytes) == COHORT_OK);
  for (size_t i = 0; i < kElements; ++i) CHECK(h[i] == other[i]);
  std::remove(file.c_str());
  for (float& value : other) value = 2;
  CHECK(model_set(plain, "h", other, kBytes) == COHORT_OK && model_get(plain, "h", h, kBytes) == COHORT_OK);
  CHECK(h[399] == 2);

  CHECK(model_detach(plain) == COHORT_OK && model_detach(captured) == COHORT_OK);
  CHECK(cudaGraphExecDestroy(replay) == cudaSuccess && cudaGraphDestroy(graph) == cudaSuccess);
  CHECK(cudaStreamDestroy(stream) == cudaSuccess && cudaFree(block) == cudaSuccess);
  CHECK(cudaFreeHost(x) == cudaSuccess && cudaFreeHost(p) == cudaSuccess);
  std::free(plain);
  std::free(captured);
}
