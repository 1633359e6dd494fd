// A parsed JSON text in which every key and value knows its position. Numbers stay text, strings are views
// into the file where they hold no escapes; each value takes 16 bytes, so that graphs of a million nodes stay
// small.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "ir/error_list.h"

namespace cohort {

enum class JsonKind : std::uint8_t { kNull, kFalse, kTrue, kNumber, kString, kList, kObject };

class JsonDocument;

// A value of a document that outlives it.
class JsonValue {
 public:
  JsonValue() = default;
  JsonValue(const JsonDocument* document, std::uint32_t at) : document_(document), at_(at) {}

  explicit operator bool() const { return document_ != nullptr; }  // false: there is no such value
  JsonKind kind() const;
  bool is(JsonKind wanted) const { return kind() == wanted; }
  bool is_boolean() const { return is(JsonKind::kTrue) || is(JsonKind::kFalse); }
  std::string_view string() const;  // the content of a string, the digits of a number
  std::uint32_t count() const;      // elements of a list, members of an object
  Location location() const;
  std::string_view raw() const;  // the value as it stands in the file
  std::uint32_t at() const { return at_; }

  // Elements of a list; of an object keys and values in turn. `after` gives the next sibling.
  JsonValue first() const { return {document_, at_ + 1}; }
  JsonValue after() const;

  // The value of a key, or no value.
  JsonValue find(std::string_view key) const;

 private:
  const JsonDocument* document_ = nullptr;
  std::uint32_t at_ = 0;
};

// "a number", "an object": what a value is, for messages.
std::string_view json_kind_name(JsonValue value);

// Calls f(element) for each element of a list.
template <typename F>
void for_each_element(JsonValue list, F f) {
  JsonValue element = list.first();
  for (std::uint32_t i = 0; i < list.count(); ++i, element = element.after()) f(element);
}
// Calls f(key, value) for each member of an object; the key is a string value with a position.
template <typename F>
void for_each_member(JsonValue object, F f) {
  JsonValue key = object.first();
  for (std::uint32_t i = 0; i < object.count(); ++i) {
    JsonValue value = key.after();
    f(key, value);
    key = value.after();
  }
}

class JsonDocument {
 public:
  static constexpr int kMaxDepth = 128;

  // Parses `text`; `file` is its name in messages. Syntax errors throw UserError; duplicate keys are added to
  // `errors`.
  JsonDocument(std::string text, std::string file, ErrorList& errors);
  JsonDocument(const JsonDocument&) = delete;
  JsonDocument& operator=(const JsonDocument&) = delete;

  JsonValue root() const { return {this, 0}; }
  const std::string& file() const { return file_; }
  Location location(std::size_t offset) const;

 private:
  friend class JsonValue;
  friend class JsonHandler;

  struct Entry {
    JsonKind kind;
    bool escaped;          // a string whose content lies in unescaped_[size]
    std::uint32_t offset;  // where the value begins
    std::uint32_t size;    // bytes of a string's content or a number's digits; elements; members
    std::uint32_t next;    // the entry after this value and all it contains
  };

  std::string text_;
  std::string file_;
  std::vector<Entry> entries_;
  std::deque<std::string> unescaped_;
  std::vector<std::uint32_t> line_starts_;
};

}  // namespace cohort
