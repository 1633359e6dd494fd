// cohort inspect: inputs, outputs and state of a module with types, bytes and the work of one call.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ir/op_def.h"
#include "tools/cohort/command.h"
#include "tools/cohort/input.h"

namespace cohort {
namespace {

using Json = nlohmann::ordered_json;

std::int64_t max_bytes(const Type& type, const Dims& dims) {
  return max_element_count(type.shape, dims) * dtype_bytes(type.dtype);
}

Json row(const std::string& name, const Type& type, const Dims& dims) {
  return {{"name", name}, {"type", to_string(type, dims)}, {"bytes", max_bytes(type, dims)}};
}

// Arithmetic operations of one call at the dims' maxima: one for each scalar operator and element, one for
// each element that a reduction reads, two for each multiply-add of a product; index maps cost none.
std::int64_t flops(const Module& module, const Function& function) {
  std::int64_t total = 0;
  for (const Node& node : function.nodes) {
    const std::int64_t results = max_element_count(function.type(node.first_result).shape, module.dims);
    std::vector<Type> inputs;
    for (const ValueId input : node.inputs) inputs.push_back(function.type(input));
    if (node.op->flops)
      total += node.op->flops({*node.op, inputs, node.attrs, module.dims}, results);
    else if (node.op->op_class == OpClass::kElementwise)
      total += results;
    else if (node.op->op_class == OpClass::kReduction)
      total += max_element_count(inputs.front().shape, module.dims);
  }
  return total;
}

Json describe(const Module& module) {
  Json result{{"name", module.name}};
  for (const NamedDim& dim : module.dims) result["dims"][dim.name] = {{"min", dim.min}, {"max", dim.max}};
  std::int64_t state_bytes = 0, constant_bytes = 0;
  result["state"] = Json::array();
  for (const State& state : module.states) {
    result["state"].push_back(row(state.name, state.type, module.dims));
    state_bytes += max_bytes(state.type, module.dims);
  }
  for (const Constant& constant : module.constants) constant_bytes += constant.data.bytes();
  result["state_bytes"] = state_bytes;
  result["constant_bytes"] = constant_bytes;
  for (const auto& function : module.functions) {
    Json f{{"inputs", Json::array()}, {"outputs", Json::array()}, {"updates", Json::array()}};
    for (const ValueId input : function->inputs)
      f["inputs"].push_back(row(function->value(input).name, function->type(input), module.dims));
    for (const Output& output : function->outputs)
      f["outputs"].push_back(row(output.name, function->type(output.value), module.dims));
    for (const Update& update : function->updates) f["updates"].push_back(module.states[update.state].name);
    f["nodes"] = function->nodes.size();
    f["flops"] = flops(module, *function);
    result["functions"][function->name] = std::move(f);
  }
  return result;
}

void print_rows(const char* kind, const Json& rows, std::size_t limit) {
  for (std::size_t i = 0; i < rows.size() && i < limit; ++i)
    fmt::print("  {:<8} {:<32} {:<20} {:>12}\n", kind, rows[i]["name"].get<std::string>(),
               rows[i]["type"].get<std::string>(), rows[i]["bytes"].get<std::int64_t>());
  if (rows.size() > limit)
    fmt::print("  {:<8} … and {} more (--all shows them)\n", kind, rows.size() - limit);
}

void print_table(const Json& module, std::size_t limit) {
  fmt::print("module {}\n", module["name"].get<std::string>());
  if (module.contains("dims"))
    for (const auto& [name, bounds] : module["dims"].items())
      fmt::print("  dim      {} in {}..{}\n", name, bounds["min"].get<std::int64_t>(),
                 bounds["max"].get<std::int64_t>());
  fmt::print("  {:<8} {:<32} {:<20} {:>12}\n", "", "name", "type", "bytes");
  print_rows("state", module["state"], limit);
  fmt::print("  {} bytes of state, {} bytes of constants\n", module["state_bytes"].get<std::int64_t>(),
             module["constant_bytes"].get<std::int64_t>());
  if (!module.contains("functions")) return;
  for (const auto& [name, f] : module["functions"].items()) {
    fmt::print("function {}: {} nodes, {} flops, updates {} of {} state variables\n", name,
               f["nodes"].get<std::size_t>(), f["flops"].get<std::int64_t>(), f["updates"].size(),
               module["state"].size());
    print_rows("input", f["inputs"], limit);
    print_rows("output", f["outputs"], limit);
  }
}

}  // namespace

Action declare_inspect(CLI::App& app) {
  struct Options {
    GraphInput input;
    bool json = false, all = false;
  };
  auto options = std::make_shared<Options>();
  app.add_option("graph", options->input.path, "graph file")->required();
  app.add_flag("--json", options->json, "print JSON");
  app.add_flag("--all", options->all, "list every state variable, input and output");
  app.add_flag("--allow-path", options->input.allow_path, "let weights lie outside the graph's folder");
  return [options] {
    const Json described = describe(load_graph(options->input));
    if (options->json)
      fmt::print("{}\n", described.dump(2));
    else
      print_table(described, options->all ? SIZE_MAX : 20);
    return kExitOk;
  };
}

}  // namespace cohort
