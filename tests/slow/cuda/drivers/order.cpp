// Calls that were asked for without waiting, and what comes after them: functions with nothing on the GPU see
// what was asked for before. Runs under tools/cuda_check.
#include "pinned.h"

namespace {

template <class Args>
Args of(float* x) {
  Args args = {};
  args.struct_size = sizeof args;
  args.x = x;
  args.x_bytes = kCount * sizeof(float);
  return args;
}
float first(void* workspace, const char* name) {
  float values[kCount];
  CHECK(order_get(workspace, name, values, sizeof values) == COHORT_OK);
  for (const float value : values) CHECK(value == values[0]);
  return values[0];
}
void* attached() {
  void* const workspace = pinned(ORDER_WORKSPACE_SIZE);
  CHECK(order_init(workspace, ORDER_WORKSPACE_SIZE) == COHORT_OK);
  CHECK(order_attach(workspace, nullptr, 0, nullptr) == COHORT_OK);
  return workspace;
}
order_read_args reading(float* y) {
  static float* const one = filled(1);
  order_read_args read = of<order_read_args>(one);
  read.y = y, read.y_bytes = kCount * sizeof(float);
  return read;
}

// `a` comes down from the GPU, and is then read, or written, on the CPU.
void cpu_after_download() {
  void* const workspace = attached();
  float *const one = filled(1), *const y = filled(0);
  const auto put = of<order_put_args>(one);
  const order_read_args read = reading(y);
  CHECK(order_put_async(workspace, &put) == COHORT_OK);
  CHECK(order_read(workspace, &read) == COHORT_OK);
  CHECK(std::fabs(y[0] - std::exp(1.0f)) < 1e-6f);
  const auto write = of<order_write_args>(one);
  CHECK(order_put_async(workspace, &put) == COHORT_OK);
  CHECK(order_write(workspace, &write) == COHORT_OK);
  CHECK(first(workspace, "a") == -1);
  order_both_args both = {};
  both.struct_size = sizeof both;
  CHECK(order_put_async(workspace, &put) == COHORT_OK);
  CHECK(order_both_async(workspace, &both) == COHORT_OK);  // its kernel on the CPU reads `a`
  CHECK(std::fabs(first(workspace, "a") + std::exp(1.0f)) < 1e-6f);
  CHECK(order_detach(workspace) == COHORT_OK);
}
// `a` goes up, and is then written on the CPU.
void cpu_after_upload() {
  void* const workspace = attached();
  order_take_args take = {};
  take.struct_size = sizeof take;
  const auto write = of<order_write_args>(filled(5));
  CHECK(order_take_async(workspace, &take) == COHORT_OK);
  CHECK(order_write(workspace, &write) == COHORT_OK);
  CHECK(first(workspace, "g") == 1 && first(workspace, "a") == -5);
  CHECK(order_detach(workspace) == COHORT_OK);
}
// A call that failed is told by the next that waits, which does nothing then.
void cpu_after_failure() {
  void* const workspace = attached();
  int64_t* const i = static_cast<int64_t*>(pinned(kCount * sizeof(int64_t)));
  i[3] = 99;
  auto add = of<order_add_args>(filled(1));
  add.i = i, add.i_bytes = kCount * sizeof(int64_t);
  const auto write = of<order_write_args>(filled(5));
  CHECK(order_add_async(workspace, &add) == COHORT_OK);
  CHECK(order_write(workspace, &write) == COHORT_INDEX_OUT_OF_RANGE);
  CHECK(std::strcmp(order_error(workspace)->function, "add") == 0);
  CHECK(first(workspace, "a") == 1 && first(workspace, "g") == 0);
  CHECK(order_write(workspace, &write) == COHORT_OK);
  CHECK(first(workspace, "a") == -5);
  CHECK(order_detach(workspace) == COHORT_OK);
  CHECK(order_write(workspace, &write) == COHORT_OK);  // needs no GPU
}
// Initial values stay, whatever a call before them still transfers.
void reset_after_download() {
  void* const workspace = attached();
  const auto put = of<order_put_args>(filled(1));
  CHECK(order_put_async(workspace, &put) == COHORT_OK);
  CHECK(order_reset(workspace) == COHORT_OK);
  CHECK(first(workspace, "a") == 1);
  CHECK(order_detach(workspace) == COHORT_OK);
}
// Within a capture of the caller's nothing can be waited for: nothing has happened then.
void refused() {
  void* const workspace = attached();
  order_take_args take = {};
  take.struct_size = sizeof take;
  CHECK(order_take(workspace, &take) == COHORT_OK);
  const auto write = of<order_write_args>(filled(5));
  CHECK(order_write(workspace, &write) == COHORT_OK);
  float values[kCount] = {};
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  CHECK(order_set_stream(workspace, stream) == COHORT_OK);
  const auto attempt = [&](int which) {
    switch (which) {
      case 0:
        return order_detach(workspace);
      case 1:
        return order_attach(workspace, nullptr, 0, stream);
      case 2:
        return order_reset(workspace);
      case 3:
        return order_set(workspace, "g", values, sizeof values);
      default:
        return order_write(workspace, &write);
    }
  };
  for (int which = 0; which < 5; ++which) {
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess);
    CHECK(attempt(which) == COHORT_DEVICE_ERROR);
    cudaGraph_t graph = nullptr;  // the caller's capture is not lost
    CHECK(cudaStreamEndCapture(stream, &graph) == cudaSuccess && cudaGraphDestroy(graph) == cudaSuccess);
    CHECK(first(workspace, "g") == 1 && first(workspace, "a") == -5);
    CHECK(order_wait(workspace) == COHORT_OK);
  }
  CHECK(order_attach(workspace, values, 8, stream) == COHORT_SHORT_BUFFER);
  CHECK(order_wait(workspace) == COHORT_OK);  // and stays attached
  CHECK(order_detach(workspace) == COHORT_OK);
  CHECK(first(workspace, "g") == 1 && first(workspace, "a") == -5);
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
}
void wait_without_device() {
  void* const workspace = pinned(ORDER_WORKSPACE_SIZE);
  CHECK(order_init(workspace, ORDER_WORKSPACE_SIZE) == COHORT_OK);
  CHECK(order_wait(workspace) == COHORT_NO_DEVICE);
  CHECK(order_attach(workspace, nullptr, 0, nullptr) == COHORT_OK);
  CHECK(order_wait(workspace) == COHORT_OK);
  CHECK(order_detach(workspace) == COHORT_OK);
  CHECK(order_wait(workspace) == COHORT_NO_DEVICE);
}

}  // namespace

int main() {
  reset_after_download();
  refused();
  wait_without_device();
  cpu_after_download();
  cpu_after_upload();
  cpu_after_failure();
}
