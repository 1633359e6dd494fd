// tools/cohort/calibrate/: the programs that measure, as text; CMakeLists.txt makes the sources of it.
#pragma once

#include <string_view>

namespace cohort {

extern const std::string_view kCpuBench;
extern const std::string_view kGpuBench;

}  // namespace cohort
