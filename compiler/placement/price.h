// How long a kernel takes on either device, by the profile of the machine. Kernels are priced as they are
// when they are placed: fused, with the loops for vector lanes chosen, before anything is mapped to threads.
#pragma once

#include "compiler/device/device_profile.h"
#include "ir/kernel.h"

namespace cohort::placement {

struct KernelTime {
  double cpu_ns = 0, gpu_ns = 0;
};

class Pricer {
 public:
  // With `fast` as under `--fp=fast`.
  Pricer(const kernel::Program& program, const Dims& dims, const DeviceProfile& profile, bool fast = false)
      : program_(program), dims_(dims), profile_(profile), fast_(fast) {}

  // Arithmetic or memory, whichever takes longer, with every named dim at its greatest. On the GPU
  // independent iterations run together, at most as many as fill it; what waits for the iteration before it
  // runs in one thread and waits for memory as well.
  KernelTime time(const kernel::Kernel& kernel) const;
  // Of the whole buffer.
  double bytes(kernel::BufferId buffer) const;
  // Between the memories of the two devices. A scalar goes up as an argument of the kernels that read it,
  // unless it is state, which can live there.
  double up_ns(kernel::BufferId buffer) const;
  double down_ns(kernel::BufferId buffer) const;

 private:
  const kernel::Program& program_;
  const Dims& dims_;
  const DeviceProfile& profile_;
  const bool fast_;
};

}  // namespace cohort::placement
