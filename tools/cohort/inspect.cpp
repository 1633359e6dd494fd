// cohort inspect: inputs, outputs and state of a module with types, bytes and the work of one call.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <map>

#include "compiler/pipeline.h"
#include "ir/op_def.h"
#include "ir/ops/scan.h"
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

// The work of one call at the dims' maxima.
struct Work {
  std::int64_t flops = 0;  // one for each scalar operator and element, one for each element that a reduction
                           // reads, two for each multiply-add of a product; index maps cost none
  std::int64_t bytes = 0;  // that nodes write, index maps left out
};

// Loops cost what their steps do, branches what the dearer one does.
class WorkCounter {
 public:
  explicit WorkCounter(const Module& module) : module_(module) {}

  const Work& of(const Function& function) {
    const auto known = known_.find(&function);
    if (known != known_.end()) return known->second;
    Work total;
    for (const Node& node : function.nodes) {
      const Work own = node.regions.empty() ? of_plain(function, node) : of_regions(function, node);
      total.flops = sum(total.flops, own.flops);
      total.bytes = sum(total.bytes, own.bytes);
    }
    return known_.emplace(&function, total).first->second;
  }

 private:
  // Numbers of steps may be such that the true number has no room.
  static std::int64_t sum(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    return __builtin_add_overflow(a, b, &result) ? std::numeric_limits<std::int64_t>::max() : result;
  }
  static std::int64_t product(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    return __builtin_mul_overflow(a, b, &result) ? std::numeric_limits<std::int64_t>::max() : result;
  }

  Work of_plain(const Function& function, const Node& node) {
    const Dims& dims = module_.dims;
    const std::int64_t results = max_element_count(function.type(node.first_result).shape, dims);
    Work work;
    std::vector<Type> inputs;
    for (const ValueId input : node.inputs) inputs.push_back(function.type(input));
    if (node.op->flops)
      work.flops = node.op->flops({*node.op, inputs, node.attrs, dims}, results);
    else if (node.op->op_class == OpClass::kElementwise)
      work.flops = results;
    else if (node.op->op_class == OpClass::kReduction)
      work.flops = max_element_count(inputs.front().shape, dims);
    if (node.op->op_class == OpClass::kIndexMap) return work;
    for (std::uint32_t r = 0; r < node.result_count; ++r)
      work.bytes = sum(work.bytes, max_bytes(function.type(node.first_result + r), dims));
    return work;
  }

  Work of_regions(const Function& function, const Node& node) {
    const bool is_loop = node.op->name == "scan";
    Work work;
    for (const auto& region : node.regions) {
      const Work& inner = of(*region);
      work.flops = std::max(work.flops, inner.flops);
      work.bytes = std::max(work.bytes, inner.bytes);
    }
    if (!is_loop) return work;
    const std::int64_t steps = max_extent(ops::scan_steps(function, node), module_.dims);
    return {product(work.flops, steps), product(work.bytes, steps)};
  }

  const Module& module_;
  std::map<const Function*, Work> known_;
};

// Nodes of a function with those of its bodies, each counted where it stands.
std::size_t node_count(const Function& function, std::map<const Function*, std::size_t>& known) {
  const auto found = known.find(&function);
  if (found != known.end()) return found->second;
  std::size_t count = function.nodes.size();
  for (const Node& node : function.nodes)
    for (const auto& region : node.regions) count += node_count(*region, known);
  return known[&function] = count;
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
  // Work is that of what is applied, written out.
  const Module plain = without_applied_functions(module);
  WorkCounter counter(plain);
  std::map<const Function*, std::size_t> counts;
  for (const auto& function : module.functions) {
    Json f{{"inputs", Json::array()}, {"outputs", Json::array()}, {"updates", Json::array()}};
    for (const ValueId input : function->inputs)
      f["inputs"].push_back(row(function->value(input).name, function->type(input), module.dims));
    for (const Output& output : function->outputs)
      f["outputs"].push_back(row(output.name, function->type(output.value), module.dims));
    for (const Update& update : function->updates) f["updates"].push_back(module.states[update.state].name);
    const auto written_out = std::find_if(plain.functions.begin(), plain.functions.end(),
                                          [&](const auto& each) { return each->name == function->name; });
    const Work& work = counter.of(**written_out);
    f["nodes"] = function->nodes.size();
    f["nodes_with_bodies"] = node_count(**written_out, counts);
    f["flops"] = work.flops;
    f["bytes"] = work.bytes;
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
    fmt::print(
        "function {}: {} nodes ({} with bodies and what is applied), {} flops, {} bytes written, updates {} "
        "of {} state variables\n",
        name, f["nodes"].get<std::size_t>(), f["nodes_with_bodies"].get<std::size_t>(),
        f["flops"].get<std::int64_t>(), f["bytes"].get<std::int64_t>(), f["updates"].size(),
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
  add_allow_path(app, options->input.allow_path);
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
