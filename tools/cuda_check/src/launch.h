// What both ways to start a kernel (compiled as C++, interpreted PTX) do.
#pragma once
#include "block.h"

namespace cuda_check {

cudaError_t check_launch(const void* kernel, dim3 grid, dim3 block, size_t shared_bytes);
cudaError_t launch(const Kernel& kernel, cudaStream_t stream);

}  // namespace cuda_check
