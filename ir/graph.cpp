#include "ir/graph.h"

#include <algorithm>

#include "ir/uses.h"

namespace cohort {

namespace {
auto lower_bound(const Attrs& attrs, std::string_view name) {
  return std::lower_bound(attrs.begin(), attrs.end(), name,
                          [](const NamedAttr& a, std::string_view b) { return a.name < b; });
}
}  // namespace

const Attr* find_attr(const Attrs& attrs, std::string_view name) {
  const auto it = lower_bound(attrs, name);
  return it != attrs.end() && it->name == name ? &it->value : nullptr;
}

void set_attr(Attrs& attrs, std::string name, Attr value) {
  const auto at = lower_bound(attrs, name) - attrs.begin();
  if (at < static_cast<std::ptrdiff_t>(attrs.size()) && attrs[static_cast<std::size_t>(at)].name == name)
    attrs[static_cast<std::size_t>(at)].value = std::move(value);
  else
    attrs.insert(attrs.begin() + at, {std::move(name), std::move(value)});
}

std::string display_name(const Function& function, ValueId value) {
  const Value& v = function.value(value);
  return v.name.empty() ? "%" + std::to_string(value) : v.name;
}

Uses count_uses(const Function& function) {
  Uses uses{std::vector<std::uint32_t>(function.values.size()), std::vector<bool>(function.values.size())};
  for (const Node& node : function.nodes)
    for (const ValueId input : node.inputs) ++uses.count[input];
  const auto observe = [&](ValueId value) {
    ++uses.count[value];
    uses.observed[value] = true;
  };
  for (const Output& output : function.outputs) observe(output.value);
  for (const Update& update : function.updates) observe(update.value);
  return uses;
}

}  // namespace cohort
