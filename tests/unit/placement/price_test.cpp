// What kernels cost on either device by the default profile: the orders of magnitude that decide.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>

#include "compiler/kernel_passes/kernel_pass.h"
#include "compiler/lower.h"
#include "compiler/placement/model.h"
#include "compiler/placement/price.h"
#include "ir/text_parser.h"

namespace cohort::placement {
namespace {

// The sums over all kernels of a function, fused.
KernelTime time_of(const std::string& inputs, const std::string& nodes, bool fast = false) {
  const Module module =
      parse_text("module m\nfunc f(" + inputs + ") {\n" + nodes + "\n  output y = %y\n}", "m.txt");
  CompileOptions options;
  options.stop_after = "remove_dead";
  const kernel::Program program =
      run_kernel_passes(lower(module, *module.functions[0]), module.dims, options);
  const Pricer pricer(program, module.dims, options.device, fast);
  KernelTime sum;
  for (const kernel::Kernel& kernel : program.kernels) {
    const KernelTime time = pricer.time(kernel);
    sum.cpu_ns += time.cpu_ns;
    sum.gpu_ns += time.gpu_ns;
  }
  return sum;
}

KernelTime scalar_steps(const char* steps) {
  return time_of("%x: f64[]", std::string("  %y = scan(%x) {carries = 1, steps = [") + steps +
                                  "]} body(%x: f64[]) {\n    %s = mul(%x, 0.5)\n    %y = add(%s, 1.0)\n"
                                  "    output y = %y\n  }");
}

}  // namespace

TEST_CASE("ten million scalar steps are hopeless on a GPU") {
  const KernelTime time = scalar_steps("10000000");
  CHECK(time.cpu_ns > 1e6);
  CHECK(time.gpu_ns > 20 * time.cpu_ns);
  // In proportion to the steps.
  CHECK(time.gpu_ns / scalar_steps("10000").gpu_ns == doctest::Approx(1000).epsilon(0.1));
}

TEST_CASE("a large product and a large elementwise loop are what a GPU is for") {
  const KernelTime product = time_of("%a: f32[2048,2048], %b: f32[2048,2048]", "  %y = matmul(%a, %b)");
  CHECK(product.cpu_ns > 20 * product.gpu_ns);
  CHECK(product.cpu_ns == doctest::Approx(2.0 * 2048 * 2048 * 2048 / 125).epsilon(0.2));
  const KernelTime tanh = time_of("%x: f32[10000000]", "  %y = tanh(%x)");
  CHECK(tanh.cpu_ns > 50 * tanh.gpu_ns);
  // Read once, written once, at the rate of memory.
  CHECK(tanh.gpu_ns == doctest::Approx(2500 + 8e7 / 3840).epsilon(0.2));
}

TEST_CASE("a small kernel is not worth a launch") {
  const KernelTime time = time_of("%x: f32[100]", "  %y = mul(%x, 2.0)");
  CHECK(time.cpu_ns < 100);
  CHECK(time.gpu_ns >= 2500);
}

TEST_CASE("small steps run in one block, large ones are launches each") {
  const auto steps = [](int elements) {
    return time_of(fmt::format("%x: f32[{}]", elements),
                   fmt::format("  %y = scan(%x) {{carries = 1, steps = [1000]}} body(%x: f32[{}]) {{\n"
                               "    %y = tanh(%x)\n    output y = %y\n  }}",
                               elements));
  };
  const auto once = [](int elements) {
    return time_of(fmt::format("%x: f32[{}]", elements), "  %y = tanh(%x)");
  };
  // A launch of its own would have all of the GPU.
  CHECK(steps(50000).gpu_ns > 1000 * 10 * (once(50000).gpu_ns - 2500));
  CHECK(steps(50000).gpu_ns > 3 * 1000 * once(50000).gpu_ns);
  CHECK(steps(1000000).gpu_ns == doctest::Approx(1000 * once(1000000).gpu_ns).epsilon(0.5));
  CHECK(steps(50000).cpu_ns == doctest::Approx(1000 * once(50000).cpu_ns).epsilon(0.3));
}

TEST_CASE("elements that are not touched cost nothing") {
  const KernelTime all = time_of("%x: f64[1000000]", "  %y = mul(%x, 2.0)");
  const KernelTime few = time_of(
      "%x: f64[1000000]", "  %part = slice(%x) {starts = [0], stops = [1000]}\n  %y = mul(%part, 2.0)");
  CHECK(few.cpu_ns < all.cpu_ns / 100);
}

TEST_CASE("additions at indices come one after the other on a GPU, but under --fp=fast") {
  const char* const inputs = "%x: f32[500], %v: f32[20000], %i: i64[20000]";
  const char* const nodes = "  %y = scatter_add(%x, %v, %i)";
  CHECK(time_of(inputs, nodes).gpu_ns > 100 * time_of(inputs, nodes, true).gpu_ns);
  CHECK(time_of(inputs, nodes).cpu_ns == time_of(inputs, nodes, true).cpu_ns);
}

TEST_CASE("a reader of a product has no launch of its own beside it on the GPU") {
  const Module module = parse_text(
      "module m\nfunc f(%x: f32[64,64], %w: f32[64,64]) {\n"
      "  %g = matmul(%x, %w)\n  %y = tanh(%g)\n  output y = %y\n}",
      "m.txt");
  CompileOptions options;
  options.placement = PlacementMode::kCut;
  CompiledModule compiled;
  compiled.module = module;
  kernel::Program program =
      run_kernel_passes(lower(module, *module.functions[0]), {}, options, {}, KernelStage::kFuse);
  REQUIRE(program.kernels.size() == 2);
  const std::vector<kernel::Program*> programs{&program};
  const std::vector<double> weights{1};
  const Model model = model_of(programs, compiled, options, weights);
  const Pricer pricer(program, module.dims, options.device);
  const double launch = options.device.gpu.launch_ns;
  const std::uint32_t first = model.first_kernel[0];
  const std::vector<Cluster>& clusters = model.problem.clusters;
  const auto value = std::find_if(model.problem.values.begin(), model.problem.values.end(),
                                  [&](const Value& v) { return v.producer == first; });
  REQUIRE(value != model.problem.values.end());
  CHECK(clusters[first].gpu == ticks(pricer.time(program.kernels[0]).gpu_ns));
  CHECK(clusters[first + 1].gpu == ticks(pricer.time(program.kernels[1]).gpu_ns) - ticks(launch));
  CHECK(value->up == value->down + ticks(launch));
  options.blas = BlasLibrary::kCublas;
  options.device.gpu.blas_flops = 1e5;  // the library takes the product
  const Model apart = model_of(programs, compiled, options, weights);
  CHECK(apart.problem.clusters[first + 1].gpu == ticks(pricer.time(program.kernels[1]).gpu_ns));
}

TEST_CASE("crossings: bytes over the link, and scalars go up as arguments") {
  const Module module = parse_text(
      "module m\nfunc f(%x: f64[1000000], %s: f64[]) {\n  %y = mul(%x, %s)\n  output y = %y\n}", "m.txt");
  const kernel::Program program = lower(module, *module.functions[0]);
  const Pricer pricer(program, module.dims, default_device_profile());
  for (kernel::BufferId b = 0; b < program.buffers.size(); ++b) {
    const bool scalar = program.buffers[b].shape.empty();
    CHECK(pricer.up_ns(b) == doctest::Approx(scalar ? 0 : 8000 + 8e6 / 25));
    CHECK(pricer.down_ns(b) == doctest::Approx(scalar ? 8000 + 8.0 / 25 : 8000 + 8e6 / 25));
  }
}

}  // namespace cohort::placement
