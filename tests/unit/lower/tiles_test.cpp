// What is done to the elements of products: programs with loops over tiles mean the same, whatever the
// extents are and however the elements are read.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <utility>

#include "compiler/kernel_passes/tile_places.h"
#include "compiler/placement/place.h"
#include "compiler/sample.h"
#include "ir/kernel_verify.h"
#include "ir/text_parser.h"
#include "support.h"
#include "tests/support/same_bits.h"

using namespace cohort;
using namespace cohort::test;

namespace {

// A product, then operators of its elements at hand: with arrays of all kinds of extents, seen in parts and
// transposed, of several dtypes, and several results.
class RandomText {
 public:
  explicit RandomText(std::uint64_t seed) : random_(seed) {}

  std::string graph() {
    const char* type = pick() ? "f32" : "f64";
    const std::string m = pick() ? "rows" : number(9, 40), n = pick() ? "columns" : number(9, 40);
    const std::string k = pick() ? "depth" : number(16, 60);
    const bool batched = pick();
    shape_ = batched ? std::vector<std::string>{number(2, 5), m, n} : std::vector<std::string>{m, n};
    const std::string many = batched ? shape_[0] + "," : "";
    inputs_ = fmt::format("%a: {}[{}], %b: {}[{}]", type, many + (pick() ? m + "," + k : k + "," + m), type,
                          (pick() ? many : "") + k + "," + n);
    const bool transposed = inputs_.find(k + "," + m + "], %b") != std::string::npos && k != m;
    text_ = fmt::format("  %v0 = matmul(%a, %b) {{transpose_a = {}}}\n", transposed);
    type_ = type;
    for (int count = between(1, 6); count > 0; --count) step();
    std::string outputs = fmt::format("  output last = %v{}\n", last_);
    for (int v = 0; v < last_; ++v)
      if (between(0, 3) == 0) outputs += fmt::format("  output also{} = %v{}\n", v, v);
    return fmt::format(
        "module random\ndim rows 0..40\ndim columns 0..40\ndim depth 0..40\nfunc f({}) {{\n{}{}}}\n", inputs_,
        text_, outputs);
  }

 private:
  bool pick() { return (random_() & 1) != 0; }
  int between(int low, int high) {
    return low + static_cast<int>(random_() % static_cast<unsigned>(high - low + 1));
  }
  std::string number(int low, int high) { return std::to_string(between(low, high)); }
  std::string dims(std::vector<std::string> shape) {
    for (std::string& extent : shape)
      if (between(0, 2) == 0) extent = "1";
    if (shape.size() > 1 && pick()) shape.erase(shape.begin());
    return fmt::format("{}", fmt::join(shape, ","));
  }
  void add(const std::string& what) { text_ += fmt::format("  %v{} = {}\n", ++last_, what); }

  void step() {
    const std::string before = fmt::format("%v{}", last_);
    switch (between(0, 6)) {
      case 0:
      case 1: {
        inputs_ += fmt::format(", %c{}: {}[{}]", last_, type_, dims(shape_));
        return add(fmt::format("{}({}, %c{})", pick() ? "add" : "mul", before, last_));
      }
      case 2:
        return add(fmt::format("{}({})", pick() ? "relu" : "tanh", before));
      case 3:
        return add(fmt::format("sub({}, %v{})", before, last_));
      case 4:
        type_ = type_ == "f32" ? (pick() ? "f16" : "f64") : "f32";
        return add(fmt::format("cast({}) {{dtype = {}}}", before, type_));
      case 5: {
        std::vector<std::string> axes;
        for (std::size_t axis = shape_.size(); axis-- > 0;) axes.push_back(std::to_string(axis));
        std::reverse(shape_.begin(), shape_.end());
        return add(fmt::format("transpose({}) {{axes = [{}]}}", before, fmt::join(axes, ", ")));
      }
      default:
        return parts(before);
    }
  }
  // An axis as two.
  void parts(const std::string& before) {
    for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
      if (!std::isdigit(static_cast<unsigned char>(shape_[axis][0])) || shape_.size() > 3) continue;
      const int extent = std::stoi(shape_[axis]), part = extent % 3 == 0 ? 3 : extent % 2 == 0 ? 2 : 1;
      if (part == 1) continue;
      shape_[axis] = std::to_string(extent / part);
      shape_.insert(shape_.begin() + static_cast<std::ptrdiff_t>(axis) + 1, std::to_string(part));
      return add(fmt::format("reshape({}) {{shape = [{}]}}", before, fmt::join(shape_, ", ")));
    }
    add(fmt::format("neg({})", before));
  }

  std::mt19937_64 random_;
  std::string inputs_, text_, type_;
  std::vector<std::string> shape_;
  int last_ = 0;
};

std::uint64_t variable_number(const char* name, std::uint64_t fallback) {
  const char* given = std::getenv(name);
  return given == nullptr ? fallback : std::strtoull(given, nullptr, 10);
}

bool has_tiles(const kernel::Kernel& k) { return k.body.back().mode == kernel::LoopMode::kTiles; }

