#include "support.h"

#include <doctest/doctest.h>

#include "compiler/kernel_passes/parallelise.h"
#include "compiler/kernel_passes/split_rows.h"
#include "compiler/placement/apply.h"
#include "compiler/placement/can_run.h"
#include "ir/diagnostics.h"
#include "ir/kernel_verify.h"
#include "tests/support/same_bits.h"

namespace cohort::test {

Tensor tensor(DType dtype, const Extents& extents, const std::vector<double>& values) {
  Tensor result(dtype, extents);
  for (std::int64_t i = 0; i < result.size(); ++i)
    set_element(result, i, values.empty() ? static_cast<double>(i + 1) : values[static_cast<std::size_t>(i)]);
  return result;
}

Type type(DType dtype, const Shape& shape) { return {dtype, shape}; }

Module finish(ModuleBuilder& module, FunctionBuilder& function) {
  module.add_function(function.finish());
  return module.finish();
}

namespace {

struct Reference {
  std::vector<Tensor> begin;  // state before the first call
  std::vector<CallResult> calls;
  std::vector<Tensor> state;
};

void compare(const Module& module, const kernel::Program& program, const std::vector<Tensor>& inputs,
             const DimValues& dims, const Reference& reference, LoopOrder order) {
  std::vector<Tensor> state = reference.begin;
  for (const CallResult& expected : reference.calls) {
    const CallResult result = interpret_program(module, program, inputs, state, dims, order);
    REQUIRE(result.outputs.size() == expected.outputs.size());
    for (std::size_t i = 0; i < expected.outputs.size(); ++i)
      CHECK(same(result.outputs[i], expected.outputs[i]));
    CHECK(result.printed == expected.printed);
  }
  for (std::size_t s = 0; s < state.size(); ++s) {
    INFO("state " << module.states[s].name);
    CHECK(same(state[s], reference.state[s]));
  }
}

// Everything that can on the GPU, or a part of it.
ProgramPlacement some_placement(const Module& module, const kernel::Program& program, std::uint32_t way) {
  const auto device = [&](std::size_t which) {
    const bool there = way == 0 || ((which * 0x9e3779b9u + way * 0x85ebca6bu) >> 7 & 1) != 0;
    return there ? kernel::Device::kGpu : kernel::Device::kCpu;
  };
  ProgramPlacement placement;
  for (const kernel::Kernel& k : program.kernels)
    placement.kernels.push_back(why_not_on_gpu(program, k).empty() ? device(placement.kernels.size())
                                                                   : kernel::Device::kCpu);
  for (std::size_t s = 0; s < module.states.size(); ++s) placement.states.push_back(device(s + 1000));
  return placement;
}

}  // namespace

kernel::Program check_lowering(const Module& module, const std::vector<Tensor>& inputs, int calls) {
  const DimValues dims = bind_dims(module, *module.functions.front(), inputs);
  return check_lowering(module, inputs, initial_state(module), dims, calls);
}

kernel::Program check_lowering(const Module& module, const std::vector<Tensor>& inputs,
                               const std::vector<Tensor>& state, const DimValues& dims, int calls) {
  const Function& function = *module.functions.front();
  Reference reference{state, {}, state};
  for (int call = 0; call < calls; ++call)
    reference.calls.push_back(interpret(module, function, inputs, reference.state, dims));
  const auto check = [&](std::string_view after, const kernel::Program& program) {
    const std::string text = kernel::to_string(program, module.dims);
    INFO("after " << std::string(after) << "\n" << text);
    compare(module, program, inputs, dims, reference, LoopOrder::kForward);
    compare(module, program, inputs, dims, reference, LoopOrder::kBackward);
  };
  // Nearly every loop is large enough where next to no work is worth a thread.
  const auto check_shared = [&](const kernel::Program& program) {
    constexpr std::int64_t kLittle = 2;
    const kernel::Program shared =
        kernel::share_loops(program, module.dims, default_device_profile().cpu, kLittle);
    REQUIRE(kernel::verify(shared).empty());
    check("sharing small loops", shared);
  };
  const auto check_ranges = [&](const kernel::Program& program) {
    const kernel::Program split = kernel::split_into_ranges(program, default_device_profile().cpu, {});
    REQUIRE(kernel::verify(split).empty());
    check("ranges of few rows", split);
    const kernel::Program flat = loop_passes::hoist(
        loop_passes::collapse(loop_passes::flatten_indices(split, module.dims), module.dims), module.dims);
    REQUIRE(kernel::verify(flat).empty());
    check("hoisting in ranges of few rows", flat);
  };
  const auto check_placed = [&](const kernel::Program& program) {
    for (std::uint32_t way = 0; way < 3; ++way) {
      const kernel::Program placed = apply_placement(program, some_placement(module, program, way));
      REQUIRE(kernel::verify(placed).empty());
      check("placement", placed);
      const kernel::Program fused = loop_passes::fuse_tiles(placed, module.dims);
      REQUIRE(kernel::verify(fused).empty());
      check("fusing into tiles", fused);
      const kernel::Program mapped = loop_passes::map_threads(fused, module.dims);
      const std::vector<std::string> faults = kernel::verify(mapped);
      INFO(kernel::to_string(mapped, module.dims));
      CHECK(faults == std::vector<std::string>());
      check("mapping to threads", mapped);
    }
  };
  kernel::Program program = lower(module, function);
  REQUIRE(kernel::verify(program).empty());
  check("lowering", program);
  return run_kernel_passes(std::move(program), module.dims, {},
                           [&](const KernelPass& pass, const kernel::Program& p) {
                             check(pass.name, p);
                             if (pass.name == "pack_weights") check_ranges(p);
                             if (pass.name == "hoist") check_placed(p);
                             if (pass.name == "lend_scratch") check_shared(p);
                           });
}

}  // namespace cohort::test
