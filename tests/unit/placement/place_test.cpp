// Placement of whole modules: what crosses, where state lives, and that results
// stay what they are.
#include <doctest/doctest.h>

#include <algorithm>

#include "compiler/placement/transfers.h"
#include "placed.h"

namespace cohort {
namespace {

struct Counts {
  std::vector<std::string> up, down;
  std::size_t on_gpu = 0, on_cpu = 0;
};
Counts counts(const kernel::Program& program) {
  Counts result;
  for (const kernel::Kernel& k : program.kernels) {
    if (!kernel::is_transfer(k)) {
      ++(k.device == kernel::Device::kGpu ? result.on_gpu : result.on_cpu);
      continue;
    }
    const kernel::Buffer& from = program.buffers[k.body[0].buffers[0]];
    (from.device == kernel::Device::kCpu ? result.up : result.down).push_back(from.name);
  }
  std::sort(result.up.begin(), result.up.end());
  return result;
}

double cost(const CompiledModule& compiled, std::string_view policy) {
  for (const PlacementReport::PolicyCost& one : compiled.placement.policies)
    if (one.policy == policy) return one.cpu_ns + one.gpu_ns + one.transfer_ns;
  return -1;
}

// A step of gradient descent with momentum on a linear model; the rate is
// state, too.
const char* const kTraining = R"(module m
state @w : f32[256] = 0.0
state @v : f32[256] = 0.0
state @rate : f32[] = 0.1
func step(%x: f32[65536,256], %t: f32[256,256]) {
  %xw = mul(%x, @w)
  %y = reduce_sum(%xw) {axes = [1]}
  %square = reshape(%y) {shape = [256,256]}
  %e = sub(%square, %t)
  %se = square(%e)
  %rows = reduce_sum(%se) {axes = [1]}
  %loss = reduce_sum(%rows) {axes = [0]}
  %column = reshape(%e) {shape = [65536,1]}
  %xe = mul(%x, %column)
  %g = reduce_sum(%xe) {axes = [0]}
  %v9 = mul(@v, 0.9)
  %v1 = add(%v9, %g)
  %s = mul(%v1, @rate)
  %w1 = sub(@w, %s)
  output loss = %loss
  update @v = %v1
  update @w = %w1
}
)";

// Ten million scalar steps; its result scales a large array that is used much.
const char* const kLoopThenArray = R"(module m
func f(%x: f64[], %a: f32[4000,1000]) {
  %n = scan(%x) {carries = 1, steps = [10000000]} body(%x: f64[]) {
    %s = mul(%x, 0.5)
    %y = add(%s, 1.0)
    output y = %y
  }
  %n32 = cast(%n) {dtype = f32}
  %b = mul(%a, %n32)
  %c = tanh(%b)
  %d = sin(%c)
  %e = exp(%d)
  %r = reduce_sum(%e) {axes = [1]}
  output r = %r
}
)";

// The same steps, whose result scales a large matrix before a product.
const char* const kLoopThenProduct = R"(module m
func f(%x: f64[], %a: f32[2048,2048], %b: f32[2048,2048]) {
  %n = scan(%x) {carries = 1, steps = [10000000]} body(%x: f64[]) {
    %s = mul(%x, 0.5)
    %y = add(%s, 1.0)
    output y = %y
  }
  %n32 = cast(%n) {dtype = f32}
  %c = mul(%a, %n32)
  %d = matmul(%c, %b)
  output d = %d
}
)";

// Of the kernels with this name, the one that takes longest.
PlacementReport::KernelCost kernel_named(const CompiledModule& compiled, std::string_view name) {
  PlacementReport::KernelCost found;
  for (const PlacementReport::KernelCost& kernel : compiled.placement.kernels)
    if (kernel.kernel == name && kernel.gpu_ns > found.gpu_ns) found = kernel;
  return found;
}

}  // namespace

TEST_CASE(
    "case 37: state of a training step stays, and only what is declared "
    "crosses") {
  const CompiledModule compiled = placed(kTraining, PlacementMode::kCut);
  const Counts found = counts(compiled.functions[0].program);
  CHECK(found.up == std::vector<std::string>{"t", "x"});
  CHECK(found.down.size() == 1);
  CHECK(found.on_gpu > 0);
  for (const PlacementReport::Home& home : compiled.placement.homes) CHECK(home.on_gpu);
}

