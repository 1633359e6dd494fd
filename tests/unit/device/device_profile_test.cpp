// Profiles of machines: the default, files, and what follows from other constants.
#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "compiler/compiled.h"
#include "compiler/kernel_passes/kernel_pass.h"
#include "compiler/lower.h"
#include "compiler/merge/merge.h"
#include "ir/diagnostics.h"
#include "ir/text_parser.h"

namespace cohort {
namespace {

using Json = nlohmann::json;

std::string problem_of(const std::string& text) {
  try {
    read_device_profile_text(text, "device.json");
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

// Whether two alike variables of 50 elements become one loop.
bool is_merged(const CpuProfile& cpu) {
  Module module = parse_text(
      "module m\nstate @s : f64[50] = 0.0\nstate @t : f64[50] = 0.0\nfunc f() {\n  %a = exp(@s)\n"
      "  %b = exp(@t)\n  update @s = %a\n  update @t = %b\n}",
      "m.txt");
  std::vector<kernel::Program> programs{lower(module, *module.functions[0], cpu)};
  return !merge_kernels(module, programs, MergeMode::kAuto, cpu).groups.empty();
}

std::string shared_loop(const CpuProfile& cpu) {
  const Module module =
      parse_text("module m\nfunc f(%x: f64[100000]) {\n  %a = mul(%x, 2.0)\n  output a = %a\n}", "m.txt");
  CompileOptions options;
  options.device.cpu = cpu;
  return to_string(run_kernel_passes(lower(module, *module.functions[0], cpu), {}, options), {});
}

}  // namespace

TEST_CASE("the default profile") {
  const DeviceProfile& profile = default_device_profile();
  CHECK(profile.cpu.lanes == 8);
  CHECK(profile.gpu.name == "NVIDIA H200 SXM");
  CHECK_FALSE(profile.cpu.source.empty());
  CHECK_FALSE(profile.gpu.source.empty());
  for (const auto& constant : cpu_constants()) CHECK(profile.cpu.*constant.member > 0);
  for (const auto& constant : gpu_constants()) CHECK(profile.gpu.*constant.member > 0);
}

TEST_CASE("a profile that is written reads back to the same values") {
  DeviceProfile profile = default_device_profile();
  profile.cpu.name = "a \"quoted\"\nname";
  profile.cpu.instruction_ns = 1.0 / 3;
  profile.gpu.launch_ns = 1e-7;
  const DeviceProfile read =
      read_device_profile_text(device_profile_text(&profile.cpu, &profile.gpu), "d.json");
  CHECK(read.cpu.name == profile.cpu.name);
  for (const auto& constant : cpu_constants())
    CHECK(read.cpu.*constant.member == profile.cpu.*constant.member);
  for (const auto& constant : gpu_constants())
    CHECK(read.gpu.*constant.member == profile.gpu.*constant.member);
}

TEST_CASE("a section that is missing is the default's") {
  CpuProfile cpu = default_device_profile().cpu;
  cpu.lanes = 4;
  const DeviceProfile read = read_device_profile_text(device_profile_text(&cpu, nullptr), "d.json");
  CHECK(read.cpu.lanes == 4);
  CHECK(read.gpu.launch_ns == default_device_profile().gpu.launch_ns);
}

TEST_CASE("profiles are read strictly") {
  CHECK(problem_of("[]").find("the device profile is a list where an object is expected") !=
        std::string::npos);
  CHECK(problem_of(R"({"format": "cohort-device-profile", "version": "1.0", "tpu": {}})")
            .find("`tpu` is no key of the device profile") != std::string::npos);
  std::string text = device_profile_text(&default_device_profile().cpu, nullptr);
  CHECK(problem_of(text) == "");
  const std::size_t lanes = text.find("8");
  text.replace(lanes, 1, "-8");
  CHECK(problem_of(text).find("error[number_too_large]: -8 is beyond the range of `lanes > 0`") !=
        std::string::npos);
}

TEST_CASE("the schema lists the rows of constants.def") {
  const Json schema = Json::parse(std::ifstream(COHORT_SOURCE_DIR "/compiler/device/profile.schema.json"));
  const auto check = [&](const char* section, const auto& constants) {
    const Json& object = schema["$defs"][section];
    CHECK(object["properties"].size() == constants.size() + 2);
    CHECK(object["required"].size() == constants.size() + 2);
    for (const auto& constant : constants) {
      const std::string name(constant.name);
      REQUIRE_MESSAGE(object["properties"].contains(name), name);
      CHECK(object["properties"][name]["description"] ==
            std::string(constant.unit) + ": " + std::string(constant.meaning));
    }
  };
  check("cpu", cpu_constants());
  check("gpu", gpu_constants());
}

TEST_CASE("what members may touch follows the cache") {
  CpuProfile cpu = default_device_profile().cpu;
  CHECK(is_merged(cpu));
  cpu.l2_bytes = 1024;
  CHECK_FALSE(is_merged(cpu));
}

TEST_CASE("how much is worth a thread follows what a fork and join costs") {
  CpuProfile cpu = default_device_profile().cpu;
  const std::string usual = shared_loop(cpu);
  CHECK(usual.find("grain") != std::string::npos);
  cpu.fork_join_ns *= 10;
  CHECK(shared_loop(cpu).find("grain") == std::string::npos);
  cpu.fork_join_ns /= 100;
  CHECK(shared_loop(cpu) != usual);
}

}  // namespace cohort
