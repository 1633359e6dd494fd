#include "compiler/merge/common_name.h"

#include <algorithm>
#include <string_view>

namespace cohort::merge {

std::string common_name(const std::vector<std::string>& names) {
  std::string_view prefix = names.front(), suffix = names.front();
  for (const std::string& name : names) {
    const auto end = std::mismatch(prefix.begin(), prefix.end(), name.begin(), name.end()).first;
    prefix = prefix.substr(0, static_cast<std::size_t>(end - prefix.begin()));
    const auto back = std::mismatch(suffix.rbegin(), suffix.rend(), name.rbegin(), name.rend()).first;
    suffix = suffix.substr(suffix.size() - static_cast<std::size_t>(back - suffix.rbegin()));
  }
  if (prefix.size() == names.front().size()) return names.front();
  const auto within_character = [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
  };  // UTF-8
  while (!prefix.empty() && within_character(names.front()[prefix.size()])) prefix.remove_suffix(1);
  while (!suffix.empty() && within_character(suffix.front())) suffix.remove_prefix(1);
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  while (!prefix.empty() && digit(prefix.back())) prefix.remove_suffix(1);
  while (!suffix.empty() && digit(suffix.front())) suffix.remove_prefix(1);
  const std::string name = std::string(prefix) + std::string(suffix);
  return name.empty() ? names.front() : name;
}

}  // namespace cohort::merge