TEST_CASE(
    "a loop of ten million scalar steps stays on the CPU, and the arrays "
    "after it do not") {
  const CompiledModule compiled = placed(kLoopThenArray, PlacementMode::kCut);
  bool loop_on_cpu = false;
  for (const PlacementReport::KernelCost& kernel : compiled.placement.kernels) {
    if (kernel.cpu_ns > 0 && kernel.gpu_ns > 1e9) {
      loop_on_cpu = !kernel.on_gpu;
      continue;
    }
    if (kernel.cpu_ns > 1e5) CHECK(kernel.on_gpu);
  }
  CHECK(loop_on_cpu);
  CHECK(counts(compiled.functions[0].program).on_gpu > 0);
}

TEST_CASE("a loop of ten million scalar steps stays on the CPU, and the large product after it does not") {
  const CompiledModule compiled = placed(kLoopThenProduct, PlacementMode::kCut);
  const PlacementReport::KernelCost loop = kernel_named(compiled, "n");
  CHECK(loop.gpu_ns > 1e9);
  CHECK_FALSE(loop.on_gpu);
  const PlacementReport::KernelCost product = kernel_named(compiled, "d");
  CHECK(product.on_gpu);
  CHECK(product.kept.empty());
  CHECK(product.cpu_ns > 1e8);
  CHECK(product.gpu_ns < 1e6);
  // Both matrices go up and the product comes down; the result of the loop is a number.
  const Counts found = counts(compiled.functions[0].program);
  CHECK(found.down == std::vector<std::string>{"d"});
  for (const char* matrix : {"a", "b"}) CHECK(std::count(found.up.begin(), found.up.end(), matrix) == 1);
  // All on the GPU would wait for the loop.
  CHECK(cost(compiled, "cut") < cost(compiled, "gpu") / 10);
  CHECK(cost(compiled, "cut") < cost(compiled, "cpu") / 2);
}

TEST_CASE("no policy is cheaper than the cut, and what is small stays on the CPU") {
  for (const char* text : {kTraining, kLoopThenArray, kLoopThenProduct}) {
    const CompiledModule compiled = placed(text, PlacementMode::kCut);
    for (const char* policy : {"cpu", "gpu", "greedy"})
      CHECK(cost(compiled, "cut") <= cost(compiled, policy));
  }
  const CompiledModule small = placed(
      "module m\nstate @s : f32[10] = 0.0\nfunc f(%x: f32[10]) {\n  %y = "
      "tanh(%x)\n  %z = add(@s, %y)\n  output y = "
      "%y\n  update @s = %z\n}\n",
      PlacementMode::kCut);
  const Counts found = counts(small.functions[0].program);
  CHECK(found.on_gpu == 0);
  CHECK(found.up.empty());
  CHECK(found.down.empty());
}

TEST_CASE("every policy keeps the rules of transfers") {
  for (const char* text : {kTraining, kLoopThenArray, kLoopThenProduct}) {
    for (const PlacementMode mode :
         {PlacementMode::kCpu, PlacementMode::kGpu, PlacementMode::kGreedy, PlacementMode::kCut}) {
      const CompiledModule compiled = placed(text, mode);
      for (const CompiledFunction& function : compiled.functions)
        CHECK(placement::faults_of_transfers(function.program).empty());
    }
  }
}

TEST_CASE("case 39: what goes back or crosses twice is found") {
  using namespace kernel;
  Program program;
  program.buffers = {{"x", BufferKind::kInput, DType::kF32, {4}, 0},
                     {"x", BufferKind::kTemporary, DType::kF32, {4}, 0},
                     {"x", BufferKind::kTemporary, DType::kF32, {4}, 0}};
  program.buffers[1].device = Device::kGpu;
  program.kernels = {transfer(program, 1, 0)};
  CHECK(placement::faults_of_transfers(program).empty());
  program.kernels.push_back(transfer(program, 2, 1));
  const std::vector<std::string> back = placement::faults_of_transfers(program);
  REQUIRE(back.size() == 2);
  CHECK(back[0] == "`x` goes back where it came from");
  CHECK(back[1] == "`x` crosses twice");
}

}  // namespace cohort
