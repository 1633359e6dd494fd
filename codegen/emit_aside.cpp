#include "codegen/emit_aside.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/text.h"

namespace cohort {
namespace {

// Kernels that events stand behind, in the order of their events.
std::vector<std::uint32_t> marked(const CompiledFunction& code) {
  std::vector<std::uint32_t> kernels;
  for (const AsideTransfer& aside : code.asides)
    if (aside.after && std::find(kernels.begin(), kernels.end(), *aside.after) == kernels.end())
      kernels.push_back(*aside.after);
  return kernels;
}
std::size_t event_of(const CompiledFunction& code, std::uint32_t kernel) {
  const std::vector<std::uint32_t> kernels = marked(code);
  const auto found = std::find(kernels.begin(), kernels.end(), kernel);
  return found == kernels.end() ? 0 : static_cast<std::size_t>(found - kernels.begin()) + 1;
}

template <typename F>
bool any_code(const EmitContext& context, std::size_t function, const F& holds) {
  const CompiledModule& compiled = context.compiled;
  return holds(compiled.functions[function]) ||
         std::any_of(
             compiled.specialised.begin(), compiled.specialised.end(),
             [&](const SpecialisedFunction& copy) { return copy.function == function && holds(copy.code); });
}

std::string shown(const EmitContext& context, std::size_t function) {
  return c_string(context.module().functions[function]->name);
}

}  // namespace

AsideRole aside_role(const CompiledFunction& code, std::uint32_t kernel) {
  AsideRole role;
  role.marks = event_of(code, kernel);
  for (const AsideTransfer& aside : code.asides) {
    if (aside.kernel != kernel) continue;
    role.crosses = true;
    role.waits = aside.after ? event_of(code, *aside.after) : 0;
  }
  return role;
}

bool crosses_aside(const EmitContext& context, std::size_t function) {
  return any_code(context, function, [](const CompiledFunction& code) { return !code.asides.empty(); });
}

bool sends_aside(const EmitContext& context, std::size_t function) {
  return any_code(context, function, [](const CompiledFunction& code) {
    return std::any_of(code.asides.begin(), code.asides.end(),
                       [](const AsideTransfer& aside) { return !aside.after; });
  });
}

std::size_t aside_events(const CompiledModule& compiled) {
  std::size_t events = 0;
  const auto add = [&](const CompiledFunction& code) {
    if (!code.asides.empty()) events = std::max(events, marked(code).size() + 1);
  };
  for (const CompiledFunction& function : compiled.functions) add(function);
  for (const SpecialisedFunction& copy : compiled.specialised) add(copy.code);
  return events;
}

std::string mark_text(const EmitContext& context, std::size_t function, std::size_t event) {
  return fmt::format(
      "  if (const int32_t status = rt_mark_event({}_device, header, {}, {})) return status;\n",
      context.names.prefix, shown(context, function), event);
}

std::string emit_aside(const EmitContext& context, std::size_t function, const std::string& name,
                       const std::string& parts) {
  std::string fork;
  if (sends_aside(context, function))
    fork = fmt::format(
        "  if (const int32_t status = rt_fork({}_device, static_cast<rt_workspace*>(workspace), {}))\n"
        "    return status;\n",
        context.names.prefix, shown(context, function));
  return fmt::format(
      "static int32_t {0}(void* workspace, const {1}_{2}_args* args) {{\n{3}{4}  return COHORT_OK;\n}}\n",
      name, context.names.prefix, context.names.functions[function].identifier, fork, parts);
}

std::string emit_join(const EmitContext& context, std::size_t function, const std::string& name) {
  return wrapped("  if (const int32_t status = rt_joined(",
                 {context.names.prefix + "_device", "static_cast<rt_workspace*>(workspace)",
                  shown(context, function), name + "(workspace, args)"},
                 "))\n    return status;\n");
}

}  // namespace cohort
