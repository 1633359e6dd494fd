// Kernels of hand-made programs as text: locals, reductions, branches, rows, halves, overlapping buffers.
#include "codegen/emit_kernel.h"

#include <doctest/doctest.h>

#include "compiler/compiled.h"

using namespace cohort;
using namespace cohort::kernel;

namespace {

Stmt store(BufferId buffer, ExprRef index, ExprRef value) {
  Stmt s;
  s.kind = StmtKind::kStore;
  s.buffer = buffer;
  s.index = {std::move(index)};
  s.value = std::move(value);
  return s;
}
Stmt let(VarId var, ExprRef value) {
  Stmt s;
  s.kind = StmtKind::kLet;
  s.var = var;
  s.dtype = value->dtype;
  s.value = std::move(value);
  return s;
}
Stmt loop(VarId var, std::int64_t extent, LoopMode mode, std::vector<Stmt> body) {
  Stmt s;
  s.kind = StmtKind::kFor;
  s.mode = mode;
  s.var = var;
  s.value = constant_index(extent);
  s.body = std::move(body);
  return s;
}
ExprRef v(VarId id) { return variable(id, DType::kI64); }
ExprRef f32(double value) { return constant(make_scalar(DType::kF32, value)); }

// A module of one function `f` with buffers of 50 elements that lie one behind the other in the workspace.
struct Hand {
  explicit Hand(std::vector<DType> dtypes) {
    auto function = std::make_shared<Function>();
    function->name = "f";
    compiled.module.functions.push_back(function);
    compiled.functions.emplace_back();
    for (std::size_t k = 0; k < dtypes.size(); ++k) {
      Buffer buffer;
      buffer.name = std::string(1, static_cast<char>('a' + k));
      buffer.dtype = dtypes[k];
      buffer.shape = {Dim(50)};
      compiled.functions[0].program.buffers.push_back(buffer);
      compiled.functions[0].placements.push_back({Space::kWorkspace, 1024 * (k + 1)});
    }
  }
  std::string text(Kernel kernel) {
    if (kernel.name.empty()) kernel.name = "k";
    Identifiers names;
    const CustomNames customs(compiled, names);
    return emit_kernel({compiled, 0, cpp_dialect(), names, compiled.functions[0], customs}, kernel).text;
  }
  std::string text(std::vector<Stmt> body) {
    Kernel kernel;
    kernel.body = std::move(body);
    return text(kernel);
  }
  CompiledModule compiled;
};

constexpr DType kF = DType::kF32;

}  // namespace

TEST_CASE("locals read once stand in their reader, others have names") {
  Hand hand({kF, kF});
  const ExprRef product = op(ScalarOp::k_mul, {load(0, kF, {v(0)}), f32(2)}, kF);
  const ExprRef t1 = variable(1, kF), t2 = variable(2, kF);
  CHECK(hand.text({loop(0, 50, LoopMode::kSimd,
                        {let(1, product), let(2, op(ScalarOp::k_sub, {f32(1), t1}, kF)),
                         store(1, v(0), op(ScalarOp::k_mul, {op(ScalarOp::k_tanh, {t2}, kF), t2}, kF))})}) ==
        "RT_KERNEL void f_k(float* __restrict b, const float* __restrict a) {\n"
        "  rt_simd_for<rt_width<float>>(50, [&](auto i) {\n"
        "    const auto t = 1.0f - rt_load(a, i) * 2.0f;\n"
        "    rt_store(b, i, rt_tanh(t) * t);\n"
        "  });\n"
        "}\n");
}

TEST_CASE("a local that reads a buffer keeps its place before a store") {
  Hand hand({kF, kF});
  const ExprRef old = load(0, kF, {v(0)});
  const std::string text = hand.text(
      {loop(0, 50, LoopMode::kSimd, {let(1, old), store(0, v(0), f32(0)), store(1, v(0), variable(1, kF))})});
  CHECK(text.find("    const auto t = rt_load(a, i);\n    rt_store(a, i, 0.0f);\n    rt_store(b, i, t);\n") !=
        std::string::npos);
}

TEST_CASE("parentheses where grouping differs, and nowhere else") {
  Hand hand({kF});
  const auto sum = [](ExprRef a, ExprRef b) { return op(ScalarOp::k_add, {std::move(a), std::move(b)}, kF); };
  const ExprRef a = load(0, kF, {v(0)}), b = load(0, kF, {v(0) + constant_index(1)});
  const ExprRef left = sum(sum(a, b), a), right = sum(a, sum(b, a));
  const ExprRef negative = op(ScalarOp::k_neg, {op(ScalarOp::k_neg, {a}, kF)}, kF);
  const std::string text =
      hand.text({loop(0, 49, LoopMode::kSerial,
                      {store(0, v(0), left), store(0, v(0), right), store(0, v(0), negative),
                       store(0, v(0), op(ScalarOp::k_mul, {sum(a, b), b}, kF))})});
  CHECK(text.find("a[i] = a[i] + a[i + 1] + a[i];\n") != std::string::npos);
  CHECK(text.find("a[i] = a[i] + (a[i + 1] + a[i]);\n") != std::string::npos);
  CHECK(text.find("a[i] = -(-a[i]);\n") != std::string::npos);
  CHECK(text.find("a[i] = (a[i] + a[i + 1]) * a[i + 1];\n") != std::string::npos);
}

