// cohort diff: how the interface of two graphs or manifests differs: what would break a caller, and what
// would not. tools/README.md says what it tells and what it does not.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <map>

#include "codegen/names.h"
#include "ir/diagnostics.h"
#include "ir/files.h"
#include "tools/cohort/command.h"
#include "tools/cohort/input.h"

namespace cohort {
namespace {

using Json = nlohmann::ordered_json;
using Key = std::vector<std::string>;  // {"function", "f", "input", "x"}: names may hold anything

// Something that a caller can see.
struct Item {
  Key key;
  std::string what = {};        // "f32[3] at position 0"; empty: it is there or it is not
  std::string identifier = {};  // in C, without the prefix
  bool breaks_if_new = false;   // callers of what has it now must give it: an argument, or `attach`
  bool is_built = false;        // manifests alone know of it
};
struct Interface {
  std::string name;    // of the module, as an identifier
  std::string prefix;  // empty: not known, as `compile --prefix` says it
  std::vector<Item> items;
};

// "function `f` input `x`"
std::string shown(const Key& key) {
  std::string text;
  for (std::size_t k = 0; k < key.size(); k += 2)
    text += fmt::format("{}{}{}", k ? " " : "", key[k], k + 1 < key.size() ? " `" + key[k + 1] + "`" : "");
  return text;
}
// What it is a part of; empty: of the module.
Key owner(const Key& key) { return {key.begin(), key.begin() + (key.size() - 1) / 2 * 2}; }

Item dim_item(const std::string& name, std::int64_t min, std::int64_t max) {
  return {{"dim", name}, fmt::format("{}..{}", min, max)};
}

void add_state(Interface& interface, const std::string& name, const std::string& type, bool is_settable) {
  interface.items.push_back({{"state", name}, type});
  if (is_settable) interface.items.push_back({{"state", name, "permission to `set` it"}});
}

// The members of a function's argument struct, by their place among the dims or among the arrays.
struct Arguments {
  std::vector<Item>& items;
  std::string function;
  int dims = 0, arrays = 0;

  void dim(const std::string& name, const std::string& identifier) {
    items.push_back(
        {{"function", function, "dim", name}, fmt::format("at position {}", dims++), identifier, true});
  }
  void array(const char* kind, const std::string& name, const std::string& type,
             const std::string& identifier) {
    items.push_back({{"function", function, kind, name},
                     fmt::format("{} at position {}", type, arrays++),
                     identifier,
                     true});
  }
};

// Identifiers are those of a module compiled with the default options; of dims those are known that inputs
// and outputs mention.
Interface of_graph(Module source) {
  CompiledModule compiled;
  compiled.module = std::move(source);
  compiled.functions.resize(compiled.module.functions.size());
  const Module& module = compiled.module;
  const ModuleNames names = name_module(compiled, "");
  Interface interface {
    names.prefix, {}, {}
  };
  for (const NamedDim& dim : module.dims) interface.items.push_back(dim_item(dim.name, dim.min, dim.max));
  for (const State& state : module.states)
    add_state(interface, state.name, to_string(state.type, module.dims), state.is_settable);
  for (std::size_t f = 0; f < module.functions.size(); ++f) {
    const Function& function = *module.functions[f];
    const FunctionNames& own = names.functions[f];
    interface.items.push_back({{"function", function.name}, "", own.identifier});
    Arguments arguments{interface.items, function.name};
    for (std::size_t d = 0; d < own.dims.size(); ++d)
      if (!own.dims[d].empty()) arguments.dim(module.dims[d].name, own.dims[d]);
    for (std::size_t k = 0; k < function.inputs.size(); ++k) {
      const Value& input = function.value(function.inputs[k]);
      arguments.array("input", input.name, to_string(input.type, module.dims), own.inputs[k]);
    }
    for (std::size_t k = 0; k < function.outputs.size(); ++k) {
      const Output& output = function.outputs[k];
      arguments.array("output", output.name, to_string(function.type(output.value), module.dims),
                      own.outputs[k]);
    }
  }
  return interface;
}

std::string text_of(const Json& json, const char* key) { return json.at(key).get<std::string>(); }

// Whether the header has a macro with the offset of the variable.
bool has_offset(const Json& manifest, const Json& state) {
  if (manifest.at("weights").contains("state_directory")) return false;
  const Json &shape = state.at("shape"), &strides = state.at("strides");
  std::int64_t run = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    const auto extent = shape.at(axis).get<std::int64_t>();
    if (extent != 1 && strides.at(axis).get<std::int64_t>() != run) return false;
    run *= extent;
  }
  return true;
}

Interface of_manifest(const Json& manifest) {
  const Json& module = manifest.at("module");
  Interface interface {
    to_identifier(text_of(module, "name")), text_of(module, "prefix"), {}
  };
  for (const Json& dim : manifest.at("dims"))
    interface.items.push_back(
        dim_item(text_of(dim, "name"), dim.at("min").get<std::int64_t>(), dim.at("max").get<std::int64_t>()));
  for (const Json& state : manifest.at("state")) {
    const std::string name = text_of(state, "name");
    add_state(interface, name, text_of(state, "type"), state.value("settable", true));
    if (has_offset(manifest, state))
      interface.items.push_back(
          {{"state", name, "offset in the header"}, "", text_of(state, "identifier"), false, true});
  }
  for (const Json& function : manifest.at("functions")) {
    const std::string name = text_of(function, "name"), symbol = text_of(function, "symbol");
    interface.items.push_back(
        {{"function", name}, "", symbol.substr(std::min(symbol.size(), interface.prefix.size() + 1))});
    Arguments arguments{interface.items, name};
    for (const Json& dim : function.at("dims"))
      arguments.dim(text_of(dim, "name"), text_of(dim, "identifier"));
    for (const Json& array : function.at("inputs"))
      arguments.array("input", text_of(array, "name"), text_of(array, "type"), text_of(array, "identifier"));
    for (const Json& array : function.at("outputs"))
      arguments.array("output", text_of(array, "name"), text_of(array, "type"), text_of(array, "identifier"));
  }
  // Without `attach` the calls of a module for a GPU fail.
  for (const auto& [name, symbol] : manifest.at("symbols").items())
    interface.items.push_back({{"symbol", name}, "", "", name == "attach", true});
  return interface;
}

Interface interface_of(const GraphInput& input) {
  const Json json = Json::parse(read_file(input.path), nullptr, false);
  if (!json.is_object() || !json.contains("format") || json["format"] != "cohort-manifest")
    return of_graph(load_graph(input));
  try {
    return of_manifest(json);
  } catch (const Json::exception& error) {
    throw UserError(diagnostic(DiagId::kJsonSyntax, Location{input.path},
                               fmt::format("this is no manifest: {}", error.what())));
  }
}

// Prints differences and counts them.
struct Report {
  bool are_built;  // both are manifests
  int breaking = 0, added = 0;

