// cohort calibrate: measures what the cost models know of this machine, beside the default profile, and
// writes it as a file for `cohort compile --device-profile`.
#include <dlfcn.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <map>
#include <memory>

#include "codegen/build.h"
#include "codegen/spawn.h"
#include "compiler/device/device_profile.h"
#include "ir/atomic_file.h"
#include "ir/diagnostics.h"
#include "tools/cohort/calibrate_sources.h"
#include "tools/cohort/command.h"
#include "tools/cohort/temporary_folder.h"

namespace cohort {
namespace {

struct CalibrateOptions {
  std::string output;
  bool print_default = false;
};

using Measured = std::map<std::string, double, std::less<>>;

void note(void* context, const char* name, double value) { (*static_cast<Measured*>(context))[name] = value; }

// Builds the bench as emitted modules are built: with OpenMP, if the compiler has it.
std::string build_cpu_bench(const std::string& folder) {
  write_file(folder + "/cpu_bench.cpp", std::string(kCpuBench));
  BuildOptions options;
  options.flags = {"-fopenmp"};
  try {
    return build_module(folder, "cpu_bench", {"cpu_bench.cpp"}, options);
  } catch (const UserError&) {
    options.flags.clear();
    return build_module(folder, "cpu_bench", {"cpu_bench.cpp"}, options);
  }
}

Measured measure_cpu() {
  const TemporaryFolder folder;
  const std::string library = build_cpu_bench(folder.path());
  // Never closed: threads of OpenMP may still wait in its code.
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) fail(DiagId::kCannotLoad, library, dlerror());
  using Bench = void (*)(void (*)(void*, const char*, double), void*);
  const auto bench = reinterpret_cast<Bench>(dlsym(handle, "cohort_measure_cpu"));
  if (!bench) fail(DiagId::kCannotLoad, library, "the library has no such symbol");
  Measured measured;
  bench(note, &measured);
  return measured;
}

struct GpuMeasured {
  Measured values;
  std::string name;
  std::string absent;  // why nothing was measured
};

GpuMeasured measure_gpu() {
  const char* variable = std::getenv("NVCC");
  const std::string nvcc = variable && *variable ? variable : "nvcc";
  if (run_process({nvcc, "--version"}).exit_code != 0) return {{}, {}, fmt::format("no `{}`", nvcc)};
  const TemporaryFolder folder;
  write_file(folder.path() + "/gpu_bench.cu", std::string(kGpuBench));
  const std::string program = folder.path() + "/gpu_bench";
  const ProcessResult built = run_process(
      {nvcc, "-O3", "-std=c++17", "-arch=native", "-o", program, folder.path() + "/gpu_bench.cu"});
  // Without a GPU some versions of nvcc refuse `native`, others take their oldest.
  if (built.exit_code != 0) return {{}, {}, "no GPU, or no compiler for it:\n" + built.output};
  const ProcessResult run = run_process({program});
  if (run.exit_code != 0) return {{}, {}, run.output.substr(0, run.output.find('\n'))};
  GpuMeasured result;
  for (std::size_t at = 0; at < run.output.size();) {
    const std::size_t end = std::min(run.output.find('\n', at), run.output.size());
    const std::string line = run.output.substr(at, end - at);
    at = end + 1;
    const std::size_t space = line.find(' ');
    if (space == line.npos) continue;
    if (line.substr(0, space) == "name")
      result.name = line.substr(space + 1);
    else
      result.values[line.substr(0, space)] = std::strtod(line.c_str() + space, nullptr);
  }
  return result;
}

// Four digits, or a whole number.
std::string rounded(double value) {
  return value < 1e4 ? fmt::format("{:.4g}", value) : fmt::format("{:.0f}", value);
}

// Prints the table and puts what was measured over the defaults.
template <typename Profile>
void take(std::string_view section, std::span<const DeviceConstant<Profile>> constants,
          const Measured& measured, Profile& profile) {
  fmt::print("{:<30} {:>12} {:>12}  {}\n", section, "measured", "default", "unit");
  for (const DeviceConstant<Profile>& constant : constants) {
    double& value = profile.*constant.member;
    const auto found = measured.find(constant.name);
    const bool usable = found != measured.end() && found->second > 0;
    fmt::print("{:<30} {:>12} {:>12.6g}  {}: {}\n", constant.name, usable ? rounded(found->second) : "-",
               value, constant.unit, constant.meaning);
    if (usable) value = std::strtod(rounded(found->second).c_str(), nullptr);
  }
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) return line.substr(std::min(line.find(':') + 2, line.size()));
  return "unnamed";
}

int calibrate(const CalibrateOptions& options) {
  DeviceProfile profile = default_device_profile();
  if (options.print_default) {
    fmt::print("{}", device_profile_text(&profile.cpu, &profile.gpu));
    return kExitOk;
  }
  const std::string source = fmt::format("measured by cohort " COHORT_VERSION " calibrate, {}", today());
  take("cpu", cpu_constants(), measure_cpu(), profile.cpu);
  profile.cpu.name = cpu_name();
  profile.cpu.source = source;
  const GpuMeasured gpu = measure_gpu();
  if (gpu.absent.empty()) {
    take("gpu", gpu_constants(), gpu.values, profile.gpu);
    profile.gpu.name = gpu.name;
    profile.gpu.source = source;
  } else {
    fmt::print("no GPU found ({}): the default's constants stand, of {}\n", gpu.absent, profile.gpu.name);
  }
  if (!options.output.empty())
    write_file(options.output,
               device_profile_text(&profile.cpu, gpu.absent.empty() ? &profile.gpu : nullptr));
  return kExitOk;
}

}  // namespace

Action declare_calibrate(CLI::App& app) {
  auto options = std::make_shared<CalibrateOptions>();
  app.add_option("-o,--output", options->output, "write the profile to this file");
  app.add_flag("--default", options->print_default, "measure nothing and print the default profile");
  return [options] { return calibrate(*options); };
}

}  // namespace cohort
