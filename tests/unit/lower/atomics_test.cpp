// Additions at elements that indices choose, in any order on the GPU under --fp=fast. Of whole numbers every
// order gives the same bits, in floats, too.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>

#include "compiler/kernel_passes/walk.h"
#include "compiler/placement/place.h"
#include "ir/kernel_verify.h"
#include "ir/text_parser.h"
#include "support.h"
#include "tests/support/same_bits.h"

using namespace cohort;
using namespace cohort::test;

namespace {

std::int64_t count_atomics(const kernel::Program& program) {
  std::int64_t count = 0;
  for (const kernel::Kernel& k : program.kernels)
    kernel::for_each_stmt(k.body, [&](const kernel::Stmt& s) {
      count += s.kind == kernel::StmtKind::kStore && s.op != ScalarOp::kNone;
    });
  return count;
}

kernel::Program on_gpu(const Module& module, bool fast, const KernelPassObserver& observer) {
  CompileOptions options;
  options.placement = PlacementMode::kGpu;
  options.fast = fast;
  CompiledModule compiled;
  compiled.module = module;
  kernel::Program program =
      run_kernel_passes(lower(module, *module.functions[0]), module.dims, options, {}, KernelStage::kFuse);
  place(std::vector<kernel::Program*>{&program}, std::vector<double>{1}, options, compiled);
  return run_kernel_passes(std::move(program), module.dims, options, observer, KernelStage::kFinish);
}

Tensor indices(std::int64_t count, std::int64_t size) {
  Tensor result(DType::kI64, {count});
  for (std::int64_t i = 0; i < count; ++i) set_element_int(result, i, i * 7 % size - (i % 3 == 0 ? size : 0));
  return result;
}

void check(const std::string& dtype, bool rows, std::int64_t atomics) {
  const std::string row = rows ? ",6" : "";
  const Module module =
      parse_text(fmt::format("module m\nfunc f(%x: {0}[11{1}], %y: {0}[200{1}], %i: i64[200]) {{\n"
                             "  %s = scatter_add(%x, %y, %i)\n  output s = %s\n}}\n",
                             dtype, row),
                 "m.txt");
  INFO(dtype << (rows ? " rows" : ""));
  const DType type = module.functions[0]->type(module.functions[0]->inputs[0]).dtype;
  const auto numbers = [&](std::int64_t count) {
    Tensor result(type, rows ? Extents{count, 6} : Extents{count});
    for (std::int64_t i = 0; i < result.size(); ++i) set_element(result, i, static_cast<double>(i % 5 + 1));
    return result;
  };
  const std::vector<Tensor> inputs{numbers(11), numbers(200), indices(200, 11)};
  std::vector<Tensor> state;
  const CallResult expected = interpret(module, *module.functions[0], inputs, state, {});
  kernel::Program program = on_gpu(module, true, [&](const KernelPass& pass, const kernel::Program& p) {
    INFO("after " << std::string(pass.name) << "\n" << kernel::to_string(p, module.dims));
    CHECK(count_atomics(p) == atomics);
    for (const LoopOrder order : {LoopOrder::kForward, LoopOrder::kBackward})
      CHECK(same(interpret_program(module, p, inputs, state, {}, order).outputs[0], expected.outputs[0]));
  });
  CHECK(count_atomics(on_gpu(module, false, {})) == 0);
  for (kernel::Kernel& k : program.kernels) k.device = kernel::Device::kCpu;
  const std::vector<std::string> faults = kernel::verify(program);
  CHECK(std::count(faults.begin(), faults.end(), "kernel `s`: atomic store on the CPU") == atomics);
}

}  // namespace

TEST_CASE("a carry that steps add to alone is a sum in any order, too") {
  const Module module = parse_text(
      "module m\nfunc f(%x: i64[90], %c: i64[]) {\n"
      "  %s = scan(%x, %c) {sequences = 1, carries = 1} body(%x: i64[], %c: i64[]) {\n"
      "    %n = add(%c, %x)\n    output n = %n\n  }\n  output s = %s\n}\n",
      "m.txt");
  const std::vector<Tensor> inputs{tensor(DType::kI64, {90}), tensor(DType::kI64, {})};
  std::vector<Tensor> state;
  const kernel::Program program = on_gpu(module, true, {});
  CHECK(count_atomics(program) == 1);
  for (const LoopOrder order : {LoopOrder::kForward, LoopOrder::kBackward})
    CHECK(element_as_int(interpret_program(module, program, inputs, state, {}, order).outputs[0], 0) ==
          1 + 90 * 91 / 2);
}

TEST_CASE("additions at indices are atomic under --fp=fast, of dtypes that have atomics") {
  for (const char* dtype : {"f32", "f64", "i32", "i64", "u32", "u64"})
    for (const bool rows : {false, true}) check(dtype, rows, 1);
  for (const char* dtype : {"f16", "bf16", "i8", "u16"}) check(dtype, false, 0);
}