  void line(bool breaks, const std::string& text) {
    fmt::print("{}  {}\n", breaks ? "breaks" : "adds  ", text);
    ++(breaks ? breaking : added);
  }

  void items(const std::vector<Item>& before, const std::vector<Item>& after) {
    std::map<Key, const Item*> old, now;
    for (const Item& item : before) old.emplace(item.key, &item);
    for (const Item& item : after) now.emplace(item.key, &item);
    const auto counts = [&](const Item& item) { return are_built || !item.is_built; };
    const auto lacks = [](const std::map<Key, const Item*>& all, const Key& of) {
      return of.size() > 0 && !all.contains(of);
    };
    for (const Item& item : before) {
      if (!counts(item)) continue;
      const auto found = now.find(item.key);
      if (found != now.end())
        changed(item, *found->second);
      else if (!lacks(now, owner(item.key)))
        line(true, shown(item.key) + " is gone");
    }
    for (const Item& item : after) {
      if (old.contains(item.key) || !counts(item)) continue;
      const bool is_owner_new = lacks(old, owner(item.key));
      if (is_owner_new && item.what.empty()) continue;
      line(item.breaks_if_new && !is_owner_new,
           shown(item.key) + (item.what.empty() ? "" : ": " + item.what));
    }
  }

 private:
  void changed(const Item& was, const Item& is) {
    if (was.what != is.what) line(true, fmt::format("{}: {} became {}", shown(was.key), was.what, is.what));
    if (was.identifier != is.identifier)
      line(true, fmt::format("{}: `{}` in C became `{}`", shown(was.key), was.identifier, is.identifier));
  }
};

int diff(const GraphInput& before_file, const GraphInput& after_file) {
  const Interface before = interface_of(before_file), after = interface_of(after_file);
  // A graph does not say with which --prefix it is compiled.
  const bool are_built = !before.prefix.empty() && !after.prefix.empty();
  Report report{are_built};
  const std::string &was = are_built ? before.prefix : before.name,
                    &is = are_built ? after.prefix : after.name;
  if (was != is)
    report.line(true, fmt::format("prefix of symbols, macros and files: `{}` became `{}`", was, is));
  report.items(before.items, after.items);
  if (report.breaking + report.added == 0) fmt::print("the interfaces are the same\n");
  return report.breaking ? kExitDifference : kExitOk;
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
