// cohort explain: which kernel computes a node and where it comes from; which kernels became one loop, which
// did not and why; what state lies side by side.
#include <fmt/format.h>

#include <algorithm>

#include "ir/diagnostics.h"
#include "tools/cohort/command.h"
#include "tools/cohort/explain_html.h"
#include "tools/cohort/explain_measure.h"
#include "tools/cohort/explain_placement.h"
#include "tools/cohort/explain_report.h"
#include "tools/cohort/input.h"
#include "tools/cohort/merge_option.h"

namespace cohort {
namespace {

struct ExplainOptions {
  GraphInput input;
  std::string function, node, page;
  bool json = false, measure = false, placement = false;
  std::string device_profile;
  CompileOptions compile;
};

std::string text(const Json& json, const char* key) { return json[key].get<std::string>(); }
std::size_t number(const Json& json, const char* key) { return json[key].get<std::size_t>(); }

void print_kernel(const Json& k) {
  fmt::print("kernel {}: {} loops, {} statements", text(k, "kernel"), number(k, "loops"),
             number(k, "statements"));
  if (number(k, "runs") > 1) fmt::print(", run on {} rows of buffers", number(k, "runs"));
  fmt::print("\n");
  if (k.contains("computes"))
    for (const Json& n : k["computes"])
      fmt::print("  computes {} : {} = {}{}{}\n", text(n, "name"), text(n, "type"), text(n, "op"),
                 n.contains("alike") ? fmt::format(" for each of {} alike", number(n, "alike")) : "",
                 n.contains("source")  ? "   " + text(n, "source")
                 : n.contains("graph") ? "   " + text(n, "graph")
                                       : "");
  for (const char* direction : {"reads", "writes"})
    if (k.contains(direction))
      for (const Json& b : k[direction])
        fmt::print("  {:<8} {} : {} ({}, {})\n", direction, text(b, "name"), text(b, "type"), text(b, "kind"),
                   text(b, "at"));
}

// "a, b, c, ..." of names, or of objects with a name.
std::string first_few(const Json& names) {
  constexpr std::size_t kFew = 4;
  std::string result;
  for (std::size_t i = 0; i < std::min(kFew, names.size()); ++i)
    result += (i ? ", " : "") + (names[i].is_string() ? names[i].get<std::string>() : text(names[i], "name"));
  return names.size() > kFew ? result + ", ..." : result;
}

void print_group(const Json& g) {
  fmt::print("group {}: {} members of {} statements ({})\n", text(g, "name"), number(g, "count"),
             number(g, "statements"), first_few(g["members"]));
  fmt::print("  operands: {} blocks, {} through tables, {} shared\n", number(g, "blocks"),
             number(g, "tables"), number(g, "shared"));
  fmt::print("  {} kernels before, 1 after: {} calls, {} statements and {} bytes of operands less\n",
             number(g, "kernels_before"), number(g["saved"], "calls"), number(g["saved"], "statements"),
             g["saved"]["bytes"].get<std::int64_t>());
  const double apart = g["predicted_ns"]["apart"], merged = g["predicted_ns"]["merged"];
  fmt::print("  predicted: {:.3g} us apart, {:.3g} us as one loop\n", apart / 1000, merged / 1000);
  if (g.contains("in_kernels")) fmt::print("  now in {}\n", first_few(g["in_kernels"]));
}

void print_function(const std::string& name, const Json& f) {
  fmt::print("function {}: {} nodes in the file, {} after the passes, {} kernels before merging, {} after\n",
             name, number(f, "nodes_in_file"), number(f, "nodes"), number(f, "kernels_before"),
             number(f, "kernels_after"));
  for (const Json& k : f["kernels"]) print_kernel(k);
  if (f.contains("member")) {
    const Json& m = f["member"];
    fmt::print("`{}` is member {} of {} of the loop {}, counted from 0; `{}` stands for it\n",
               text(m, "node"), number(m, "number"), number(m, "of"), text(m, "loop"),
               text(m, "stands_for_it"));
    for (const Json& place : m["storage"])
      fmt::print("  stored in array {} of {}{}: workspace+{}, {} bytes\n", number(place, "position"),
                 text(place, "buffer"),
                 place.contains("state") ? fmt::format(", state `{}`", text(place, "state")) : "",
                 number(place, "offset"), number(place, "bytes"));
    if (m["storage"].empty()) fmt::print("  not stored: a variable of the loop holds it\n");
  }
  if (!f.contains("groups")) return;
  for (const Json& g : f["groups"]) print_group(g);
  for (const Json& miss : f["near_misses"])
    fmt::print("near miss: {} kernels ({}), would save at most {} calls: {}\n", number(miss, "count"),
               first_few(miss["kernels"]), number(miss["would_save_at_most"], "calls"), text(miss, "reason"));
  if (number(f, "near_misses_left_out") > 0)
    fmt::print("and {} near misses of fewer kernels\n", number(f, "near_misses_left_out"));
}

void print_storages(const Json& storages) {
  for (const Json& s : storages) {
    fmt::print("storage at workspace+{}: {} state variables side by side, {} bytes ({})\n",
               number(s, "offset"), number(s, "count"), number(s, "bytes"), first_few(s["members"]));
  }
}

void print_equal_states(const Json& equal) {
  for (const Json& e : equal)
    fmt::print("`{}` is computed once for {} more that always equal it ({})\n", text(e, "state"),
               number(e, "count"), first_few(e["others"]));
}

void print_sources(const Json& sources) {
  const Json &now = sources["as_compiled"], &before = sources["unmerged"];
  fmt::print("emitted C++: {} lines, {} bytes; with --merge=off {} lines, {} bytes\n", number(now, "lines"),
             number(now, "bytes"), number(before, "lines"), number(before, "bytes"));
}

void print_measured(const Json& measured) {
  for (const auto& [name, m] : measured.items())
    fmt::print("measured {}: {:.3f} us merged, {:.3f} us with --merge=off: {:.2f} times as fast\n", name,
               m["merged_us"].get<double>(), m["unmerged_us"].get<double>(), m["gain"].get<double>());
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
            "nothing that leaves the function depends on it\n",
            node);
      return;
    }
  }
  fail(DiagId::kUnknownName, node, function_name);
}

