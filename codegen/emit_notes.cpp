// The comment before a kernel: the graph lines it computes, and where the user's own source says they come
// from.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "codegen/emit_kernel.h"
#include "codegen/text.h"
#include "ir/op_def.h"

namespace cohort {

namespace {

constexpr std::size_t kMaxLines = 12;   // a kernel that fuses more says how many more
constexpr std::size_t kMaxNested = 72;  // longer expressions are shown by name

std::string operand_text(const Function& function, const Module& module, ValueId value) {
  const Value& v = function.value(value);
  if (v.kind == ValueKind::kConstant && v.name.empty()) {
    const Tensor& data = module.constants[v.index].data;
    if (data.size() == 1) return fmt::format("{}", element_as_double(data, 0));
  }
  return comment_text(display_name(function, value));
}

struct Line {
  std::string text;       // op(operands)
  bool absorbed = false;  // shown inside its only reader
  int reads = 0;          // by other sources
};

std::string line_text(const Function& function, const Module& module, const Node& node,
                      std::map<NodeId, Line>& lines) {
  const Attr* own = find_attr(node.attrs, "function");  // of the user
  std::string text = own ? comment_text(std::get<std::string>(*own)) : std::string(node.op->name);
  text += '(';
  for (std::size_t k = 0; k < node.inputs.size(); ++k) {
    if (k) text += ", ";
    if (text.size() > kMaxNested) return text + "...)";
    const Value& v = function.value(node.inputs[k]);
    const auto producer = v.kind == ValueKind::kNode ? lines.find(v.index) : lines.end();
    const bool nested =
        producer != lines.end() && producer->second.reads == 1 && !producer->second.text.empty() &&
        text.size() + producer->second.text.size() < kMaxNested && function.node(v.index).result_count == 1;
    if (nested) producer->second.absorbed = true;
    text += nested ? producer->second.text : operand_text(function, module, node.inputs[k]);
  }
  return text + ')';
}

void collect(const std::vector<kernel::Stmt>& body, std::vector<NodeId>& out) {
  for (const kernel::Stmt& stmt : body) {
    out.insert(out.end(), stmt.sources.begin(), stmt.sources.end());
    collect(stmt.body, out);
    collect(stmt.else_body, out);
  }
}

}  // namespace

std::vector<NodeId> collect_sources(const std::vector<kernel::Stmt>& body) {
  std::vector<NodeId> out;
  collect(body, out);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::string source_notes(const CompiledModule& compiled, std::size_t index,
                         const std::vector<NodeId>& sources) {
  const Module& module = compiled.module;
  const Function& function = *module.functions[index];
  const std::map<NodeId, std::uint32_t>& merged = compiled.functions[index].merged;
  std::map<NodeId, Line> lines;
  for (const NodeId id : sources)
    if (id < function.nodes.size()) lines[id];
  for (auto& [id, line] : lines) {
    for (const ValueId input : function.node(id).inputs) {
      const Value& v = function.value(input);
      if (v.kind != ValueKind::kNode) continue;
      if (const auto producer = lines.find(v.index); producer != lines.end()) ++producer->second.reads;
    }
  }
  for (auto& [id, line] : lines) line.text = line_text(function, module, function.node(id), lines);
  std::string out;
  std::size_t shown = 0, left = 0;
  for (const auto& [id, line] : lines) {
    if (line.absorbed) continue;
    if (shown == kMaxLines) {
      ++left;
      continue;
    }
    ++shown;
    const Node& node = function.node(id);
    std::string names;
    for (ValueId r = 0; r < node.result_count; ++r)
      names += (r ? ", " : "") + comment_text(display_name(function, node.first_result + r));
    const std::string& from = module.locations[node.loc].user;
    const auto group = merged.find(id);
    const std::string members =
        group == merged.end()
            ? ""
            : fmt::format("for each of {} alike: ", compiled.groups[group->second].members.size());
    out += fmt::format("// {}{} = {}{}\n", members, names, line.text,
                       from.empty() ? "" : "   " + comment_text(from));
  }
  if (left) out += fmt::format("// and {} more\n", left);
  return out;
}

}  // namespace cohort
