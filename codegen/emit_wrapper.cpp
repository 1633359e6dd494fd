// NAME.hpp: the module as a C++20 class. It owns a workspace, takes spans and throws; all else is NAME.h.
#include <fmt/format.h>

#include "codegen/emit_files.h"
#include "codegen/text.h"

namespace cohort {

namespace {

bool takes_nothing(const EmitContext& context, std::size_t f) {
  for (const std::string& dim : context.names.functions[f].dims)
    if (!dim.empty()) return false;
  return context.names.functions[f].inputs.empty() && context.names.functions[f].outputs.empty();
}

// struct f_args { int64_t batch; std::span<const float> u; std::span<float> y; };
std::string arguments(const EmitContext& context, std::size_t f, const std::string& name) {
  const Module& module = context.module();
  const Function& function = *module.functions[f];
  const FunctionNames& names = context.names.functions[f];
  std::string text = fmt::format("struct {}_args {{\n", name);
  for (std::size_t d = 0; d < names.dims.size(); ++d)
    if (!names.dims[d].empty())
      text += fmt::format("  std::int64_t {}{{}};  // {} to {}\n", names.dims[d], module.dims[d].min,
                          module.dims[d].max);
  for (std::size_t k = 0; k < names.inputs.size(); ++k) {
    const Type& type = function.type(function.inputs[k]);
    text += fmt::format("  std::span<const {}> {}{{}};  // {}\n", interface_type(type.dtype), names.inputs[k],
                        type_comment(type, module.dims));
  }
  for (std::size_t k = 0; k < names.outputs.size(); ++k) {
    const Type& type = function.type(function.outputs[k].value);
    text += fmt::format("  std::span<{}> {}{{}};  // out: {}\n", interface_type(type.dtype), names.outputs[k],
                        type_comment(type, module.dims));
  }
  return text + "};\n";
}

std::string method(const EmitContext& context, std::size_t f, const std::string& name) {
  const FunctionNames& names = context.names.functions[f];
  const std::string symbol = "::" + context.names.prefix + "_" + names.identifier;
  const std::string note = fmt::format("  // `{}`\n", comment_text(context.module().functions[f]->name));
  if (takes_nothing(context, f))
    return fmt::format("{}  void {}() {{ check({}(workspace(), nullptr)); }}\n", note, name, symbol);
  std::string members;
  for (const std::string& dim : names.dims)
    if (!dim.empty()) members += fmt::format(", arguments.{}", dim);
  for (const auto* list : {&names.inputs, &names.outputs})
    for (const std::string& array : *list)
      members += fmt::format(",\n        arguments.{0}.data(), arguments.{0}.size_bytes()", array);
  return fmt::format(
      "{0}  void {1}(const {1}_args& arguments) {{\n    const {2}_args call{{sizeof({2}_args){3}}};\n"
      "    check({2}(workspace(), &call));\n  }}\n",
      note, name, symbol, members);
}

std::string states(const EmitContext& context, Identifiers& names) {
  const Module& module = context.module();
  if (!context.lists_states())
    return fmt::format("\n  // The {} state variables are reached by name: get, set.\n",
                       module.states.size());
  std::string text;
  for (std::size_t s = 0; s < module.states.size(); ++s) {
    const State& state = module.states[s];
    if (!is_contiguous(context.compiled.states[s], state.type)) continue;
    const std::string_view type = interface_type(state.type.dtype);
    text += fmt::format(
        "  std::span<{6}{0}> {1}() {{ return {{reinterpret_cast<{0}*>(static_cast<std::byte*>(workspace()) + "
        "{2}), {3}}}; }}"
        "  // `{4}`: {5}\n",
        type, names.unique(state.name), context.compiled.states[s].offset, state.init.size(),
        comment_text(state.name), type_comment(state.type, module.dims), state.is_settable ? "" : "const ");
  }
  if (text.empty()) return text;
  return "\n  // State variables, in place.\n" + text;
}

constexpr std::string_view kClass = R"(class module {{
 public:
  module() : memory_({1}_WORKSPACE_SIZE, {1}_WORKSPACE_ALIGN) {{
    check(::{0}_init(workspace(), {1}_WORKSPACE_SIZE));
  }}

{2}
  void reset() {{ check(::{0}_reset(workspace())); }}
  // State variables by their names in the model.
  template <class Array>
  void get(const std::string& name, Array&& values) {{
    const std::size_t bytes = std::size(values) * sizeof(*std::data(values));
    check(::{0}_get(workspace(), name.c_str(), std::data(values), bytes));
  }}
  template <class Array>
  void set(const std::string& name, const Array& values) {{
    const std::size_t bytes = std::size(values) * sizeof(*std::data(values));
    check(::{0}_set(workspace(), name.c_str(), std::data(values), bytes));
  }}
  void save(const std::string& path) {{ check(::{0}_save(workspace(), path.c_str())); }}
  void load(const std::string& path) {{ check(::{0}_load(workspace(), path.c_str())); }}
  void set_print(cohort_print_fn print, void* user) {{ check(::{0}_set_print(workspace(), print, user)); }}
{4}{3}
  void* workspace() const {{ return memory_.data(); }}

