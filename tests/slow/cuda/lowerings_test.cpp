// What has a lowering of its own on the GPU, under random schedules: as C++ and as what nvcc makes of it, it
// has the bits that compiled code has on the CPU.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cfloat>
#include <cmath>

#include "compiler/sample.h"
#include "ir/files.h"
#include "ir/text_parser.h"
#include "tests/slow/compiled/compiled_module.h"
#include "tests/slow/cuda/emulated.h"

namespace cohort::test {
namespace {

Module graph(const std::string& name) {
  const std::string path = fmt::format(COHORT_SOURCE_DIR "/tests/slow/cuda/goldens/{}.txt", name);
  return parse_text(read_file(path), path);
}

// Nothing, or what of the results differs by more than a relative distance; 0: bits.
std::string difference(const Tensor& expected, const Tensor& actual, double tolerance) {
  if (tolerance == 0 || !is_float(expected.dtype())) return first_difference(expected, actual).value_or("");
  for (std::int64_t i = 0; i < expected.size(); ++i) {
    const double a = scalar_as_double(load_scalar(expected, i)), b = scalar_as_double(load_scalar(actual, i));
    if (!(std::abs(a - b) <= tolerance * std::abs(a)))
      return fmt::format("element {} was {} and became {}", i, a, b);
  }
  return {};
}

// Samples, and of each dim of the function's inputs that may be 0 the first sample in which it is.
std::vector<std::uint64_t> sample_seeds(const Module& module, const Function& function) {
  std::vector<std::uint64_t> seeds{1, 3, 5};
  for (DimId d = 0; d < module.dims.size(); ++d) {
    const bool used = std::any_of(function.inputs.begin(), function.inputs.end(), [&](ValueId input) {
      const Shape& shape = function.type(input).shape;
      return std::any_of(shape.begin(), shape.end(),
                         [&](const Dim& e) { return !e.is_constant() && e.symbol == d; });
    });
    std::uint64_t seed = 1;
    while (used && module.dims[d].min == 0 && sample_call(module, function, seed).dims[d] != 0) ++seed;
    if (used && module.dims[d].min == 0) seeds.push_back(seed);
  }
  return seeds;
}

// What `--fp=fast` promises of sums of positive elements: 16 ulp of these and 16 of the result
// (tools/README.md, *cohort verify*).
double fast_tolerance(DType dtype) { return 32 * (dtype == DType::kF32 ? double{FLT_EPSILON} : DBL_EPSILON); }

// Every call is another schedule; results of all schedules and both sides are equal to the bit, but for what
// is added up by atomics: functions `scatter_`.
void compare_devices(const Module& module, double tolerance = 0, const CompileOptions& options = {}) {
  const Engine cpu = compiled_engine(module, {}, {"-O1"});
  std::vector<std::pair<std::string, Engine>> engines{{"C++", emulated_engine(module, options)}};
  if (!nvcc().empty()) engines.emplace_back("PTX", emulated_engine(module, options, Side::kPtx));
  for (const auto& function : module.functions) {
    const bool scatters = function->name.starts_with("scatter_");
    for (const std::uint64_t seed : sample_seeds(module, *function)) {
      const SampleCall call = sample_call(module, *function, seed);
      std::vector<Tensor> expected_state = call.state;
      const CallResult expected = cpu(*function, call.inputs, expected_state);
      for (const auto& [name, engine] : engines) {
        INFO(function->name << " as " << name << ", sample " << seed);
        std::vector<Tensor> state = call.state;
        const CallResult got = engine(*function, call.inputs, state);
        std::vector<Tensor> again = call.state;
        const CallResult same = engine(*function, call.inputs, again);
        for (std::size_t i = 0; i < expected.outputs.size(); ++i) {
          const double fast = fast_tolerance(expected.outputs[i].dtype());
          CHECK(difference(expected.outputs[i], got.outputs[i], scatters ? fast : tolerance) == "");
          CHECK(difference(got.outputs[i], same.outputs[i], scatters ? fast : 0) == "");
        }
        for (std::size_t s = 0; s < state.size(); ++s) {
          CHECK(difference(expected_state[s], state[s], tolerance) == "");
          CHECK(difference(state[s], again[s], 0) == "");
        }
      }
    }
  }
}

}  // namespace

TEST_CASE("products: steps in one block, or one by one, and what is done to the elements of large ones") {
  compare_devices(graph("products"));
}

// In another order than on the CPU, which is as exact; that of pieces is always the same.
TEST_CASE("few long rows are added up in pieces, and elements at indices by atomics under --fp=fast") {
  CompileOptions options;
  options.fast = true;
  compare_devices(graph("sums"), 1e-4, options);
}

TEST_CASE("many elements, several for each thread") { compare_devices(graph("wide")); }

}  // namespace cohort::test
