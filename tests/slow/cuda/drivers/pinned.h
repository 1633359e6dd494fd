// What drivers of the graph `order` share: `a` is at home in the workspace, `g` on the GPU. All memory of the
// host is pinned, so that nothing but the module waits for a transfer.
#pragma once
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "../../codegen/drivers/check.h"
#include "order.h"

constexpr int kCount = 16;

inline void* pinned(size_t bytes) {
  void* memory = nullptr;
  CHECK(cudaMallocHost(&memory, bytes) == cudaSuccess);
  std::memset(memory, 0, bytes);
  return memory;
}
inline float* filled(float value) {
  float* const array = static_cast<float*>(pinned(kCount * sizeof(float)));
  for (int k = 0; k < kCount; ++k) array[k] = value;
  return array;
}
