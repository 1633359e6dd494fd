#include "codegen/emit_custom.h"

#include <fmt/format.h>

#include <filesystem>

#include "compiler/kernel_passes/walk.h"
#include "ir/ops/extern_call.h"

namespace cohort {

CustomNames::CustomNames(const CompiledModule& compiled, Identifiers& file_names) {
  const auto collect = [&](const CompiledFunction& code) {
    for (const kernel::Kernel& k : code.program.kernels)
      kernel::for_each_stmt(k.body, [&](const kernel::Stmt& s) {
        kernel::for_each_expr(s, [&](const kernel::ExprRef& e) {
          kernel::for_each_node(e, [&](const kernel::Expr& node) {
            if (node.kind == kernel::ExprKind::kCustom) add(*node.custom, k.device, file_names);
          });
        });
      });
  };
  for (const CompiledFunction& function : compiled.functions) collect(function);
  for (const SpecialisedFunction& copy : compiled.specialised) collect(copy.code);
}

void CustomNames::add(const CustomFunction& function, kernel::Device device, Identifiers& file_names) {
  std::vector<std::size_t> entries;  // by definition of the function
  for (const CustomDefinition& definition : function.definitions) {
    std::string text = definition.result + " " + definition.name + "(" + definition.arguments + ") ";
    for (const CustomText& piece : definition.body)
      text += piece.callee == CustomText::kPlain ? piece.text : names_[entries[piece.callee]];
    const auto [found, fresh] = by_text_.try_emplace(std::move(text), entries_.size());
    if (fresh) {
      // What has no text is the runtime's.
      entries_.push_back({&definition, entries});
      names_.push_back(definition.body.empty() ? definition.name
                                               : file_names.unique("custom_" + definition.name));
    }
    entries_[found->second].on[static_cast<std::size_t>(device)] = true;
    entries.push_back(found->second);
  }
  of_function_[&function] = entries.back();
}

std::string extern_declarations(const CompiledModule& compiled, const Dialect& dialect) {
  std::map<std::string, std::string> declarations;  // by function
  const auto collect = [&](const CompiledFunction& code) {
    for (const kernel::Kernel& k : code.program.kernels)
      kernel::for_each_stmt(k.body, [&](const kernel::Stmt& s) {
        const std::optional<ops::ExternCall> call =
            s.kind == kernel::StmtKind::kCall ? ops::extern_call(s.text) : std::nullopt;
        if (!call) return;
        std::string parameters;
        for (std::size_t b = 1; b < s.buffers.size(); ++b)
          parameters += fmt::format("{}{}{}*", b > 1 ? ", " : "", b < s.outputs ? "" : "const ",
                                    dialect.storage_type(code.program.buffers[s.buffers[b]].dtype));
        for (std::size_t e = 0; e < s.index.size(); ++e) parameters += ", int64_t";
        declarations.try_emplace(call->function, parameters);
      });
  };
  for (const CompiledFunction& function : compiled.functions) collect(function);
  for (const SpecialisedFunction& copy : compiled.specialised) collect(copy.code);
  std::string text;
  for (const auto& [function, parameters] : declarations)
    text += fmt::format("extern \"C\" int32_t {}({});\n", function, parameters);
  return text.empty() ? text : "// Functions that are linked with the module.\n" + text;
}

const std::string& CustomNames::name(const CustomFunction& function) const {
  return names_[of_function_.at(&function)];
}

std::string CustomNames::text(const Dialect& dialect, kernel::Device device) const {
  std::string text;
  for (std::size_t e = 0; e < entries_.size(); ++e) {
    const CustomDefinition& d = *entries_[e].definition;
    if (!entries_[e].on[static_cast<std::size_t>(device)] || d.body.empty()) continue;
    const std::string file = std::filesystem::path(d.location.file).filename().string();
    text += fmt::format("\n// {} of {}:{}\n{} {} {}({}) ", d.name, file, d.location.line, dialect.custom,
                        d.result, names_[e], d.arguments);
    for (const CustomText& piece : d.body)
      text += piece.callee == CustomText::kPlain ? piece.text : names_[entries_[e].callees[piece.callee]];
    text += '\n';
  }
  return text.empty() ? text : "RT_CUSTOM_BEGIN\n" + text + "\nRT_CUSTOM_END\n";
}

}  // namespace cohort