 private:
  void check(std::int32_t status) const {{
    if (status == COHORT_OK) return;
    std::string text(::{0}_error_text(workspace(), nullptr, 0), '\0');
    ::{0}_error_text(workspace(), text.data(), text.size() + 1);
    throw cohort::error(status, text);
  }}

  cohort::workspace_memory memory_;
}};
)";

constexpr std::string_view kWrapperSetParallel =
    R"(  void set_parallel(cohort_parallel_for_fn parallel_for, void* user) {{
    check(::{0}_set_parallel(workspace(), parallel_for, user));
  }}
)";

constexpr std::string_view kWrapperProfile =
    R"(  // What the calls were like, as JSON for `cohort compile --profile`.
  std::string profile() const {{
    std::string text(::{0}_profile(workspace(), nullptr, 0), '\0');
    ::{0}_profile(workspace(), text.data(), text.size() + 1);
    return text;
  }}
)";

}  // namespace

std::string emit_wrapper(const EmitContext& context) {
  const std::string& prefix = context.names.prefix;
  std::string text = fmt::format(
      "// {0}.hpp: module `{1}` as a C++20 class, made by {2}.\n#ifndef COHORT_MODULE_{0}_HPP\n"
      "#define COHORT_MODULE_{0}_HPP\n\n#if __cplusplus < 202002L\n#error \"{0}.hpp needs C++20; {0}.h does "
      "not\"\n"
      "#endif\n\n#include <span>\n#include <string>\n\n"
      "#include \"cohort/abi.hpp\"\n#include \"{0}.h\"\n\nnamespace {0} {{\n\n",
      prefix, comment_text(context.module().name), context.options.tool);
  Identifiers names{"module",    "reset",        "get",       "set",   "save",   "load",
                    "set_print", "set_parallel", "workspace", "check", "memory_"};
  if (context.options.instrument) names.reserve("profile");
  std::string methods;
  for (std::size_t f = 0; f < context.names.functions.size(); ++f) {
    const std::string name = names.unique(context.names.functions[f].identifier);
    if (!takes_nothing(context, f)) text += arguments(context, f, name) + "\n";
    names.reserve(name + "_args");
    methods += method(context, f, name);
  }
  std::string more = context.options.threads ? fmt::format(fmt::runtime(kWrapperSetParallel), prefix) : "";
  if (context.options.instrument) more += fmt::format(fmt::runtime(kWrapperProfile), prefix);
  text +=
      fmt::format(fmt::runtime(kClass), prefix, context.names.macro, methods, states(context, names), more);
  return text + fmt::format("\n}}  // namespace {0}\n\n#endif\n", prefix);
}

}  // namespace cohort