int explain(ExplainOptions& options) {
  if (!options.device_profile.empty()) options.compile.device = read_device_profile(options.device_profile);
  if (options.placement) options.compile.placement = PlacementMode::kCut;
  const Module source = load_graph(options.input);
  if (!options.function.empty()) choose_function(source, options.function);
  const CompiledModule compiled = compile(source, options.compile);
  Json all{{"module", source.name}, {"functions", Json::object()}};
  for (std::size_t f = 0; f < compiled.functions.size(); ++f) {
    const std::string& name = compiled.module.functions[f]->name;
    if (!options.function.empty() && name != options.function) continue;
    Json report = explain_function(source, compiled, f, options.node);
    if (!options.json && options.page.empty() && !options.placement) print_function(name, report);
    if (!options.node.empty() && report["kernels"].empty() && !options.json)
      explain_absent(source, name, options.node);
    all["functions"][name] = std::move(report);
  }
  if (options.node.empty()) {
    all["storages"] = explain_storages(compiled);
    if (Json equal = explain_equal_states(compiled); !equal.empty()) all["equal_states"] = std::move(equal);
    if (options.compile.merge != MergeMode::kOff)
      all["sources"] = explain_sources(source, compiled, options.compile);
  }
  if (options.placement) all["placement"] = explain_placement(compiled);
  if (options.measure) all["measured"] = measure_merging(source, options.compile, options.function);
  if (options.json) {
    fmt::print("{}\n", all.dump(2));
  } else if (options.page.empty()) {
    if (options.placement) {
      print_placement(all["placement"]);
    } else {
      if (all.contains("storages")) print_storages(all["storages"]);
      if (all.contains("equal_states")) print_equal_states(all["equal_states"]);
      if (all.contains("sources")) print_sources(all["sources"]);
    }
  }
  if (options.measure && !options.json) print_measured(all["measured"]);
  if (!options.page.empty()) write_page(options.page, compiled, all);
  return kExitOk;
}

}  // namespace

Action declare_explain(CLI::App& app) {
  auto options = std::make_shared<ExplainOptions>();
  app.add_option("graph", options->input.path, "graph file")->required();
  app.add_option("--function", options->function, "only this function");
  CLI::Option* node =
      app.add_option("--node", options->node, "only the kernels that compute this node, and as which member");
  add_merge_option(app, options->compile.merge);
  app.add_option("--disable", options->compile.disabled, "leave a pass out, or its n-th run (pass:n)")
      ->allow_extra_args(false);
  app.add_flag("--json", options->json, "print JSON");
  app.add_flag("--measure", options->measure,
               "build the module merged and unmerged and time both, one thread, on sample inputs");
  app.add_flag("--placement", options->placement,
               "what would run on a GPU: the cut, transfers, and what other policies would cost")
      ->excludes(node);
  app.add_option("--device-profile", options->device_profile,
                 "what the machine is like, as cohort calibrate writes it");
  app.add_option("--html", options->page, "write one page: graph, kernels, groups and workspace, searchable")
      ->excludes(node);
  add_allow_path(app, options->input.allow_path);
  return [options] { return explain(*options); };
}

}  // namespace cohort
