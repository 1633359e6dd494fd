#include "tools/cohort/input.h"

#include <fmt/format.h>

#include "codegen/names.h"
#include "ir/diagnostics.h"
#include "ir/files.h"
#include "ir/json_reader.h"
#include "ir/text_parser.h"
#include "tools/cohort/clang_tools.h"

namespace cohort {

Module load_graph(const GraphInput& input) {
  const CustomReader custom = custom_reader();
  Module module = input.path.ends_with(".txt")
                      ? parse_text(read_file(input.path), input.path, custom)
                      : read_module(input.path, {.allow_path = input.allow_path, .custom = custom});
  refuse_unusable_names(module);
  return module;
}

const Function& choose_function(const Module& module, const std::string& name) {
  if (name.empty() && module.functions.size() == 1) return *module.functions.front();
  std::string known;
  std::vector<std::string_view> names;
  for (const auto& function : module.functions) {
    if (!name.empty() && function->name == name) return *function;
    names.push_back(function->name);
    known += fmt::format("{}`{}`", known.empty() ? "" : ", ", function->name);
  }
  if (name.empty()) fail(DiagId::kWhichFunction, module.name, known);
  Diagnostic d = diagnostic(DiagId::kUnknownFunction, Location{module.file}, name, module.name);
  d.notes.push_back("its functions are " + known);
  if (const std::string near = nearest_name(name, names); !near.empty())
    d.hint = fmt::format("did you mean `{}`?", near);
  throw UserError(std::move(d));
}

std::pair<std::string, std::string> split_assignment(const std::string& option, const char* what) {
  const std::size_t equals = option.find('=');
  if (equals == option.npos) fail(DiagId::kBadAssignment, what, option);
  return {option.substr(0, equals), option.substr(equals + 1)};
}

namespace {

std::string element_text(const Tensor& tensor, std::int64_t index) {
  if (tensor.dtype() == DType::kBool) return element_as_int(tensor, index) ? "true" : "false";
  if (tensor.dtype() == DType::kU64)
    return fmt::format("{}", static_cast<std::uint64_t>(element_as_int(tensor, index)));
  if (is_float(tensor.dtype())) return fmt::format("{:.6g}", element_as_double(tensor, index));
  return fmt::format("{}", element_as_int(tensor, index));
}

void append(const Tensor& tensor, std::size_t axis, std::int64_t& next, std::int64_t limit,
            std::string& text) {
  if (axis == tensor.extents().size()) {
    text += element_text(tensor, next++);
    return;
  }
  const std::int64_t extent = tensor.extents()[axis];
  std::int64_t inner = 1;
  for (std::size_t a = axis + 1; a < tensor.extents().size(); ++a) inner *= tensor.extents()[a];
  text += "[";
  for (std::int64_t i = 0; i < extent; ++i) {
    if (i > 0) text += ", ";
    if (extent > limit && i == limit / 2) {
      text += "…, ";
      next += (extent - limit) * inner;
      i += extent - limit;
    }
    append(tensor, axis + 1, next, limit, text);
  }
  text += "]";
}

}  // namespace

std::string brief(const Tensor& tensor, std::int64_t limit) {
  std::string text;
  std::int64_t next = 0;
  append(tensor, 0, next, limit, text);
  return text;
}

}  // namespace cohort