TEST_CASE("integers wrap, indices are plain arithmetic") {
  Hand hand({DType::kI64, DType::kI32});
  const ExprRef wide = load(0, DType::kI64, {v(0) * constant_index(2)});
  const ExprRef narrow = load(1, DType::kI32, {v(0)});
  const std::string text = hand.text(
      {loop(0, 25, LoopMode::kSerial,
            {store(0, v(0), op(ScalarOp::k_add, {wide, constant_index(3)}, DType::kI64)),
             store(0, v(0), v(0) + constant_index(3)),
             store(1, v(0),
                   op(ScalarOp::k_mul, {narrow, constant(make_scalar_int(DType::kI32, 3))}, DType::kI32))})});
  CHECK(text.find("a[i] = rt_add(a[i * 2], int64_t{3});\n") != std::string::npos);
  CHECK(text.find("a[i] = i + 3;\n") != std::string::npos);
  CHECK(text.find("b[i] = rt_mul(b[i], 3);\n") != std::string::npos);
}

TEST_CASE("halves are rounded after every operator") {
  Hand hand({DType::kF16, DType::kF16});
  const ExprRef a = load(0, DType::kF16, {v(0)});
  const ExprRef product = op(ScalarOp::k_mul, {a, a}, DType::kF16);
  CHECK(hand.text({loop(0, 50, LoopMode::kSimd,
                        {store(1, v(0), op(ScalarOp::k_add, {product, a}, DType::kF16))})}) ==
        "RT_KERNEL void f_k(rt_f16* __restrict b, const rt_f16* __restrict a) {\n"
        "  rt_simd_for<rt_width<float>>(50, [&](auto i) {\n"
        "    rt_store(b, i, rt_round_f16(rt_round_f16(rt_load(a, i) * rt_load(a, i)) + rt_load(a, i)));\n"
        "  });\n"
        "}\n");
}

TEST_CASE("a reduction along lanes is one call; several at once are accumulators") {
  Hand hand({kF, kF});
  const auto declare = [](VarId var, ScalarOp operation) {
    Stmt s;
    s.kind = StmtKind::kAccumulator;
    s.lanes = true;
    s.op = operation;
    s.dtype = kF;
    s.var = var;
    return s;
  };
  const auto accumulate = [](VarId var, ExprRef value) {
    Stmt s;
    s.kind = StmtKind::kAccumulate;
    s.dtype = kF;
    s.var = var;
    s.value = std::move(value);
    s.index = {v(0)};
    return s;
  };
  const ExprRef a = load(0, kF, {v(0)});
  const std::string one =
      hand.text({declare(1, ScalarOp::k_add), loop(0, 50, LoopMode::kSimd, {accumulate(1, a)}),
                 store(1, constant_index(0), finish(1, kF))});
  CHECK(one.find(
            "  const float sum = rt_reduce_sum<float>(50, [&](auto i) {\n    return rt_load(a, i);\n  });\n"
            "  b[0] = sum;\n") != std::string::npos);
  const std::string two =
      hand.text({declare(1, ScalarOp::k_add), declare(2, ScalarOp::k_max),
                 loop(0, 50, LoopMode::kSimd, {accumulate(1, a), accumulate(2, a)}),
                 store(1, constant_index(0), op(ScalarOp::k_sub, {finish(1, kF), finish(2, kF)}, kF))});
  CHECK(two.find("  rt_accumulator<rt_op_sum, float> sum;\n  rt_accumulator<rt_op_max, float> max;\n") !=
        std::string::npos);
  CHECK(two.find("    sum.add(i, rt_load(a, i));\n") != std::string::npos);
  CHECK(two.find("  b[0] = sum.finish() - max.finish();\n") != std::string::npos);
}

TEST_CASE("buffers that share bytes are not declared apart") {
  Hand hand({kF, kF, kF});
  hand.compiled.functions[0].placements[1].offset = 1024;  // b lies on a
  const std::string text = hand.text(
      {loop(0, 50, LoopMode::kSimd,
            {store(1, v(0), op(ScalarOp::k_add, {load(0, kF, {v(0)}), load(2, kF, {v(0)})}, kF))})});
  CHECK(text.find("f_k(float* b, const float* a, const float* __restrict c)") != std::string::npos);
}

