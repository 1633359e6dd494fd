// Kernels on a GPU: what crosses between the two memories.
#include <doctest/doctest.h>

#include "compiler/compiled.h"
#include "ir/files.h"
#include "ir/text_parser.h"
#include "support.h"

using namespace cohort;
using namespace cohort::test;

namespace {

CompiledModule on_gpu(std::string_view text) {
  CompileOptions options;
  options.placement = PlacementMode::kGpu;
  return compile(parse_text(text, "graph.txt"), options);
}

// Why kernels stay on the CPU.
std::vector<std::string> kept(const CompiledModule& compiled) {
  std::vector<std::string> reasons;
  for (const PlacementReport::KernelCost& k : compiled.placement.kernels)
    if (!k.kept.empty()) reasons.push_back(k.kept);
  return reasons;
}

// "up x, up label, down loss": the transfers of a program in their order.
std::string transfers(const kernel::Program& program) {
  std::string text;
  for (const kernel::Kernel& k : program.kernels) {
    if (!kernel::is_transfer(k)) continue;
    const bool up = program.buffers[k.body[0].buffer].device == kernel::Device::kGpu;
    text += (text.empty() ? "" : ", ") + std::string(up ? "up " : "down ") +
            program.buffers[k.body[0].buffers[0]].name;
  }
  return text;
}

}  // namespace

// Case 37.
TEST_CASE("case 37: a training step transfers its inputs and its loss, and state stays on the GPU") {
  const CompiledModule compiled = on_gpu(R"(module train
state @w : f32[10,4] = 0.5
state @rate : f32[] = 0.125
func loss(%x: f32[16,10], %label: i64[16]) {
  %z : f32[16,4] = matmul(%x, @w)
  %l : f32[16,4] = log_softmax(%z)
  %o : f32[16,4] = one_hot(%label) {depth = 4, dtype = f32}
  %p : f32[16,4] = mul(%l, %o)
  %s : f32[] = reduce_sum(%p) {axes = [0, 1]}
  %n : f32[] = neg(%s)
  output loss = %n
}
func step(%x: f32[16,10], %label: i64[16]) {
  %l, %g = value_and_grad(%x, %label) {wrt = ["w"]} function = loss
  %d = mul(%g, @rate)
  %w = sub(@w, %d)
  output loss = %l
  update @w = %w
}
)");
  const kernel::Program& step = compiled.functions.back().program;
  const std::string seen = transfers(step);
  INFO(kernel::to_string(step, compiled.module.dims));
  CHECK((seen == "up x, up label, down loss" || seen == "up label, up x, down loss"));
  CHECK(kept(compiled).empty());
  CHECK(compiled.device_bytes > 0);
  CHECK(!compiled.device_state.empty());
}

TEST_CASE("case 37: of a GRU's training step nothing crosses but its inputs and its loss") {
  const std::string path = COHORT_SOURCE_DIR "/tests/slow/cuda/models/gru.txt";
  CompileOptions options;
  options.placement = PlacementMode::kGpu;
  const CompiledModule compiled = compile(parse_text(read_file(path), path), options);
  const kernel::Program& train = compiled.functions.back().program;
  INFO(kernel::to_string(train, compiled.module.dims));
  const std::string seen = transfers(train);
  CHECK((seen == "up xs, up t, down loss" || seen == "up t, up xs, down loss"));
  CHECK(kept(compiled).empty());
  for (const PlacementReport::Home& home : compiled.placement.homes) CHECK(home.on_gpu);
}

TEST_CASE("numbers go up as arguments of the kernels that read them, unless calls are replayed") {
  const char* text = R"(module m
func f(%x: f32[64], %a: f32[], %b: f32[1]) {
  %y = mul(%x, %a)
  %z = add(%y, %b)
  output z = %z
}
)";
  CompileOptions options;
  options.placement = PlacementMode::kGpu;
  CHECK(transfers(compile(parse_text(text, "graph.txt"), options).functions[0].program) == "up x, down z");
  options.cuda_graph = true;
  const std::string replayed =
      transfers(compile(parse_text(text, "graph.txt"), options).functions[0].program);
  for (const char* name : {"up x", "up a", "up b", "down z"}) CHECK(replayed.find(name) != std::string::npos);
}

TEST_CASE("a member of state that lies beside others crosses by its own bytes") {
  std::string text = "module m\n", nodes;
  for (int k = 0; k < 8; ++k) {
    const std::string n = std::to_string(k);
    text += "state @s" + n + " : f32[100] = 0\n";
    nodes += "  %y" + n + " = mul(@s" + n + ", 0.5)\n  %z" + n + " = add(%y" + n + ", %x)\n  update @s" + n +
             " = %z" + n + "\n";
  }
  text += "func f(%x: f32[100]) {\n" + nodes + "  %q = sort(@s3) {axis = 0}\n  output q = %q\n}\n";
  CompileOptions options;
  options.placement = PlacementMode::kGpu;
  options.merge = MergeMode::kAlways;
  const CompiledModule compiled = compile(parse_text(text, "graph.txt"), options);
  double down = 0;
  for (const PlacementReport::Crossing& crossing : compiled.placement.crossings)
    if (!crossing.up) down += crossing.bytes;
  CHECK(down == 400);
  CHECK(!compiled.state_storages.empty());
}

// Case 39.
TEST_CASE("case 39: what has no kernel on the GPU costs one transfer down and one up") {
  const CompiledModule compiled = on_gpu(R"(module between
func f(%x: f32[30]) {
  %a = tanh(%x)
  %s = sort(%a) {axis = 0}
  %b = exp(%s)
  %c = neg(%s)
  output b = %b
  output c = %c
}
)");
  const kernel::Program& f = compiled.functions[0].program;
  INFO(kernel::to_string(f, compiled.module.dims));
  CHECK(transfers(f) == "up x, down a, up s, down b, down c");
  CHECK(kept(compiled) == std::vector<std::string>{"it calls rt_sort"});
}

TEST_CASE("a module with nothing on the GPU is the module without it") {
  const char* text = "module m\nfunc f(%x: f32[30]) {\n  %s = sort(%x) {axis = 0}\n  output s = %s\n}\n";
  const CompiledModule compiled = on_gpu(text);
  CHECK(compiled.device_bytes == 0);
  CHECK(kernel::to_string(compiled.functions[0].program, {}) ==
        kernel::to_string(compile(parse_text(text, "graph.txt"), {}).functions[0].program, {}));
}
