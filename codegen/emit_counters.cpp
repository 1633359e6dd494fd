#include "codegen/emit_counters.h"

#include <fmt/format.h>

#include "codegen/text.h"

namespace cohort {

namespace {

constexpr std::uint64_t kCallBytes = 8, kDimBytes = 264, kKernelBytes = 16;

}  // namespace

void Counters::begin_function(std::size_t function) {
  Counted counted{function, end_, {}, {}};
  const std::vector<std::string>& dims = context_.names.functions[function].dims;
  for (DimId d = 0; d < dims.size(); ++d)
    if (!dims[d].empty()) counted.dims.push_back(d);
  end_ += kCallBytes + kDimBytes * counted.dims.size();
  functions_.push_back(std::move(counted));
  kernels_.clear();
}

std::uint64_t Counters::kernel(const std::string& name) {
  const auto [found, fresh] = kernels_.try_emplace(name, end_);
  if (fresh) {
    end_ += kKernelBytes;
    functions_.back().kernels.push_back(name);
  }
  return found->second;
}

std::string Counters::count_call() const {
  const Counted& counted = functions_.back();
  std::string text = fmt::format("  rt_count_call(workspace, {});\n", counted.offset);
  for (std::size_t k = 0; k < counted.dims.size(); ++k)
    text +=
        fmt::format("  rt_count_dim(workspace, {}, args->{});\n", counted.offset + kCallBytes + kDimBytes * k,
                    context_.names.functions[counted.function].dims[counted.dims[k]]);
  return text;
}

std::string Counters::text(Identifiers& file_names) const {
  std::string tables, rows;
  for (const Counted& counted : functions_) {
    const std::string name =
        file_names.unique(context_.names.functions[counted.function].identifier + "_counted");
    std::string names;
    for (const DimId d : counted.dims)
      names += fmt::format("    {},\n", c_string(context_.module().dims[d].name));
    for (const std::string& kernel : counted.kernels) names += fmt::format("    \"{}\",\n", kernel);
    if (!names.empty()) tables += fmt::format("static const char* const {}[] = {{\n{}}};\n", name, names);
    rows += fmt::format("    {{{}, {}, {}, {}, {}}},\n",
                        c_string(context_.module().functions[counted.function]->name), counted.offset,
                        counted.dims.size(), counted.kernels.size(), names.empty() ? "nullptr" : name);
  }
  if (!rows.empty()) tables += fmt::format("static const rt_counted counted[] = {{\n{}}};\n", rows);
  return tables + fmt::format(
                      "extern \"C\" size_t {}_profile(const void* workspace, char* text, size_t bytes) {{\n"
                      "  return rt_profile_text(this_module, {}, {}, workspace, text, bytes);\n}}\n",
                      context_.names.prefix, rows.empty() ? "nullptr" : "counted", functions_.size());
}

}  // namespace cohort
