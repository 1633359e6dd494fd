// Functions of the user's on whole arrays: the interpreters load them from a library, compiled code is linked
// with it; a status is an error of the call and leaves the state alone.
#include <doctest/doctest.h>

#include <fstream>

#include "compiler/lower.h"
#include "ir/diagnostics.h"
#include "ir/interpreter.h"
#include "ir/json_reader.h"
#include "ir/kernel_interpreter.h"
#include "tests/slow/codegen/support.h"
#include "tests/slow/compiled/compiled_module.h"

namespace cohort::test {
namespace {

constexpr const char* kFunctions = R"(#include <stdint.h>
int32_t my_split(float* sum, float* reversed, const float* x, int64_t reversed_0, int64_t x_0) {
  *sum = 0;
  for (int64_t i = 0; i < x_0; ++i) {
    if (x[i] < 0) return 3;
    *sum += x[i];
    reversed[reversed_0 - 1 - i] = x[i];
  }
  return 0;
}
)";
constexpr const char* kGraph = R"({"format": "cohort-ir", "version": "1.0", "name": "whole arrays",
 "dims": {"n": {"min": 0, "max": 8}},
 "state": {"s": {"type": "f32[]", "init": 5}},
 "functions": {"f": {"inputs": {"x": "f32[n]"}, "nodes": [
  {"name": "twice", "op": "mul", "inputs": ["x", 2]},
  {"names": ["sum", "reversed"], "op": "extern", "function": "my_split", "types": ["f32[]", "f32[n]"],
   "library": "lib own.so", "inputs": ["twice"]},
  {"name": "y", "op": "add", "inputs": ["reversed", "sum"]},
  {"name": "next", "op": "add", "inputs": ["sum", "s"]}],
  "outputs": {"y": "y"}, "updates": {"s": "next"}}}})";

Tensor vector(const std::vector<float>& values) {
  Tensor tensor(DType::kF32, {static_cast<std::int64_t>(values.size())});
  for (std::size_t i = 0; i < values.size(); ++i)
    set_element(tensor, static_cast<std::int64_t>(i), values[i]);
  return tensor;
}

}  // namespace

TEST_CASE("extern functions on the interpreters and on compiled code") {
  const Scratch folder("extern");
  std::ofstream(folder.file("own.c")) << kFunctions;
  std::ofstream(folder.file("m.json")) << kGraph;
  must_run({"cc", "-shared", "-fPIC", "-o", folder.file("lib own.so"), folder.file("own.c")});
  const Module module = read_module(folder.file("m.json"));
  const Function& function = *module.functions[0];
  const CompiledModule compiled = compile(module, {});
  const Engine lowered = [&](const Function& f, std::span<const Tensor> inputs, std::vector<Tensor>& state) {
    return interpret_program(module, lower(module, f), inputs, state, bind_dims(module, f, inputs));
  };
  const Engine optimised = [&](const Function& f, std::span<const Tensor> inputs,
                               std::vector<Tensor>& state) {
    return interpret_program(compiled.module, compiled.functions[0].program, inputs, state,
                             bind_dims(module, f, inputs));
  };
  for (const Engine& engine : {interpreter_engine(module), lowered, optimised, compiled_engine(module)}) {
    std::vector<Tensor> state = initial_state(module);
    const std::vector<Tensor> good{vector({1, 2, 3.5f})}, none{vector({})}, bad{vector({1, -2, 3})};
    CHECK(engine(function, good, state).outputs[0] == vector({20, 17, 15}));
    CHECK(element_as_double(state[0], 0) == 18);
    CHECK(engine(function, none, state).outputs[0] == vector({}));
    CHECK_THROWS_AS(engine(function, bad, state), UserError);
    CHECK(element_as_double(state[0], 0) == 18);
  }
}

TEST_CASE("extern functions stay on the CPU") {
  const Scratch folder("extern gpu");
  std::ofstream(folder.file("m.json")) << kGraph;
  CompileOptions options;
  options.placement = PlacementMode::kGpu;
  const CompiledModule compiled = compile(read_module(folder.file("m.json"), {.allow_path = true}), options);
  bool found = false;
  for (const PlacementReport::KernelCost& kernel : compiled.placement.kernels)
    found = found || kernel.kept.find("my_split") != std::string::npos;
  CHECK(found);
}

}  // namespace cohort::test
