#include <algorithm>
#include <array>

#include "ir/json_document.h"
#include "ir/json_quote.h"
#include "ir/json_writer.h"

namespace cohort {
namespace {

// Keys of all objects that have a fixed order; no two of them want different orders.
constexpr std::array<std::string_view, 25> kOrder{
    "format", "version", "name",    "names",   "op",    "dims",   "constants", "state", "functions",
    "inputs", "nodes",   "outputs", "updates", "attrs", "type",   "init",      "data",  "file",
    "key",    "sha256",  "min",     "max",     "loc",   "device", "lit"};

// What an object or list is, as far as its layout depends on it.
enum class Place : std::uint8_t {
  kModule,     // fixed keys, one a line
  kTable,      // names to entries (constants, state, dims): one a line, in the order given
  kFunctions,  // names to functions
  kFunction,   // fixed keys, one a line
  kEntries,    // inputs, nodes, outputs, updates of a function
  kEntry,      // within a line, fixed keys
  kInline      // within a line, in the order given
};

Place place_within(Place place, std::string_view key) {
  switch (place) {
    case Place::kModule:
      if (key == "functions") return Place::kFunctions;
      return key == "dims" || key == "constants" || key == "state" ? Place::kTable : Place::kInline;
    case Place::kFunctions:
      return Place::kFunction;
    case Place::kFunction:
      return key.starts_with("x-") ? Place::kInline : Place::kEntries;
    case Place::kTable:
    case Place::kEntries:
      return Place::kEntry;
    default:
      return Place::kInline;
  }
}

class Formatter {
 public:
  std::string text() && { return std::move(text_); }

  void value(JsonValue value, Place place, int depth) {
    switch (value.kind()) {
      case JsonKind::kNull:
        text_ += "null";
        return;
      case JsonKind::kTrue:
        text_ += "true";
        return;
      case JsonKind::kFalse:
        text_ += "false";
        return;
      case JsonKind::kNumber:
        text_ += value.string();
        return;
      case JsonKind::kString:
        text_ += json_quote(value.string());
        return;
      case JsonKind::kList:
        list(value, place, depth);
        return;
      case JsonKind::kObject:
        object(value, place, depth);
        return;
    }
  }

 private:
  struct Member {
    JsonValue key;
    JsonValue value;
    std::size_t rank;
  };

  void separate(bool is_first, bool expanded, int depth) {
    if (!is_first) text_ += expanded ? "," : ", ";
    if (expanded) text_.append("\n").append(static_cast<std::size_t>(2 * (depth + 1)), ' ');
  }
  void close(char bracket, bool expanded, int depth) {
    if (expanded) text_.append("\n").append(static_cast<std::size_t>(2 * depth), ' ');
    text_ += bracket;
  }

  void object(JsonValue object, Place place, int depth) {
    const bool ordered = place == Place::kModule || place == Place::kFunction || place == Place::kEntry;
    const bool expanded = place < Place::kEntry && object.count() > 0;
    std::vector<Member> members;
    members.reserve(object.count());
    for_each_member(object, [&](JsonValue key, JsonValue value) {
      auto known = std::find(kOrder.begin(), kOrder.end(), key.string());
      members.push_back({key, value, ordered ? static_cast<std::size_t>(known - kOrder.begin()) : 0});
    });
    std::stable_sort(members.begin(), members.end(),
                     [](const Member& a, const Member& b) { return a.rank < b.rank; });
    text_ += '{';
    for (std::size_t i = 0; i < members.size(); ++i) {
      separate(i == 0, expanded, depth);
      text_ += json_quote(members[i].key.string()) + ": ";
      value(members[i].value, place_within(place, members[i].key.string()), depth + 1);
    }
    close('}', expanded, depth);
  }

  void list(JsonValue list, Place place, int depth) {
    const bool expanded = place == Place::kEntries && list.count() > 0;
    text_ += '[';
    bool is_first = true;
    for_each_element(list, [&](JsonValue element) {
      separate(is_first, expanded, depth);
      is_first = false;
      value(element, place_within(place, ""), depth + 1);
    });
    close(']', expanded, depth);
  }

  std::string text_;
};

}  // namespace

std::string format_json(std::string text, const std::string& name) {
  ErrorList errors;
  JsonDocument document(std::move(text), name, errors);
  errors.throw_if_any();
  Formatter formatter;
  formatter.value(document.root(), Place::kModule, 0);
  return std::move(formatter).text() + "\n";
}

}  // namespace cohort
