#include "tools/cohort/explain_measure.h"

#include <algorithm>

#include "compiler/sample.h"
#include "tools/cohort/build_graph.h"
#include "tools/cohort/engine.h"
#include "tools/cohort/temporary_folder.h"

namespace cohort {
namespace {

constexpr int kRounds = 15;
constexpr double kRoundNanoseconds = 2e7;
constexpr std::uint64_t kEverydaySeed = 1;  // sample.h: odd seeds give no special values

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + kRounds / 2, values.end());
  return values[kRounds / 2];
}

Json measure(const Stopwatch& merged, const Stopwatch& unmerged, const Function& function,
             std::span<const Tensor> inputs) {
  std::int64_t calls = 1;
  while (calls < (1 << 24) && unmerged(function, inputs, calls) < kRoundNanoseconds / 2) calls *= 2;
  std::vector<double> with, without;
  for (int round = 0; round < kRounds; ++round) {
    with.push_back(merged(function, inputs, calls) / static_cast<double>(calls));
    without.push_back(unmerged(function, inputs, calls) / static_cast<double>(calls));
  }
  const double fast = median(with), slow = median(without);
  return {{"merged_us", fast / 1000},
          {"unmerged_us", slow / 1000},
          {"gain", slow / fast},
          {"rounds", kRounds},
          {"calls_per_round", calls}};
}

}  // namespace

Json measure_merging(const Module& module, const CompileOptions& options, const std::string& function) {
  const TemporaryFolder merged_folder, unmerged_folder;
  CompileOptions with = options, without = options;
  with.threads = without.threads = false;
  without.merge = MergeMode::kOff;
  EmitOptions emit;
  emit.threads = false;
  const BuildOptions build;
  const Stopwatch merged =
      library_stopwatch(module, build_graph(module, with, emit, build, merged_folder.path()).library);
  const Stopwatch unmerged =
      library_stopwatch(module, build_graph(module, without, emit, build, unmerged_folder.path()).library);
  Json json = Json::object();
  for (const auto& f : module.functions) {
    if (!function.empty() && f->name != function) continue;
    json[f->name] = measure(merged, unmerged, *f, sample_call(module, *f, kEverydaySeed).inputs);
  }
  return json;
}

}  // namespace cohort
