#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "compiler/derive/split_loops.h"
#include "compiler/plan_memory.h"
#include "ir/text_parser.h"
#include "random_graph.h"
#include "support.h"

using namespace cohort;
using namespace cohort::test;

namespace {

CompiledModule planned(Module module) {
  CompiledModule compiled;
  compiled.module = std::move(module);
  for (const auto& function : compiled.module.functions)
    compiled.functions.push_back(
        {run_kernel_passes(lower(compiled.module, *function), compiled.module.dims, {}), {}});
  plan_memory(compiled);
  return compiled;
}

// A chain of products, so that every value needs a buffer.
Module chain(int links, const Shape& shape, std::int64_t n) {
  ModuleBuilder m("chain");
  FunctionBuilder f(m, "f");
  ValueId x = f.input("x", f64(shape));
  const ValueId w = f.constant(m.add_constant("w", tensor(DType::kF64, {n, n})));
  for (int i = 0; i < links; ++i) x = f.make("matmul", {w, x});
  f.output("y", x);
  return finish(m, f);
}

}  // namespace

TEST_CASE("temporaries of a chain share two places") {
  const CompiledModule compiled = planned(chain(20, {16}, 16));
  CHECK(compiled.state_bytes == 0);
  CHECK(compiled.workspace_bytes == kHeaderBytes + 2 * 16 * 8);
  REQUIRE(compiled.weights.size() == 1);
  CHECK(compiled.weights_bytes == 16 * 16 * 8);
}

TEST_CASE("buffers whose lives overlap never share bytes") {
  for (std::uint64_t seed = 1; seed < 40; ++seed) {
    const RandomGraph graph = random_graph(seed, 40);
    const CompiledModule compiled = planned(graph.module);
    const kernel::Program& program = compiled.functions[0].program;
    const std::vector<Placement>& placements = compiled.functions[0].placements;
    std::vector<std::pair<std::size_t, std::size_t>> life(program.buffers.size(), {SIZE_MAX, 0});
    std::size_t step = 0;
    REQUIRE(program.calls.empty());
    for (const kernel::Kernel& k : program.kernels) {
      const auto touch = [&](kernel::BufferId b) {
        life[b].first = std::min(life[b].first, step);
        life[b].second = step;
      };
      const std::function<void(const kernel::ExprRef&)> expr = [&](const kernel::ExprRef& e) {
        if (e->kind == kernel::ExprKind::kLoad) touch(e->id);
        for (const kernel::ExprRef& a : e->args) expr(a);
      };
      const std::function<void(const std::vector<kernel::Stmt>&)> list =
          [&](const std::vector<kernel::Stmt>& statements) {
            for (const kernel::Stmt& s : statements) {
              if (s.kind == kernel::StmtKind::kStore) touch(s.buffer);
              for (const kernel::BufferId b : s.buffers) touch(b);
              if (s.value) expr(s.value);
              for (const kernel::ExprRef& e : s.index) expr(e);
              list(s.body);
              list(s.else_body);
            }
          };
      list(k.body);
      ++step;
    }
    const auto bytes = [&](std::size_t b) {
      return static_cast<std::uint64_t>(max_element_count(program.buffers[b].shape, {}) *
                                        dtype_bytes(program.buffers[b].dtype));
    };
    for (std::size_t a = 0; a < life.size(); ++a) {
      CHECK((placements[a].space == Space::kNone) == (life[a].first == SIZE_MAX));
      if (placements[a].space != Space::kWorkspace) continue;
      CHECK(placements[a].offset % kAlignment == 0);
      CHECK(placements[a].offset + bytes(a) <= compiled.workspace_bytes);
      for (std::size_t b = 0; b < a; ++b) {
        if (placements[b].space != Space::kWorkspace) continue;
        const bool together = life[a].first <= life[b].second && life[b].first <= life[a].second;
        const bool overlap = placements[a].offset < placements[b].offset + bytes(b) &&
                             placements[b].offset < placements[a].offset + bytes(a);
        const bool states = program.buffers[a].kind == kernel::BufferKind::kState ||
                            program.buffers[b].kind == kernel::BufferKind::kState;
        CHECK_FALSE(((together || states) && overlap));
      }
    }
  }
}

