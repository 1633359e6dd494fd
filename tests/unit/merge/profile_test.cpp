// Layout where the wishes of functions exclude each other.
#include <doctest/doctest.h>

#include <array>
#include <set>

#include "compiler/compiled.h"
#include "ir/builder.h"

using namespace cohort;

TEST_CASE("where functions want other orders, a profile says whose counts") {
  // Three of four variables each: only two of the functions can have theirs side by side.
  const auto updates = [](ModuleBuilder& module, const char* name, std::array<StateId, 3> states,
                          double factor) {
    FunctionBuilder function(module, name);
    for (const StateId s : states)
      function.update(s, function.make("mul", {function.state(s), function.literal(DType::kF64, factor)}));
    module.add_function(function.finish());
  };
  ModuleBuilder builder("layout");
  std::vector<StateId> s;
  for (const char* name : {"a", "b", "c", "d"})
    s.push_back(builder.add_state(name, {DType::kF64, {7}}, Tensor(DType::kF64, {7})));
  updates(builder, "f", {s[0], s[1], s[2]}, 2);
  updates(builder, "g", {s[1], s[2], s[3]}, 3);
  updates(builder, "h", {s[0], s[1], s[3]}, 5);
  const Module module = builder.finish();
  const auto tables = [&](const char* most) {
    CompileOptions options;
    options.merge = MergeMode::kAlways;
    if (most)
      options.profile.functions["f"].calls = options.profile.functions["g"].calls =
          options.profile.functions["h"].calls = 10;
    if (most) options.profile.functions[most].calls = 1000;
    const CompiledModule compiled = compile(module, options);
    std::set<std::string> through_tables;
    for (const MergedGroup& group : compiled.groups)
      if (group.tables > 0) through_tables.insert(module.functions[group.function]->name);
    return through_tables;
  };
  CHECK(tables(nullptr) == std::set<std::string>{"h"});
  CHECK(!tables("h").contains("h"));
  CHECK(!tables("g").contains("g"));
  CHECK(!tables("f").contains("f"));
}
