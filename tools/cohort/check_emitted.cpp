#include "tools/cohort/check_emitted.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "tools/cohort/clang_tools.h"

namespace cohort {

namespace {

constexpr const char* kCode[] = {".h", ".hpp", ".cpp", ".cu"};

// Lines of the file up to that of the fault.
std::vector<std::string> lines_to(const std::vector<Artefact>& files, const Location& at) {
  std::vector<std::string> lines;
  const auto file =
      std::find_if(files.begin(), files.end(), [&](const Artefact& f) { return f.name == at.file; });
  if (file == files.end()) return lines;
  std::istringstream text(file->bytes);
  for (std::string line; static_cast<int>(lines.size()) < at.line && std::getline(text, line);)
    lines.push_back(line);
  return lines;
}

// The kernel whose definition begins last before the end: "RT_KERNEL void NAME(", a closing brace at the
// margin ends it.
const EmittedPlace* around(const std::vector<std::string>& lines, const std::vector<EmittedPlace>& places) {
  for (std::size_t k = lines.size(); k-- > 0;) {
    if (k + 1 < lines.size() && lines[k] == "}") return nullptr;
    for (const EmittedPlace& place : places)
      if (!lines[k].empty() && lines[k][0] != ' ' &&
          lines[k].find(" " + place.name + "(") != std::string::npos)
        return &place;
  }
  return nullptr;
}

const ClangTools* tools_for(const char* flag) {
  std::string why_not;
  const ClangTools* tools = clang_tools(why_not);
  if (tools == nullptr) fail(DiagId::kNoChecker, flag, why_not);
  return tools;
}

bool is_code(const Artefact& file) {
  return std::any_of(std::begin(kCode), std::end(kCode),
                     [&](const char* end) { return file.name.ends_with(end); });
}

}  // namespace

void format_emitted(std::vector<Artefact>& files) {
  const ClangTools* tools = tools_for("--format");
  for (Artefact& file : files)
    if (is_code(file)) file.bytes = tools->format_code({file.name, file.bytes});
}

Diagnostic at_graph(const Diagnostic& fault, const Module& module, const std::vector<Artefact>& files,
                    const std::vector<EmittedPlace>& places) {
  const std::vector<std::string> lines = lines_to(files, fault.location);
  Diagnostic told = diagnostic(DiagId::kEmittedCode, fault.location, fault.message);
  const EmittedPlace* place = around(lines, places);
  if (place == nullptr || place->nodes.empty()) return told;
  const Function& function = *module.functions[place->function];
  const SourceLoc& loc = module.locations[function.node(place->nodes.front()).loc];
  if (loc.line == 0) return told;
  told.location = {module.file, loc.line, loc.column};
  told.notes.push_back(fmt::format("in {}: {}", to_string(fault.location), lines.back()));
  if (!loc.user.empty()) told.notes.push_back("it comes from " + loc.user);
  return told;
}

void check_emitted(const CompiledModule& compiled, const std::vector<Artefact>& files,
                   const std::vector<EmittedPlace>& places) {
  const ClangTools* tools = tools_for("--check");
  std::vector<CodeFile> code;
  for (const Artefact& file : files)
    if (is_code(file)) code.push_back({file.name, file.bytes});
  std::vector<Diagnostic> found;
  for (const Diagnostic& fault : tools->check_code(code, find_runtime()))
    found.push_back(at_graph(fault, compiled.module, files, places));
  if (!found.empty()) throw UserError(std::move(found));
}

}  // namespace cohort
