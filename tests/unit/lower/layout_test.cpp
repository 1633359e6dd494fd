#include <doctest/doctest.h>

#include "compiler/pass.h"
#include "ir/op_def.h"
#include "support.h"

using namespace cohort;
using namespace cohort::test;

namespace {

// The module after lay_out_weights.
Module laid_out(const Module& module) {
  ModuleBuilder builder(module);
  builder.module().functions.clear();
  builder.add_function(passes::lay_out_weights(builder, *module.functions[0], {}));
  return builder.finish();
}

Tensor counted(const Extents& extents) {
  Tensor result = tensor(DType::kF32, extents);
  for (std::int64_t i = 0; i < result.size(); ++i)
    set_element(result, i, static_cast<double>(i * 7 % 23) / 8 - 1);
  return result;
}

}  // namespace

TEST_CASE("constant weights lie along the results") {
  ModuleBuilder m("layout");
  FunctionBuilder f(m, "f");
  const ValueId w = f.constant(m.add_constant("w", counted({9, 5})));
  const ValueId x = f.input("x", f32({5})), rows = f.input("rows", f32({4, 5}));
  f.output("vector", f.make("matmul", {w, x}));
  f.output("matrix", f.make("matmul", {rows, w}, {{"transpose_b", true}}));
  f.output("again", f.make("matmul", {w, f.make("neg", {x})}));
  const Module module = finish(m, f), after = laid_out(module);
  const Function& function = *after.functions[0];
  std::size_t products = 0;
  for (const Node& node : function.nodes) {
    if (node.op->name != "matmul") continue;
    ++products;
    CHECK_FALSE(attr_or(node.attrs, "transpose_b", false));
  }
  CHECK(products == 3);
  CHECK(after.constants.size() == module.constants.size() + 1);  // one swapped copy for all three
  const std::vector<Tensor> inputs{counted({5}), counted({4, 5})};
  std::vector<Tensor> state;
  const CallResult before = interpret(module, *module.functions[0], inputs, state, {});
  const CallResult now = interpret(after, function, inputs, state, {});
  for (std::size_t i = 0; i < before.outputs.size(); ++i) CHECK(before.outputs[i] == now.outputs[i]);
  check_lowering(after, inputs);
}

TEST_CASE("other products stay as they are") {
  ModuleBuilder m("layout");
  FunctionBuilder f(m, "f");
  const ValueId w = f.constant(m.add_constant("w", counted({9, 5})));
  const ValueId s = f.input("s", f32({9, 5})), x = f.input("x", f32({5})),
                many = f.input("many", f32({5, 40}));
  f.output("input", f.make("matmul", {s, x}));
  f.output("columns", f.make("matmul", {f.make("matmul", {x, f.input("y", f32({5, 9}))}), w}));
  f.output("matrix", f.make("matmul", {w, many}));
  const Module module = finish(m, f), after = laid_out(module);
  CHECK(after.constants.size() == module.constants.size());
}
