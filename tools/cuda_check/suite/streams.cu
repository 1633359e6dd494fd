// Two streams, pinned memory and events; then the same work captured in a graph and replayed.
#include "suite.h"

__global__ void __launch_bounds__(128)
    scale_and_add(const float* x, const float* bias, float* y, float alpha, int n, int columns) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    y[i] = tanhf(alpha * x[i] + bias[i % columns]);
}

struct Buffers {
  float *host_in, *host_out, *x, *bias, *y, *z;
  int n, columns;
  cudaStream_t a, b;
  cudaEvent_t first_done, all_done;
};

static void pipeline(const Buffers& u) {
  CHECKED(cudaMemcpyAsync(u.x, u.host_in, u.n * sizeof(float), cudaMemcpyHostToDevice, u.a));
#ifdef DEFECT_SOURCE_CHANGED
  u.host_in[1] = 3.0f;
#endif
  launch(scale_and_add, dim3(2), dim3(128), 0, u.a, u.x, u.bias, u.y, 2.0f, u.n, u.columns);
  CHECKED(cudaEventRecord(u.first_done, u.a));
#ifndef DEFECT_NO_WAIT
  CHECKED(cudaStreamWaitEvent(u.b, u.first_done, 0));
#endif
  launch(scale_and_add, dim3(2), dim3(128), 0, u.b, u.y, u.bias, u.z, 1.0f, u.n, u.columns);
  CHECKED(cudaMemcpyAsync(u.host_out, u.z, u.n * sizeof(float), cudaMemcpyDeviceToHost, u.b));
  CHECKED(cudaEventRecord(u.all_done, u.b));
#ifndef DEFECT_NOT_JOINED
  CHECKED(cudaStreamWaitEvent(u.a, u.all_done, 0));
#endif
}

// The fork in a capture, with the edge that orders the second kernel behind the first missing.
static void fork(const Buffers& u) {
  CHECKED(cudaEventRecord(u.first_done, u.a));
  CHECKED(cudaStreamWaitEvent(u.b, u.first_done, 0));
  launch(scale_and_add, dim3(2), dim3(128), 0, u.a, u.x, u.bias, u.y, 2.0f, u.n, u.columns);
  launch(scale_and_add, dim3(2), dim3(128), 0, u.b, u.y, u.bias, u.z, 1.0f, u.n, u.columns);
  CHECKED(cudaEventRecord(u.all_done, u.b));
  CHECKED(cudaStreamWaitEvent(u.a, u.all_done, 0));
}

// Up from and down to the same place of the host, in one stream: the second copy is behind the first.
static void there_and_back(const Buffers& u) {
  const std::vector<float> before(u.host_in, u.host_in + u.n);
  for (int r = 0; r < 3; r++) {
    CHECKED(cudaMemcpyAsync(u.x, u.host_in, u.n * sizeof(float), cudaMemcpyHostToDevice, u.a));
#ifdef DEFECT_SHARED_PINNED
    CHECKED(cudaMemcpyAsync(u.host_in, u.z, u.n * sizeof(float), cudaMemcpyDeviceToHost, u.b));
#endif
    CHECKED(cudaMemcpyAsync(u.host_in, u.x, u.n * sizeof(float), cudaMemcpyDeviceToHost, u.a));
  }
  CHECKED(cudaStreamSynchronize(u.a));
  expect("there and back", std::vector<float>(u.host_in, u.host_in + u.n),
         std::vector<double>(before.begin(), before.end()), 0);
}

// Within the capture of stream a.
static void disallowed_calls(const Buffers& u) {
#ifdef DEFECT_WAIT_FOR_OUTSIDE
  cudaEvent_t outside;
  CHECKED(cudaEventCreateWithFlags(&outside, cudaEventDisableTiming));
  CHECKED(cudaEventRecord(outside, new_stream()));
  CHECKED(cudaStreamWaitEvent(u.a, outside, 0));
#endif
#ifdef DEFECT_SYNCHRONISES_CAPTURED
  CHECKED(cudaEventSynchronize(u.all_done));
#endif
#ifdef DEFECT_QUERIES_CAPTURED
  CHECKED(cudaEventQuery(u.all_done));
#endif
#ifdef DEFECT_QUERIES_CAPTURING
  CHECKED(cudaStreamQuery(u.a));
#endif
  (void)u;
}

