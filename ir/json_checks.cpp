#include "ir/json_checks.h"

#include <fmt/format.h>

namespace cohort {

bool JsonChecks::expect(JsonValue value, JsonKind kind, std::string_view what) const {
  if (value.is(kind)) return true;
  std::string_view wanted = kind == JsonKind::kObject   ? "an object"
                            : kind == JsonKind::kList   ? "a list"
                            : kind == JsonKind::kString ? "a string"
                            : kind == JsonKind::kTrue   ? "true or false"
                                                        : "a number";
  add(DiagId::kWrongKind, value, what, json_kind_name(value), wanted);
  return false;
}

JsonValue JsonChecks::required(JsonValue object, std::string_view key, JsonKind kind,
                               std::string_view what) const {
  const JsonValue value = object.find(key);
  if (!value) {
    add(DiagId::kMissingKey, object, what, key);
    return {};
  }
  return expect(value, kind, fmt::format("`{}`", key)) ? value : JsonValue();
}

void JsonChecks::expect_text(JsonValue object, std::string_view key, std::string_view wanted,
                             std::string_view what) const {
  const JsonValue value = required(object, key, JsonKind::kString, what);
  if (value && value.string() != wanted) add(DiagId::kWrongFormat, value, key, value.string(), wanted);
}

}  // namespace cohort
