// Where the user wants a node computed or a state variable kept: `"device"` in graph files. It has no meaning
// for values; placement respects it or says why it cannot (compiler/placement).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace cohort {

enum class DeviceHint : std::uint8_t { kNone, kCpu, kGpu };

// "cpu", "gpu"; empty for none.
constexpr std::string_view device_hint_name(DeviceHint hint) {
  return hint == DeviceHint::kCpu ? "cpu" : hint == DeviceHint::kGpu ? "gpu" : "";
}
constexpr std::optional<DeviceHint> device_hint(std::string_view name) {
  if (name == "cpu") return DeviceHint::kCpu;
  if (name == "gpu") return DeviceHint::kGpu;
  return std::nullopt;
}

}  // namespace cohort