// The events once the capture they were recorded in has ended and its graph is gone.
static void after_capture(const Buffers& u) {
#ifndef DEFECT_WAIT_AFTER_CAPTURE
  CHECKED(cudaEventRecord(u.all_done, u.a));
#endif
  CHECKED(cudaStreamWaitEvent(u.b, u.all_done, 0));
  CHECKED(cudaEventSynchronize(u.all_done));
  CHECKED(cudaStreamSynchronize(u.b));
  CHECKED(cudaStreamQuery(u.b));
}

int main() {
  const int n = 1024, columns = 64;
  auto x = random_values(n), bias = random_values(columns);
  Buffers u{};
  u.n = n, u.columns = columns, u.a = new_stream(), u.b = new_stream();
  u.x = on_device<float>(n), u.y = on_device<float>(n), u.z = on_device<float>(n), u.bias = to_device(bias);
  CHECKED(cudaEventCreateWithFlags(&u.first_done, cudaEventDisableTiming));
  CHECKED(cudaEventCreateWithFlags(&u.all_done, cudaEventDisableTiming));
  CHECKED(cudaMallocHost(&u.host_in, n * sizeof(float)));
  CHECKED(cudaMallocHost(&u.host_out, n * sizeof(float)));
  std::memcpy(u.host_in, x.data(), n * sizeof(float));
  std::vector<double> wanted(n);
  for (int i = 0; i < n; i++) {
    double b = bias[i % columns];
    wanted[i] = std::tanh(std::tanh(2.0 * x[i] + b) + b);
  }
  pipeline(u);
#ifdef DEFECT_NOT_JOINED
  CHECKED(cudaStreamSynchronize(u.b));
#endif
#ifndef DEFECT_NO_SYNCHRONISATION
  CHECKED(cudaStreamSynchronize(u.a));
#endif
  expect("two streams", std::vector<float>(u.host_out, u.host_out + n), wanted, 1e-5);
  there_and_back(u);

  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECKED(cudaStreamBeginCapture(u.a, cudaStreamCaptureModeThreadLocal));
#ifdef DEFECT_MISSING_EDGE
  fork(u);
#else
  (void)fork;
  pipeline(u);
#endif
  disallowed_calls(u);
#ifdef DEFECT_ALLOCATION_IN_CAPTURE
  on_device<float>(4);
#endif
  CHECKED(cudaStreamEndCapture(u.a, &graph));
  CHECKED(cudaGraphInstantiate(&exec, graph, 0));
#ifdef DEFECT_FREED_BEFORE_REPLAY
  CHECKED(cudaFree(u.y));
#endif
  for (int r = 0; r < 3; r++) {
    std::memset(u.host_out, 0, n * sizeof(float));
    CHECKED(cudaGraphLaunch(exec, u.a));
    CHECKED(cudaStreamSynchronize(u.a));
  }
  expect("graph", std::vector<float>(u.host_out, u.host_out + n), wanted, 1e-5);
  CHECKED(cudaGraphExecDestroy(exec));
  CHECKED(cudaGraphDestroy(graph));
  after_capture(u);
  CHECKED(cudaFreeHost(u.host_in));
  CHECKED(cudaFreeHost(u.host_out));
  for (float* p : {u.x, u.bias, u.y, u.z}) CHECKED(cudaFree(p));
  CHECKED(cudaEventDestroy(u.first_done));
  CHECKED(cudaEventDestroy(u.all_done));
  CHECKED(cudaStreamDestroy(u.a));
  CHECKED(cudaStreamDestroy(u.b));
  return failures != 0;
}
