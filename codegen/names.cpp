#include "codegen/names.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/reserved.h"
#include "codegen/text.h"
#include "codegen/touched.h"
#include "ir/diagnostics.h"

namespace cohort {

namespace {

constexpr bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// The code point at text[at], moving `at` behind it. The reader has checked that names are valid UTF-8.
std::uint32_t next_code_point(std::string_view text, std::size_t& at) {
  const auto lead = static_cast<unsigned char>(text[at++]);
  const int more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : lead >= 0xc0 ? 1 : 0;
  std::uint32_t code = more == 0 ? lead : lead & (0x3fu >> more);
  for (int k = 0; k < more && at < text.size(); ++k)
    code = code << 6 | (static_cast<unsigned char>(text[at++]) & 0x3f);
  return code;
}

// Dims that the interface or the kernels of a function mention.
std::vector<bool> used_dims(const Module& module, const Function& function, const kernel::Program& program) {
  std::vector<bool> used(module.dims.size(), false);
  const auto mark = [&](const Shape& shape) {
    for (const Dim& dim : shape)
      if (!dim.is_constant()) used[dim.symbol] = true;
  };
  for (const ValueId input : function.inputs) mark(function.type(input).shape);
  for (const Output& output : function.outputs) mark(function.type(output.value).shape);
  for (const kernel::Buffer& buffer : program.buffers) mark(buffer.shape);
  Touched touched;
  for (const kernel::Kernel& kernel : program.kernels) touched.stmts(program, kernel.body);
  for (const DimId dim : touched.dims) used[dim] = true;
  return used;
}

FunctionNames name_function(const CompiledModule& compiled, std::size_t index) {
  const Module& module = compiled.module;
  const Function& function = *module.functions[index];
  FunctionNames names;
  Identifiers members{"struct_size"};
  // An array's member and its byte count are taken together.
  const auto member = [&](const std::string& base, const std::string& second) {
    std::string name;
    do {
      name = members.first_free({base, second});
    } while (!members.is_free(name + "_bytes"));
    members.reserve(name + "_bytes");
    return name;
  };
  const std::vector<bool> used = used_dims(module, function, compiled.functions[index].program);
  for (std::size_t d = 0; d < module.dims.size(); ++d)
    names.dims.push_back(used[d] ? members.unique(module.dims[d].name) : std::string());
  for (const ValueId input : function.inputs) {
    const std::string base = to_identifier(function.value(input).name);
    names.inputs.push_back(member(base, base));
  }
  for (const Output& output : function.outputs) {
    const std::string base = to_identifier(output.name);
    names.outputs.push_back(member(base, base + "_out"));
  }
  return names;
}

}  // namespace

std::string to_identifier(std::string_view name) {
  std::string out;
  bool gap = false;
  for (std::size_t at = 0; at < name.size();) {
    const std::uint32_t code = next_code_point(name, at);
    if (code < 0x80 && !is_word(static_cast<char>(code))) {
      gap = true;
      continue;
    }
    if (gap && !out.empty()) out += '_';
    gap = false;
    out += code < 0x80 ? std::string(1, static_cast<char>(code)) : fmt::format("u{:04x}", code);
  }
  // Two underscores in a row belong to the implementation in C++.
  out.erase(std::unique(out.begin(), out.end(), [](char a, char b) { return a == '_' && b == '_'; }),
            out.end());
  if (const auto first = out.find_first_not_of('_'); first == std::string::npos)
    return "unnamed";
  else if (first > 0)
    out = out.substr(first);
  if (out[0] >= '0' && out[0] <= '9') out = "n" + out;
  if (out.starts_with("rt_") || out.starts_with("RT_") || out.starts_with("COHORT_"))
    out = "n_" + out;  // the runtime's
  if (is_reserved_identifier(out)) out += '_';
  return out;
}

Identifiers::Identifiers(std::initializer_list<std::string_view> reserved) {
  for (const std::string_view name : reserved) reserve(name);
}

std::string Identifiers::unique(std::string_view name) { return first_free({to_identifier(name)}); }

std::string Identifiers::first_free(std::initializer_list<std::string> candidates) {
  for (const std::string& candidate : candidates)
    if (taken_.insert(candidate).second) return candidate;
  const std::string& base = *(candidates.end() - 1);
  int& number = next_.try_emplace(base, 2).first->second;
  for (;; ++number) {
    std::string candidate = fmt::format("{}{}{}", base, base.ends_with('_') ? "" : "_", number);
    if (taken_.insert(candidate).second) return candidate;
  }
}

void refuse_unusable_names(const Module& module) {
  std::vector<Diagnostic> found;
  for (const State& state : module.states) {
    if (state.name != "__metadata__" && state.name.find('\0') == std::string::npos) continue;
    const SourceLoc& at = module.locations[state.loc];
    found.push_back(diagnostic(DiagId::kUnusableName, Location{module.file, at.line, at.column},
                               comment_text(state.name)));
  }
  if (!found.empty()) throw UserError(std::move(found));
}

ModuleNames name_module(const CompiledModule& compiled, std::string_view prefix, bool instrument) {
  const Module& module = compiled.module;
  refuse_unusable_names(module);
  ModuleNames names;
  names.prefix = to_identifier(prefix.empty() ? std::string_view(module.name) : prefix);
  if (is_reserved_prefix(names.prefix)) names.prefix += '_';
  names.macro = upper(names.prefix);
  Identifiers symbols{"init",      "reset",        "get",   "set",        "save",   "load",
                      "set_print", "set_parallel", "error", "error_text", "weights"};
  if (instrument) symbols.reserve("profile");
  const bool device = compiled.device_bytes > 0;
  if (device)
    for (const char* name : {"attach", "detach", "set_stream", "wait", "device"}) symbols.reserve(name);
  for (std::size_t f = 0; f < module.functions.size(); ++f) {
    FunctionNames function = name_function(compiled, f);
    const std::string base = to_identifier(module.functions[f]->name);
    do {
      function.identifier = symbols.first_free({base});
    } while (!symbols.is_free(function.identifier + "_args") ||
             (device && !symbols.is_free(function.identifier + "_async")));
    symbols.reserve(function.identifier + "_args");
    if (device) symbols.reserve(function.identifier + "_async");
    names.functions.push_back(std::move(function));
  }
  Identifiers states;
  for (const State& state : module.states) names.states.push_back(states.unique(state.name));
  return names;
}

}  // namespace cohort
