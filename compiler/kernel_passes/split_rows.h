// The pass `split_rows` with a free choice of what is worth it: tests split loops of any size.
#pragma once

#include "ir/kernel.h"

#include "compiler/device/device_profile.h"

namespace cohort::kernel {

struct RowLimits {
  double range_ns = 0;    // the least a range must have to do
  std::int64_t rows = 1;  // in a range, at least
  double steps = 1;       // at least
};
Program split_into_ranges(Program program, const CpuProfile& cpu, const RowLimits& limits);

}  // namespace cohort::kernel
