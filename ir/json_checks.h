// Is a value there, and of this kind? What every reader of a JSON file asks, with the message if not.
#pragma once

#include <string_view>

#include "ir/diagnostics.h"
#include "ir/json_document.h"

namespace cohort {

struct JsonChecks {
  ErrorList& errors;

  template <typename... Args>
  void add(DiagId id, JsonValue at, const Args&... args) const {
    errors.add(diagnostic(id, at.location(), args...));
  }
  // Is the value of this kind? Says "`what` is a number where a list is expected" if not.
  bool expect(JsonValue value, JsonKind kind, std::string_view what) const;
  // The value of a key, of the kind given; no value, after a message, if it is missing or of another kind.
  JsonValue required(JsonValue object, std::string_view key, JsonKind kind, std::string_view what) const;
  // `format` and `version` of a file: exactly this text.
  void expect_text(JsonValue object, std::string_view key, std::string_view wanted,
                   std::string_view what) const;
};

}  // namespace cohort
