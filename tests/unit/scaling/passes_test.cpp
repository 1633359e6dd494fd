// Every pass is near-linear: ten times the nodes take about ten times as long, on graphs made to tempt it.
#include <doctest/doctest.h>

#include <cstdlib>
#include <functional>

#include "compiler/pipeline.h"
#include "ir/builder.h"

namespace cohort::test {
namespace {

struct GraphKind {
  const char* name;
  void (*grow)(FunctionBuilder& builder, int nodes);
};

ValueId input(FunctionBuilder& b, std::int64_t n) { return b.input("x", {DType::kF32, {Dim(n)}}); }

void chain(FunctionBuilder& b, int nodes) {
  ValueId v = input(b, 4);
  for (int i = 0; i < nodes; ++i) v = b.make(i % 3 == 0 ? "tanh" : i % 3 == 1 ? "neg" : "exp", {v});
  b.output("y", v);
}
void wide_alike(FunctionBuilder& b, int nodes) {
  const ValueId x = input(b, 4);
  ValueId sum = x;
  for (int i = 0; i < nodes / 2; ++i) sum = b.make("add", {sum, b.make("tanh", {i % 2 ? x : sum})});
  b.output("y", sum);
}
// n writes into one array, then n reads of it.
void writes_and_reads(FunctionBuilder& b, int nodes) {
  const int n = nodes / 3;
  const ValueId x = input(b, n);
  ValueId v = x, sum = b.literal(DType::kF32, 0);
  const auto at = [](int i) {
    return Attrs{{"axes", IntList{0}}, {"starts", IntList{i}}, {"stops", IntList{i + 1}}};
  };
  const OpDef &set = *find_op("set_slice"), &get = *find_op("slice"), &add = *find_op("add");
  for (int i = 0; i < n; ++i) v = b.node(set, {{v, b.literal(DType::kF32, i % 7)}}, at(i));
  for (int i = 0; i < n; ++i) sum = b.node(add, {{sum, b.node(get, {{v}}, at(i))}});
  b.output("y", sum);
}
void concats(FunctionBuilder& b, int nodes) {
  const ValueId x = b.input("x", {DType::kF32, {Dim(1)}});
  ValueId v = x;
  for (int i = 0; i < nodes; ++i) v = b.make("concat", {v, x}, {{"axis", std::int64_t{0}}});
  b.output("y", v);
}
void folding(FunctionBuilder& b, int nodes) {
  ValueId v = b.literal(DType::kF32, 1);
  for (int i = 0; i < nodes; ++i) v = b.make("mul", {v, b.literal(DType::kF32, 1.0 + i)});
  b.output("y", v);
}

double seconds(const GraphKind& kind, int nodes) {
  ModuleBuilder module("m");
  FunctionBuilder builder(module, "f");
  kind.grow(builder, nodes);
  module.add_function(builder.finish());
  PassRunner runner(module.finish(), {});
  run_pipeline(runner);
  double total = 0;
  const char* show = std::getenv("COHORT_SHOW_TIMES");
  for (const PassRun& run : runner.log()) {
    total += run.seconds;
    if (show)
      MESSAGE(std::string(kind.name) << " " << nodes << " " << std::string(run.pass->name) << " "
                                     << run.seconds << " s");
  }
  return total;
}

constexpr GraphKind kKinds[] = {{"chain", chain},
                                {"wide_alike", wide_alike},
                                {"writes_and_reads", writes_and_reads},
                                {"concats", concats},
                                {"folding", folding}};

}  // namespace

TEST_CASE("the pipeline is near-linear in nodes") {
  // Quadratic would be a factor of 100; caches and the allocator account for some of what is above 10. One
  // slow run of a busy machine is not believed.
  for (const GraphKind& kind : kKinds) {
    double ratio = 1e9;
    for (int tries = 0; tries < 3 && ratio >= 40; ++tries) ratio = seconds(kind, 30000) / seconds(kind, 3000);
    CHECK_MESSAGE(ratio < 40, std::string(kind.name)
                                  << ": ten times the nodes took " << ratio << " times as long");
  }
}

}  // namespace cohort::test
