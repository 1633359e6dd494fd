// What the user wants on a device is there, under every policy that has a GPU.
#include <doctest/doctest.h>

#include "placed.h"

namespace cohort {
namespace {

// "exp: gpu, sum: cpu": kernels in their order, then state.
std::string sides(const CompiledModule& compiled) {
  std::string text;
  const auto add = [&](const std::string& name, bool on_gpu) {
    text += (text.empty() ? "" : ", ") + name + (on_gpu ? ": gpu" : ": cpu");
  };
  for (const PlacementReport::KernelCost& kernel : compiled.placement.kernels)
    if (kernel.kernel != "s") add(kernel.kernel, kernel.on_gpu);
  for (const PlacementReport::Home& home : compiled.placement.homes) add(home.states.front(), home.on_gpu);
  return text;
}

// Small, so that the cut would leave all of it on the CPU.
const char* const kChain = R"(module m
state @s : f32[8] = 0 {device = gpu}
state @t : f32[8] = 0 {device = cpu}
func f(%x: f32[8]) {
  %a = exp(%x) on gpu
  %b = mul(%a, 2.0) on cpu
  %c = add(%b, @s) on gpu
  %d = add(%c, @t) on cpu
  output d = %d
  update @s = %c
  update @t = %d
}
)";

}  // namespace

TEST_CASE("nodes and state are where they are wanted under every policy that has a GPU") {
  for (const PlacementMode mode : {PlacementMode::kGpu, PlacementMode::kGreedy, PlacementMode::kCut}) {
    const std::string found = sides(placed(kChain, mode));
    INFO(found);
    for (const char* wanted : {"a: gpu", "b: cpu", "c: gpu", "d: cpu"})
      CHECK(found.find(wanted) != std::string::npos);
    CHECK(found.ends_with("s: gpu, t: cpu"));
  }
}

TEST_CASE("without a GPU, marks mean nothing") {
  const CompiledModule compiled = placed(kChain, PlacementMode::kCpu);
  CHECK(compiled.device_bytes == 0);
}

TEST_CASE("one marked node takes its operands with it, and not its readers") {
  const std::string found = sides(placed(R"(module m
func f(%x: f32[64]) {
  %a = exp(%x)
  %b = tanh(%a) on gpu
  %c = neg(%b)
  output c = %c
}
)",
                                         PlacementMode::kCut));
  CHECK(found == "b: gpu, c: cpu");
}

TEST_CASE("state wanted on different devices is not laid side by side") {
  std::string states, nodes;
  for (int k = 0; k < 8; ++k) {
    const std::string n = std::to_string(k);
    states += "state @s" + n + " : f32[16] = 0 {device = " + (k % 2 ? "gpu" : "cpu") + "}\n";
    nodes += "  %y" + n + " = mul(@s" + n + ", 0.5)\n  %z" + n + " = add(%y" + n + ", %x)\n  update @s" + n +
             " = %z" + n + "\n";
  }
  CompileOptions options;
  options.placement = PlacementMode::kCut;
  options.merge = MergeMode::kAlways;
  const CompiledModule compiled = compile(
      parse_text("module m\n" + states + "func f(%x: f32[16]) {\n" + nodes + "}\n", "m.txt"), options);
  CHECK(compiled.state_storages.size() == 2);
  for (const PlacementReport::Home& home : compiled.placement.homes)
    for (const std::string& name : home.states) CHECK(home.on_gpu == ((name[1] - '0') % 2 == 1));
}

}  // namespace cohort
