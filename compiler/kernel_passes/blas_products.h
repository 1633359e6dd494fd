// Products on the GPU that the vendor's library computes: --blas=cublas.
#pragma once

#include "compiler/device/device_profile.h"
#include "ir/kernel.h"

namespace cohort::kernel {

// Gives large products that are launches of their own to the library:
//
//   c = call rt_gemm(a, b; ...)   ⇒   c = call rt_gemm_blas(a, b; ..., 50000000)
//
// It knows nothing of checks: one that failed before does not keep it from running. So what writes state
// after a check stays as it is. Of matrices whose strides are known now one of both must be 1; what is known
// only when it runs, the call looks at. Once before `fuse_tiles`, which leaves such products alone: of large
// ones an array and a launch are a small part; and once after `map_threads`, for those of steps
// that are launched one by one.
void call_blas(Program& program, const Dims& dims, const GpuProfile& gpu);

}  // namespace cohort::kernel
