// cohort diff: how the interface of two graphs or manifests differs: what would break a caller, and what
// would not.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <map>

#include "ir/diagnostics.h"
#include "ir/files.h"
#include "tools/cohort/command.h"
#include "tools/cohort/input.h"

namespace cohort {
namespace {

using Json = nlohmann::ordered_json;
// Everything a caller can see, one line each: "function f input x" -> "f32[3]".
using Interface = std::vector<std::pair<std::string, std::string>>;

Interface of_graph(const Module& module) {
  Interface lines;
  for (const NamedDim& dim : module.dims)
    lines.emplace_back("dim `" + dim.name + "`", fmt::format("{}..{}", dim.min, dim.max));
  for (const State& state : module.states)
    lines.emplace_back("state `" + state.name + "`", to_string(state.type, module.dims));
  for (const auto& function : module.functions) {
    const std::string f = "function `" + function->name + "`";
    lines.emplace_back(f, "");
    int position = 0;
    for (const ValueId input : function->inputs)
      lines.emplace_back(
          fmt::format("{} input `{}`", f, function->value(input).name),
          fmt::format("{} at position {}", to_string(function->type(input), module.dims), position++));
    for (const Output& output : function->outputs)
      lines.emplace_back(
          fmt::format("{} output `{}`", f, output.name),
          fmt::format("{} at position {}", to_string(function->type(output.value), module.dims), position++));
  }
  return lines;
}

Interface of_manifest(const Json& manifest) {
  const auto text = [](const Json& json) { return json.get<std::string>(); };
  Interface lines;
  for (const Json& dim : manifest.at("dims"))
    lines.emplace_back(
        "dim `" + text(dim.at("name")) + "`",
        fmt::format("{}..{}", dim.at("min").get<std::int64_t>(), dim.at("max").get<std::int64_t>()));
  for (const Json& state : manifest.at("state"))
    lines.emplace_back("state `" + text(state.at("name")) + "`", text(state.at("type")));
  for (const Json& function : manifest.at("functions")) {
    const std::string f = "function `" + text(function.at("name")) + "`";
    lines.emplace_back(f, "");
    int position = 0;
    for (const char* kind : {"inputs", "outputs"})
      for (const Json& array : function.at(kind))
        lines.emplace_back(
            fmt::format("{} {} `{}`", f, std::string(kind).substr(0, std::string(kind).size() - 1),
                        text(array.at("name"))),
            fmt::format("{} at position {}", text(array.at("type")), position++));
  }
  return lines;
}

Interface interface_of(const GraphInput& input) {
  const Json json = Json::parse(read_file(input.path), nullptr, false);
  if (json.is_object() && json.value("format", "") == "cohort-manifest") return of_manifest(json);
  return of_graph(load_graph(input));
}

int diff(const GraphInput& before_file, const GraphInput& after_file) {
  const Interface before = interface_of(before_file), after = interface_of(after_file);
  const std::map<std::string, std::string> old(before.begin(), before.end()), now(after.begin(), after.end());
  int breaking = 0, added = 0;
  for (const auto& [name, what] : before) {
    const auto found = now.find(name);
    if (found == now.end()) {
      fmt::print("breaks  {} is gone\n", name);
      ++breaking;
    } else if (found->second != what) {
      fmt::print("breaks  {}: {} became {}\n", name, what, found->second);
      ++breaking;
    }
  }
  for (const auto& [name, what] : after) {
    if (old.contains(name)) continue;
    // A new argument changes the struct of its function; anything else new leaves callers alone.
    const std::string owner =
        name.substr(0, name.find("` ") == name.npos ? name.size() : name.find("` ") + 1);
    const bool argument = owner != name && old.contains(owner);
    fmt::print("{}  {}{}\n", argument ? "breaks" : "adds  ", name, what.empty() ? "" : ": " + what);
    ++(argument ? breaking : added);
  }
  if (breaking + added == 0) fmt::print("the interfaces are the same\n");
  return breaking ? kExitDifference : kExitOk;
}

}  // namespace

Action declare_diff(CLI::App& app) {
  auto files = std::make_shared<std::pair<GraphInput, GraphInput>>();
  app.add_option("before", files->first.path, "graph file or manifest")->required();
  app.add_option("after", files->second.path, "graph file or manifest")->required();
  app.footer("Exit code 5 if callers of `before` would break.");
  return [files] { return diff(files->first, files->second); };
}

}  // namespace cohort
