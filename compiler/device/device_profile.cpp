#include "compiler/device/device_profile.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/files.h"
#include "ir/json_checks.h"
#include "ir/json_document.h"
#include "ir/json_quote.h"
#include "ir/number_text.h"

namespace cohort {

extern const std::string_view kDefaultDeviceProfile;  // default_profile.json

namespace {

constexpr DeviceConstant<CpuProfile> kCpuConstants[] = {
#define CPU_CONSTANT(name, unit, meaning) {#name, unit, meaning, &CpuProfile::name},
#include "compiler/device/constants.def"
};
constexpr DeviceConstant<GpuProfile> kGpuConstants[] = {
#define GPU_CONSTANT(name, unit, meaning) {#name, unit, meaning, &GpuProfile::name},
#include "compiler/device/constants.def"
};

class DeviceProfileReading {
 public:
  explicit DeviceProfileReading(ErrorList& errors) : json_{errors} {}

  void read(JsonValue root, DeviceProfile& profile) {
    if (!json_.expect(root, JsonKind::kObject, "the device profile")) return;
    for_each_member(root, [&](JsonValue key, JsonValue) {
      constexpr std::string_view kKeys[] = {"format", "version", "cpu", "gpu"};
      if (std::find(std::begin(kKeys), std::end(kKeys), key.string()) == std::end(kKeys))
        json_.add(DiagId::kUnknownKey, key, key.string(), "the device profile");
    });
    json_.expect_text(root, "format", "cohort-device-profile", "the device profile");
    json_.expect_text(root, "version", "1.0", "the device profile");
    if (const JsonValue cpu = root.find("cpu")) section(cpu, "the section `cpu`", kCpuConstants, profile.cpu);
    if (const JsonValue gpu = root.find("gpu")) section(gpu, "the section `gpu`", kGpuConstants, profile.gpu);
  }

 private:
  template <typename Profile>
  void section(JsonValue object, std::string_view what, std::span<const DeviceConstant<Profile>> constants,
               Profile& profile) {
    if (!json_.expect(object, JsonKind::kObject, what)) return;
    for_each_member(object, [&](JsonValue key, JsonValue) {
      const bool known = key.string() == "name" || key.string() == "source" ||
                         std::any_of(constants.begin(), constants.end(),
                                     [&](const auto& constant) { return constant.name == key.string(); });
      if (!known) json_.add(DiagId::kUnknownKey, key, key.string(), what);
    });
    for (const auto& [key, member] : {std::pair{"name", &Profile::name}, {"source", &Profile::source}})
      if (const JsonValue value = json_.required(object, key, JsonKind::kString, what))
        profile.*member = value.string();
    for (const DeviceConstant<Profile>& constant : constants)
      if (const JsonValue value = json_.required(object, constant.name, JsonKind::kNumber, what))
        profile.*constant.member = positive(value, constant.name);
  }
  template <typename Profile, std::size_t N>
  void section(JsonValue object, std::string_view what, const DeviceConstant<Profile> (&constants)[N],
               Profile& profile) {
    section(object, what, std::span<const DeviceConstant<Profile>>(constants), profile);
  }

  double positive(JsonValue value, std::string_view name) {
    Scalar scalar;
    const NumberFault fault = parse_number(value.string(), DType::kF64, scalar);
    if (fault != NumberFault::kNone)
      json_.errors.add(number_diagnostic(fault, value.location(), value.string(), DType::kF64));
    else if (!(scalar_as_double(scalar) > 0))
      json_.add(DiagId::kNumberTooLarge, value, value.string(), fmt::format("{} > 0", name));
    else
      return scalar_as_double(scalar);
    return 1;
  }

  JsonChecks json_;
};

template <typename Profile>
std::string section_text(std::string_view key, const Profile& profile,
                         std::span<const DeviceConstant<Profile>> constants) {
  std::string text = fmt::format(",\n  \"{}\": {{\n    \"name\": {},\n    \"source\": {}", key,
                                 json_quote(profile.name), json_quote(profile.source));
  for (const DeviceConstant<Profile>& constant : constants)
    text += fmt::format(",\n    \"{}\": {}", constant.name, profile.*constant.member);
  return text + "\n  }";
}

}  // namespace

std::span<const DeviceConstant<CpuProfile>> cpu_constants() { return kCpuConstants; }
std::span<const DeviceConstant<GpuProfile>> gpu_constants() { return kGpuConstants; }

const DeviceProfile& default_device_profile() {
  static const DeviceProfile profile = [] {
    ErrorList errors;
    const JsonDocument document(std::string(kDefaultDeviceProfile), "default_profile.json", errors);
    DeviceProfile result;
    DeviceProfileReading(errors).read(document.root(), result);
    errors.throw_if_any();
    return result;
  }();
  return profile;
}

DeviceProfile read_device_profile_text(std::string text, const std::string& path) {
  ErrorList errors;
  const JsonDocument document(std::move(text), path, errors);
  DeviceProfile profile = default_device_profile();
  if (errors.empty()) DeviceProfileReading(errors).read(document.root(), profile);
  errors.throw_if_any();
  return profile;
}

DeviceProfile read_device_profile(const std::string& path) {
  return read_device_profile_text(read_file(path), path);
}

std::string device_profile_text(const CpuProfile* cpu, const GpuProfile* gpu) {
  std::string text = "{\n  \"format\": \"cohort-device-profile\",\n  \"version\": \"1.0\"";
  if (cpu) text += section_text("cpu", *cpu, cpu_constants());
  if (gpu) text += section_text("gpu", *gpu, gpu_constants());
  return text + "\n}\n";
}

}  // namespace cohort
