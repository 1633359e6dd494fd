// cohort dot: a function as a Graphviz graph; bodies of loops and branches are boxes of their own.
#include <fmt/format.h>

#include <algorithm>

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
    if (static_cast<unsigned char>(c) < 0x20) {
      result += fmt::format("\\\\u{:04x}", c);
      continue;
    }
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

// Prints the parts of one function. `prefix` begins the names of its nodes; a body's is that of its node.
class DotFunction {
 public:
  DotFunction(const Module& module, const Function& function, std::string prefix, int depth)
      : module_(module),
        function_(function),
        prefix_(std::move(prefix)),
        indent_(static_cast<std::size_t>(2 * depth), ' ') {}

  void print() const {
    for (ValueId id = 0; id < function_.values.size(); ++id) value(id);
    for (NodeId id = 0; id < function_.nodes.size(); ++id) node(id);
    for (std::size_t i = 0; i < function_.outputs.size(); ++i) {
      line("{} [shape=house, label={}];", output(i), dot_string(function_.outputs[i].name));
      line("{} -> {} [style=solid];", place(function_.outputs[i].value), output(i));
    }
    for (const Update& update : function_.updates) {
      line("{}up{} [shape=cylinder, label={}];", prefix_, update.state,
           dot_string(module_.states[update.state].name + " (new)"));
      line("{} -> {}up{} [style=bold];", place(update.value), prefix_, update.state);
    }
  }

 private:
  template <typename... Args>
  void line(fmt::format_string<Args...> text, Args&&... args) const {
    fmt::print("{}{}\n", indent_, fmt::format(text, std::forward<Args>(args)...));
  }
  std::string label(ValueId id) const {
    return fmt::format("{} : {}", display_name(function_, id), to_string(function_.type(id), module_.dims));
  }
  std::string output(std::size_t i) const { return fmt::format("{}out{}", prefix_, i); }
  std::string box(NodeId id) const { return fmt::format("{}n{}", prefix_, id); }
  // What an edge from the value begins at.
  std::string place(ValueId id) const {
    const Value& value = function_.value(id);
    return value.kind == ValueKind::kNode ? box(value.index) : fmt::format("{}v{}", prefix_, id);
  }

  void value(ValueId id) const {
    const Value& value = function_.value(id);
    if (value.kind == ValueKind::kNode || (value.kind == ValueKind::kConstant && value.name.empty())) return;
    const char* shape = value.kind == ValueKind::kState   ? "cylinder"
                        : value.kind == ValueKind::kInput ? "invhouse"
                                                          : "note";
    line("{} [shape={}, label={}];", place(id), shape, dot_string(label(id)));
  }

  void node(NodeId id) const {
    const Node& node = function_.node(id);
    std::string text = std::string(node.op->name);
    for (const ValueId input : node.inputs) {
      const Value& value = function_.value(input);
      if (value.kind != ValueKind::kConstant || !value.name.empty()) continue;
      const Tensor& data = module_.constants[value.index].data;
      text += data.size() == 1 ? fmt::format(" {}", brief(data)) : std::string(" const");
    }
    for (std::size_t r = 0; r < node.regions.size(); ++r)
      if (is_named(node.regions[r]))
        text += fmt::format("\n{} = {}", node.op->regions[r], node.regions[r]->name);
    for (ValueId r = node.first_result; r < node.first_result + node.result_count; ++r)
      text += "\n" + label(r);
    line("{} [shape=box, style=rounded, label={}];", box(id), dot_string(text));
    for (const ValueId input : node.inputs) {
      const Value& value = function_.value(input);
      if (value.kind == ValueKind::kConstant && value.name.empty()) continue;
      line("{} -> {};", place(input), box(id));
    }
    for (std::size_t r = 0; r < node.regions.size(); ++r)
      if (!is_named(node.regions[r])) body(id, r);
  }

  // Functions of the module are graphs of their own.
  bool is_named(const std::shared_ptr<const Function>& region) const {
    return std::find(module_.functions.begin(), module_.functions.end(), region) != module_.functions.end();
  }

  void body(NodeId id, std::size_t r) const {
    const Node& node = function_.node(id);
    const Function& region = *node.regions[r];
    const std::string prefix = fmt::format("{}_{}_", box(id), r);
    line("subgraph cluster_{} {{", prefix);
    line("  label={}; style=dashed;",
         dot_string(fmt::format("{} of {}", node.op->regions[r], node.op->name)));
    const DotFunction inner(module_, region, prefix, static_cast<int>(indent_.size() / 2) + 1);
    inner.print();
    line("}}");
    for (std::size_t i = 0; i < region.outputs.size(); ++i)
      line("{} -> {} [style=dashed];", inner.output(i), box(id));
  }

  const Module& module_;
  const Function& function_;
  const std::string prefix_, indent_;
};

void print_function(const Module& module, const Function& function) {
  fmt::print("digraph {} {{\n  rankdir=TB;\n  node [fontname=\"sans-serif\", fontsize=10];\n",
             dot_string(function.name));
  DotFunction(module, function, "", 1).print();
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
