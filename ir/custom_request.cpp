// What `custom` and `extern` nodes ask for: where headers and libraries lie, which function gives which
// derivative.
#include <algorithm>
#include <filesystem>

#include "ir/custom_function.h"
#include "ir/files.h"
#include "ir/op_def.h"
#include "ir/trimmed.h"

namespace cohort {

namespace {

constexpr int kMostOrders = 8;  // derivatives of derivatives

}  // namespace

CustomDerivative parse_derivative(std::string_view entry) {
  const auto wrong = [&](std::string_view what) {
    fail(DiagId::kWrongAttribute, "custom", "derivative", fmt::format("has `{}`, {}", entry, what));
  };
  const std::size_t open = entry.find('(');
  CustomDerivative result{std::string(trimmed(entry.substr(0, open))), {}};
  if (open == entry.npos) return result;
  int depth = 0;
  std::size_t begin = open + 1, at = open;
  for (; at < entry.size(); ++at) {
    if (entry[at] == '(' && ++depth >= kMostOrders)
      wrong(fmt::format("which has derivatives of more than order {}", kMostOrders));
    const bool closes = entry[at] == ')' && --depth == 0;
    if (!closes && !(entry[at] == ',' && depth == 1)) continue;
    result.derivative.emplace_back(trimmed(entry.substr(begin, at - begin)));
    begin = at + 1;
    if (closes) break;
  }
  if (result.function.empty() || result.is_zero() || at >= entry.size() ||
      !trimmed(entry.substr(begin)).empty())
    wrong("which is neither NAME nor NAME(DERIVATIVE, ...) nor 0");
  return result;
}

void resolve_custom(const CustomSource& source, const OpDef& op, Attrs& attrs) {
  std::sort(attrs.begin(), attrs.end(),
            [](const NamedAttr& a, const NamedAttr& b) { return a.name < b.name; });
  const auto lies_at = [&](const std::string& path) {
    return std::filesystem::path(resolve_path(source.folder, path, source.allow_path))
        .lexically_normal()
        .string();
  };
  if (!op.literal_dtypes) {
    const std::string library = attr_or<std::string>(attrs, "library", "");
    // Without a slash it would be sought elsewhere.
    if (!library.empty())
      set_attr(attrs, "library", (std::filesystem::path(".") / lies_at(library)).string());
    return;
  }
  const Attr* path = find_attr(attrs, "source");
  const Attr* function = find_attr(attrs, "function");
  if (path == nullptr) fail(DiagId::kMissingAttribute, "custom", "source");
  if (function == nullptr) fail(DiagId::kMissingAttribute, "custom", "function");
  if (!source.read) fail(DiagId::kCustomUnread);
  const Attr* derivative = find_attr(attrs, "derivative");
  CustomRequest request{lies_at(std::get<std::string>(*path)), std::get<std::string>(*function),
                        derivative ? std::get<Strings>(*derivative) : Strings{},
                        source.allow_path ? "" : source.folder};
  set_attr(attrs, "resolved", source.read(request));
}

}  // namespace cohort