TEST_CASE("rows become a table and a loop") {
  Hand hand({kF, kF});
  Kernel kernel;
  kernel.body = {loop(0, 50, LoopMode::kSimd,
                      {store(0, v(0), op(ScalarOp::k_mul, {load(0, kF, {v(0)}), variable(9, kF)}, kF))})};
  kernel.parameters = {0};
  kernel.scalars = {{9, kF}};
  kernel.rows = {{{0}, {0x3f800000u}, {}}, {{1}, {0x40000000u}, {}}};
  CHECK(hand.text(kernel) ==
        "// over 2 rows\n"
        "struct f_k_row {\n"
        "  uint32_t a;  // bytes into the workspace, or the weights\n"
        "  float scalar;\n"
        "};\n"
        "static const f_k_row f_k_rows[2] = {\n"
        "    {1024, 1.0f},\n"
        "    {2048, 2.0f},\n"
        "};\n"
        "RT_KERNEL void f_k([[maybe_unused]] void* workspace, [[maybe_unused]] const void* weights, int64_t "
        "first_row,\n"
        "                   int64_t row_count) {\n"
        "  for (int64_t at = first_row; at < first_row + row_count; ++at) {\n"
        "    const f_k_row& row = f_k_rows[at];\n"
        "    float* __restrict a = rt_place<float>(workspace, row.a);\n"
        "    const float scalar = row.scalar;\n"
        "    rt_simd_for<rt_width<float>>(50, [&](auto i) {\n"
        "      rt_store(a, i, rt_load(a, i) * scalar);\n"
        "    });\n"
        "  }\n"
        "}\n");
}

TEST_CASE("a kernel of many buffers finds them in the workspace") {
  Hand hand(std::vector<DType>(20, kF));
  std::vector<Stmt> body;
  for (BufferId k = 1; k < 20; ++k)
    body.push_back(store(k, constant_index(0), load(k - 1, kF, {constant_index(0)})));
  const std::string text = hand.text(body);
  CHECK(text.find("f_k([[maybe_unused]] void* workspace, [[maybe_unused]] const void* weights) {\n") !=
        std::string::npos);
  CHECK(text.find("  float* __restrict b = rt_place<float>(workspace, 2048);\n") != std::string::npos);
}

TEST_CASE("a loop that threads may share is a function over a range, with what it reads from outside") {
  Hand hand({kF, kF});
  const ExprRef scale = variable(1, kF);
  Stmt shared =
      loop(0, 50, LoopMode::kSimd, {store(1, v(0), op(ScalarOp::k_mul, {load(0, kF, {v(0)}), scale}, kF))});
  shared.grain = constant_index(8);
  CHECK(hand.text({let(1, load(0, kF, {constant_index(0)})), shared}) ==
        "RT_KERNEL void f_k_range(float* __restrict b, const float* __restrict a, float t, int64_t begin, "
        "int64_t end) {\n"
        "  rt_simd_for<rt_width<float>>(begin, end, [&](auto i) {\n"
        "    rt_store(b, i, rt_load(a, i) * t);\n"
        "  });\n"
        "}\n"
        "RT_KERNEL void f_k([[maybe_unused]] rt_workspace* header, float* __restrict b, const float* "
        "__restrict "
        "a) {\n"
        "  const float t = a[0];\n"
        "  rt_parallel_for(header, 50, 8, [=](int64_t begin, int64_t end) {\n"
        "    f_k_range(b, a, t, begin, end);\n"
        "  });\n"
        "}\n");
}

TEST_CASE("a shared loop within a loop takes the outer counter along") {
  Hand hand({kF, kF});
  Stmt shared =
      loop(1, 10, LoopMode::kParallel, {store(1, v(0) * constant_index(10) + v(1), load(0, kF, {v(1)}))});
  shared.grain = constant_index(2);
  const std::string text = hand.text({loop(0, 5, LoopMode::kSerial, {shared})});
  CHECK(text.find("(float* __restrict b, const float* __restrict a, int64_t i, ") != std::string::npos);
  CHECK(text.find("  for (int64_t j = begin; j < end; ++j) {\n"
                  "    b[i * 10 + j] = a[j];\n") != std::string::npos);
  CHECK(text.find("  for (int64_t i = 0; i < 5; ++i) {\n"
                  "    rt_parallel_for(header, 10, 2, [=](int64_t begin, int64_t end) {\n"
                  "      f_k_range(b, a, i, begin, end);\n") != std::string::npos);
}

TEST_CASE("a loop over more than a cache holds asks ahead for what it walks through, a short one does not") {
  Hand hand({kF, kF});
  const auto doubled = [](std::int64_t extent) {
    const ExprRef at = v(0) + constant_index(4);
    return loop(0, extent, LoopMode::kSimd,
                {store(1, v(0), op(ScalarOp::k_mul, {load(0, kF, {at}), load(0, kF, {v(0) * v(0)})}, kF))});
  };
  CHECK(hand.text({doubled(1'000'000)}).find("    rt_fetch_ahead(i, a + 4, b);\n") != std::string::npos);
  CHECK(hand.text({doubled(50)}).find("rt_fetch_ahead") == std::string::npos);
}
