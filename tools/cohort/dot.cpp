// cohort dot: a function as a Graphviz graph.
#include <fmt/format.h>

#include "ir/op_def.h"
#include "tools/cohort/command.h"
#include "tools/cohort/input.h"

namespace cohort {
namespace {

std::string dot_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '\n') {
      result += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

void print_function(const Module& module, const Function& function) {
  fmt::print("digraph {} {{\n  rankdir=TB;\n  node [fontname=\"sans-serif\", fontsize=10];\n",
             dot_string(function.name));
  const auto label = [&](ValueId id) {
    return fmt::format("{} : {}", display_name(function, id), to_string(function.type(id), module.dims));
  };
  for (std::size_t id = 0; id < function.values.size(); ++id) {
    const Value& value = function.values[id];
    if (value.kind == ValueKind::kNode || (value.kind == ValueKind::kConstant && value.name.empty()))
      continue;
    const char* shape = value.kind == ValueKind::kState   ? "cylinder"
                        : value.kind == ValueKind::kInput ? "invhouse"
                                                          : "note";
    fmt::print("  v{} [shape={}, label={}];\n", id, shape, dot_string(label(static_cast<ValueId>(id))));
  }
  for (std::size_t n = 0; n < function.nodes.size(); ++n) {
    const Node& node = function.nodes[n];
    std::string text = std::string(node.op->name);
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const Value& input = function.value(node.inputs[i]);
      if (input.kind != ValueKind::kConstant || !input.name.empty()) continue;
      const Tensor& data = module.constants[input.index].data;
      text += data.size() == 1 ? fmt::format(" {}", brief(data)) : std::string(" const");
    }
    fmt::print("  n{} [shape=box, style=rounded, label={}];\n", n,
               dot_string(text + "\n" + label(node.first_result)));
    for (const ValueId input : node.inputs) {
      const Value& value = function.value(input);
      if (value.kind == ValueKind::kConstant && value.name.empty()) continue;
      fmt::print("  {}{} -> n{};\n", value.kind == ValueKind::kNode ? "n" : "v",
                 value.kind == ValueKind::kNode ? value.index : input, n);
    }
  }
  const auto edge = [&](ValueId from, const std::string& to, const char* style) {
    const Value& value = function.value(from);
    fmt::print("  {}{} -> {} [style={}];\n", value.kind == ValueKind::kNode ? "n" : "v",
               value.kind == ValueKind::kNode ? value.index : from, to, style);
  };
  for (std::size_t i = 0; i < function.outputs.size(); ++i) {
    fmt::print("  out{} [shape=house, label={}];\n", i, dot_string(function.outputs[i].name));
    edge(function.outputs[i].value, fmt::format("out{}", i), "solid");
  }
  for (const Update& update : function.updates) {
    fmt::print("  up{} [shape=cylinder, label={}];\n", update.state,
               dot_string(module.states[update.state].name + " (new)"));
    edge(update.value, fmt::format("up{}", update.state), "bold");
  }
  fmt::print("}}\n");
}

}  // namespace

Action declare_dot(CLI::App& app) {
  struct Options {
    GraphInput input;
    std::string function;
  };
  auto options = std::make_shared<Options>();
  app.add_option("graph", options->input.path, "graph file")->required();
  app.add_option("--function", options->function, "which function (default: the only one)");
  app.footer("Pipe it into Graphviz: cohort dot model.json | dot -Tsvg -o model.svg");
  return [options] {
    const Module module = load_graph(options->input);
    print_function(module, choose_function(module, options->function));
    return kExitOk;
  };
}

}  // namespace cohort