// All of the module's only function on the GPU; counts the programs in which something is done in tiles.
kernel::Program check_tiles(const Module& module, const SampleCall& call, std::uint64_t& with_tiles) {
  CompileOptions options;
  options.placement = PlacementMode::kGpu;
  CompiledModule compiled;
  compiled.module = module;
  kernel::Program program =
      run_kernel_passes(lower(module, *module.functions[0]), module.dims, options, {}, KernelStage::kFuse);
  place(std::vector<kernel::Program*>{&program}, std::vector<double>{1}, options, compiled);
  std::vector<Tensor> state = call.state;
  const CallResult expected = interpret(module, *module.functions[0], call.inputs, state, call.dims);
  const auto check = [&](const KernelPass& pass, const kernel::Program& p) {
    INFO("after " << std::string(pass.name) << "\n" << kernel::to_string(p, module.dims));
    if (pass.name == "fuse_tiles") with_tiles += std::any_of(p.kernels.begin(), p.kernels.end(), has_tiles);
    for (const LoopOrder order : {LoopOrder::kForward, LoopOrder::kBackward}) {
      std::vector<Tensor> own = call.state;
      const CallResult result = interpret_program(module, p, call.inputs, own, call.dims, order);
      for (std::size_t i = 0; i < expected.outputs.size(); ++i)
        CHECK(same(result.outputs[i], expected.outputs[i]));
    }
  };
  return run_kernel_passes(std::move(program), module.dims, options, check, KernelStage::kFinish);
}

}  // namespace

TEST_CASE("random readers of products mean the same in tiles") {
  const std::uint64_t first = variable_number("COHORT_SEED", 1), count = variable_number("COHORT_GRAPHS", 40);
  std::uint64_t with_tiles = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const std::string text = RandomText(seed).graph();
    INFO("seed " << seed << "\n" << text);
    const Module module = parse_text(text, "random.txt");
    check_tiles(module, sample_call(module, *module.functions[0], seed), with_tiles);
  }
  CHECK(with_tiles * 2 >= count);
}

TEST_CASE("a loop over tiles writes nothing that it multiplies, and runs on the GPU") {
  const Module module = parse_text(
      "module m\nfunc f(%x: f32[64,64], %w: f32[64,64]) {\n"
      "  %g = matmul(%x, %w)\n  %h = relu(%g)\n  output h = %h\n}\n",
      "m.txt");
  std::uint64_t with_tiles = 0;
  kernel::Program program = check_tiles(module, sample_call(module, *module.functions[0], 1), with_tiles);
  REQUIRE(with_tiles == 1);
  REQUIRE(kernel::verify(program).empty());
  kernel::Kernel& fused = *std::find_if(program.kernels.begin(), program.kernels.end(), has_tiles);
  kernel::Stmt& store = fused.body.back().body.back();
  REQUIRE(store.kind == kernel::StmtKind::kStore);
  const kernel::BufferId result = std::exchange(store.buffer, fused.body.back().buffers[0]);
  CHECK(kernel::verify(program) ==
        std::vector<std::string>{"kernel `h`: tiles that write what they multiply"});
  store.buffer = result;
  fused.device = kernel::Device::kCpu;
  CHECK_FALSE(kernel::verify(program).empty());
}

TEST_CASE("loops go over places as equal axes, joined ones, or parts") {
  using namespace kernel;
  const auto axis = [](VarId var, std::int64_t extent, std::int64_t stride) {
    return Axis{var, constant_index(extent), decompose(constant_index(stride))};
  };
  const std::vector<Axis> places{axis(0, 8, 2048), axis(1, 64, 32), axis(2, 32, 1)};
  const auto p = variable(0, DType::kI64), i = variable(1, DType::kI64), j = variable(2, DType::kI64);
  const auto same = [](const ExprRef& a, const ExprRef& b) { return equal(decompose(a), decompose(b)); };
  const auto split = places_of_loops(places, {axis(3, 512, 32), axis(4, 4, 8), axis(5, 8, 1)});
  REQUIRE(split);
  CHECK(same(split->at(3), p * constant_index(64) + i));
  CHECK(same(split->at(4), op(ScalarOp::k_floor_div, {j, constant_index(8)}, DType::kI64)));
  CHECK(same(split->at(5), op(ScalarOp::k_mod, {j, constant_index(8)}, DType::kI64)));
  const auto swapped = places_of_loops(places, {axis(3, 32, 1), axis(4, 1, 0), axis(5, 512, 32)});
  REQUIRE(swapped);
  CHECK(same(swapped->at(3), j));
  CHECK(same(swapped->at(4), constant_index(0)));
  CHECK_FALSE(places_of_loops(places, {axis(3, 511, 32), axis(4, 32, 1)}));                 // not all of them
  CHECK_FALSE(places_of_loops(places, {axis(3, 512, 32), axis(4, 32, 2)}));                 // with gaps
  CHECK_FALSE(places_of_loops(places, {axis(3, 512, 32), axis(4, 32, 1), axis(5, 2, 0)}));  // twice
  CHECK_FALSE(places_of_loops(places, {axis(3, 64, 32), axis(4, 32, 1)}));
  CHECK_FALSE(places_of_loops(places, {axis(3, 12, 1), axis(4, 4096, 12)}));  // across an edge
}
