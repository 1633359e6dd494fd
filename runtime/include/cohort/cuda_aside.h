// What a module with transfers beside kernels asks CUDA for besides (aside.h).
#pragma once
#include "cuda.h"

inline namespace cohort_rt {

static int32_t rt_cuda_create_event(void** event) {
  cudaEvent_t made = nullptr;
  const cudaError_t error = cudaEventCreateWithFlags(&made, cudaEventDisableTiming);
  *event = error == cudaSuccess ? made : nullptr;
  return static_cast<int32_t>(error);
}
static int32_t rt_cuda_destroy_event(void* event) {
  return static_cast<int32_t>(cudaEventDestroy(static_cast<cudaEvent_t>(event)));
}
static int32_t rt_cuda_record(void* event, void* stream) {
  return static_cast<int32_t>(
      cudaEventRecord(static_cast<cudaEvent_t>(event), static_cast<cudaStream_t>(stream)));
}
static int32_t rt_cuda_wait_for(void* stream, void* event) {
  return static_cast<int32_t>(
      cudaStreamWaitEvent(static_cast<cudaStream_t>(stream), static_cast<cudaEvent_t>(event), 0));
}
constexpr rt_aside_calls rt_cuda_aside = {rt_cuda_create_event, rt_cuda_destroy_event, rt_cuda_record,
                                          rt_cuda_wait_for};

}  // namespace cohort_rt
