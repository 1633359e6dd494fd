// What the cost models know of the machine that compiled code runs on: a file of constants that
// `cohort calibrate` writes and `cohort compile --device-profile` reads (profile.schema.json). Two profiles
// of one module may give different code, never different values.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace cohort {

struct CpuProfile {
  std::string name, source;  // which, and where the constants come from
#define CPU_CONSTANT(name, unit, meaning) double name = 0;
#include "compiler/device/constants.def"
};
struct GpuProfile {
  std::string name, source;
#define GPU_CONSTANT(name, unit, meaning) double name = 0;
#include "compiler/device/constants.def"
};
struct DeviceProfile {
  CpuProfile cpu;
  GpuProfile gpu;
};

// One row of constants.def.
template <typename Profile>
struct DeviceConstant {
  std::string_view name, unit, meaning;
  double Profile::*member = nullptr;
};
std::span<const DeviceConstant<CpuProfile>> cpu_constants();
std::span<const DeviceConstant<GpuProfile>> gpu_constants();

// default_profile.json.
const DeviceProfile& default_device_profile();

// Reads a profile; a section that is missing is the default's. Whatever is malformed, unknown, missing within
// a section or not positive is a UserError with its position.
DeviceProfile read_device_profile(const std::string& path);
DeviceProfile read_device_profile_text(std::string text, const std::string& path);

// A file with the sections given, which reads back to the same values.
std::string device_profile_text(const CpuProfile* cpu, const GpuProfile* gpu);

}  // namespace cohort