TEST_CASE("state stands first, initial values in the weights, equal ones once") {
  ModuleBuilder m("state");
  m.add_state("a", f64({3}), tensor(DType::kF64, {3}, {1, 2, 3}));
  m.add_state("b", f64({3}), tensor(DType::kF64, {3}, {1, 2, 3}));
  m.add_state("z", f32({5}), tensor(DType::kF32, {5}, {0, 0, 0, 0, 0}));
  FunctionBuilder f(m, "f");
  f.update(0, f.make("add", {f.state(0), f.state(1)}));
  const CompiledModule compiled = planned(finish(m, f));
  REQUIRE(compiled.states.size() == 3);
  CHECK(compiled.states[0].offset == kHeaderBytes);
  CHECK(compiled.states[1].offset == kHeaderBytes + 64);
  CHECK(compiled.states[0].init_offset == 0);
  CHECK(compiled.states[1].init_offset == 0);
  CHECK(compiled.states[2].init_offset == kZeros);
  CHECK(compiled.weights_bytes == 64);
  CHECK(compiled.workspace_bytes == kHeaderBytes + 3 * 64);  // the update is computed in place
}

TEST_CASE("lives are counted in rows") {
  ModuleBuilder m("rows");
  FunctionBuilder f(m, "f");
  std::vector<ValueId> parts;
  for (int i = 0; i < 64; ++i) {  // alike, each a product and what reads it
    const StateId s = m.add_state("s" + std::to_string(i), f64({8}), tensor(DType::kF64, {8}));
    const StateId w = m.add_state("w" + std::to_string(i), f64({8, 8}), tensor(DType::kF64, {8, 8}));
    const ValueId y = f.make("matmul", {f.state(w), f.state(s)});
    f.update(s, f.make("matmul", {f.state(w), y}));
  }
  const CompiledModule compiled = planned(finish(m, f));
  CHECK(compiled.functions[0].program.kernels.size() <= 3);
  check_lowering(compiled.module, {}, 1);
}

TEST_CASE("a constant without elements has an address") {
  ModuleBuilder m("empty");
  FunctionBuilder f(m, "f");
  const ValueId none = f.constant(m.add_constant("none", Tensor(DType::kF64, {0, 2})));
  f.output("y", f.make("reduce_sum", {none}, {{"axes", IntList{0}}}));
  const CompiledModule compiled = planned(finish(m, f));
  REQUIRE(compiled.weights.size() == 1);
  CHECK(compiled.weights_bytes > compiled.weights[0].offset);
}

TEST_CASE("with checkpoints the gradient of a loop needs memory for about the square root of its steps") {
  const Module module = parse_text(R"(module m
func loss(%x: f64[16], %k: f64[16]) {
  %h = scan(%x, %k) {carries = 1, steps = [1024]} body(%h: f64[16], %k: f64[16]) {
    %a = sin(%h)
    %b = mul(%a, %k)
    %c = exp(%b)
    %d = tanh(%c)
    output h = %d
  }
  %l = reduce_sum(%h)
  output l = %l
}
func slope(%x: f64[16], %k: f64[16]) {
  %dx, %dk = grad(%x, %k) {wrt = ["x", "k"]} function = loss
  output dx = %dx
  output dk = %dk
}
)",
                                   "t.txt");
  std::map<std::string, std::uint64_t> bytes;
  for (const char* checkpoint : {"none", "step", "sqrt"})
    bytes[checkpoint] = compile(with_checkpoints(module, checkpoint), {}).workspace_bytes;
  constexpr std::uint64_t kRow = 16 * 8;
  CHECK(bytes["none"] > 3 * 1024 * kRow);
  CHECK(bytes["step"] > 1024 * kRow);
  CHECK(bytes["step"] < 1100 * kRow);
  CHECK(bytes["sqrt"] < 8 * 32 * kRow);
}
