// cohort explain: which kernel computes a node, what it reads and writes, and where it comes from.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>

#include "compiler/compiled.h"
#include "ir/diagnostics.h"
#include "ir/op_def.h"
#include "tools/cohort/command.h"
#include "tools/cohort/input.h"
#include "tools/cohort/merge_option.h"

namespace cohort {
namespace {

using Json = nlohmann::ordered_json;
using kernel::BufferId;
using kernel::Stmt;
using kernel::StmtKind;

struct ExplainOptions {
  GraphInput input;
  std::string function, node;
  bool json = false;
  CompileOptions compile;
};

// What a kernel touches; loops and statements counted.
struct Contents {
  std::set<std::uint32_t> nodes;
  std::set<BufferId> reads, writes;
  int loops = 0, statements = 0;
};

void gather(const kernel::ExprRef& e, Contents& contents) {
  if (!e) return;
  if (e->kind == kernel::ExprKind::kLoad) contents.reads.insert(e->id);
  for (const kernel::ExprRef& a : e->args) gather(a, contents);
}

void gather(const std::vector<Stmt>& body, Contents& contents) {
  for (const Stmt& s : body) {
    ++contents.statements;
    contents.nodes.insert(s.sources.begin(), s.sources.end());
    contents.loops += s.kind == StmtKind::kFor;
    if (s.kind == StmtKind::kStore) contents.writes.insert(s.buffer);
    if (s.kind == StmtKind::kPrint) contents.reads.insert(s.buffer);
    for (std::size_t i = 0; i < s.buffers.size(); ++i)
      (i < s.outputs ? contents.writes : contents.reads).insert(s.buffers[i]);
    gather(s.value, contents);
    for (const kernel::ExprRef& e : s.index) gather(e, contents);
    gather(s.body, contents);
    gather(s.else_body, contents);
  }
}

std::string place(const CompiledFunction& f, BufferId id) {
  static constexpr const char* kSpaces[] = {"argument", "workspace", "weights", "nowhere"};
  const Placement& p = f.placements[id];
  const char* space = kSpaces[static_cast<int>(p.space)];
  return p.space == Space::kWorkspace || p.space == Space::kWeights ? fmt::format("{}+{}", space, p.offset)
                                                                    : space;
}

Json buffer_json(const CompiledFunction& f, BufferId id, const Dims& dims) {
  static constexpr const char* kKinds[] = {"input", "output", "state", "constant", "temporary"};
  const kernel::Buffer& b = f.program.buffers[id];
  return {{"name", b.name},
          {"kind", kKinds[static_cast<int>(b.kind)]},
          {"type", to_string(Type{b.dtype, b.shape}, dims)},
          {"at", place(f, id)}};
}

Json node_json(const Module& module, const Function& function, std::uint32_t id) {
  const Node& node = function.node(id);
  Json json{{"name", display_name(function, node.first_result)},
            {"op", node.op->name},
            {"type", to_string(function.type(node.first_result), module.dims)}};
  const SourceLoc& loc = module.locations[node.loc];
  if (loc.line > 0) json["graph"] = fmt::format("{}:{}:{}", module.file, loc.line, loc.column);
  if (!loc.user.empty()) json["source"] = loc.user;
  return json;
}

Json kernels_json(const CompiledModule& compiled, std::size_t index) {
  const CompiledFunction& f = compiled.functions[index];
  const Function& function = *compiled.module.functions[index];
  Json rows = Json::array();
  for (const kernel::Kernel& k : f.program.kernels) {
    Contents contents;
    gather(k.body, contents);
    for (const kernel::KernelRow& row : k.rows) contents.nodes.insert(row.sources.begin(), row.sources.end());
    Json json{{"kernel", k.name},
              {"runs", std::max<std::size_t>(k.rows.size(), 1)},
              {"loops", contents.loops},
              {"statements", contents.statements}};
    for (const std::uint32_t node : contents.nodes)
      json["computes"].push_back(node_json(compiled.module, function, node));
    for (const BufferId b : contents.reads) json["reads"].push_back(buffer_json(f, b, compiled.module.dims));
    for (const BufferId b : contents.writes)
      json["writes"].push_back(buffer_json(f, b, compiled.module.dims));
    rows.push_back(std::move(json));
  }
  return rows;
}

void print_kernel(const Json& k) {
  fmt::print("kernel {}: {} loops, {} statements", k["kernel"].get<std::string>(), k["loops"].get<int>(),
             k["statements"].get<int>());
  if (k["runs"].get<std::size_t>() > 1)
    fmt::print(", run on {} rows of buffers", k["runs"].get<std::size_t>());
  fmt::print("\n");
  if (k.contains("computes"))
    for (const Json& n : k["computes"])
      fmt::print("  computes {} : {} = {}{}\n", n["name"].get<std::string>(), n["type"].get<std::string>(),
                 n["op"].get<std::string>(),
                 n.contains("source")  ? "   " + n["source"].get<std::string>()
                 : n.contains("graph") ? "   " + n["graph"].get<std::string>()
                                       : "");
  for (const char* direction : {"reads", "writes"})
    if (k.contains(direction))
      for (const Json& b : k[direction])
        fmt::print("  {:<8} {} : {} ({}, {})\n", direction, b["name"].get<std::string>(),
                   b["type"].get<std::string>(), b["kind"].get<std::string>(), b["at"].get<std::string>());
}

bool computes(const Json& k, const std::string& node) {
  return k.contains("computes") && std::any_of(k["computes"].begin(), k["computes"].end(),
                                               [&](const Json& n) { return n["name"] == node; });
}

// Says what became of a node that no kernel computes.
void explain_absent(const Module& source, const std::string& function_name, const std::string& node) {
  for (const auto& function : source.functions) {
    if (function->name != function_name) continue;
    for (const Value& value : function->values) {
      if (value.name != node) continue;
      if (value.kind != ValueKind::kNode)
        fmt::print("`{}` is no node but an input, a state variable or a constant\n", node);
      else
        fmt::print(
            "no kernel computes `{}`: it is a view, was folded into a constant, equals another node, or "
            "nothing "
            "that leaves the function depends on it\n",
            node);
      return;
    }
  }
  fail(DiagId::kUnknownName, node, function_name);
}

int explain(const ExplainOptions& options) {
  const Module source = load_graph(options.input);
  if (!options.function.empty()) choose_function(source, options.function);
  const CompiledModule compiled = compile(source, options.compile);
  Json all{{"module", source.name}};
  for (std::size_t f = 0; f < compiled.functions.size(); ++f) {
    const std::string& name = compiled.module.functions[f]->name;
    if (!options.function.empty() && name != options.function) continue;
    Json kernels = kernels_json(compiled, f);
    if (!options.node.empty()) {
      Json chosen = Json::array();
      for (const Json& k : kernels)
        if (computes(k, options.node)) chosen.push_back(k);
      kernels = std::move(chosen);
      if (kernels.empty() && !options.json) explain_absent(source, name, options.node);
    }
    if (!options.json) {
      fmt::print("function {}: {} nodes in the file, {} after the passes, {} kernels\n", name,
                 source.functions[f]->nodes.size(), compiled.module.functions[f]->nodes.size(),
                 compiled.functions[f].program.kernels.size());
      for (const Json& k : kernels) print_kernel(k);
    }
    all["functions"][name] = std::move(kernels);
  }
  if (options.json) fmt::print("{}\n", all.dump(2));
  return kExitOk;
}

}  // namespace

Action declare_explain(CLI::App& app) {
  auto options = std::make_shared<ExplainOptions>();
  app.add_option("graph", options->input.path, "graph file")->required();
  app.add_option("--function", options->function, "only this function");
  app.add_option("--node", options->node, "only the kernels that compute this node");
  add_merge_option(app, options->compile.merge);
  app.add_option("--disable", options->compile.disabled, "leave a pass out, or its n-th run (pass:n)")
      ->allow_extra_args(false);
  app.add_flag("--json", options->json, "print JSON");
  app.add_flag("--allow-path", options->input.allow_path, "let weights lie outside the graph's folder");
  return [options] { return explain(*options); };
}

}  // namespace cohort
