// Parts of the text parser. Only text_*.cpp include this.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "ir/builder.h"
#include "ir/error_list.h"
#include "ir/literal.h"
#include "ir/text_parser.h"

namespace cohort {

// What `@name` stands for. Keys are "@name", or "%0" for constants without a name.
struct TextGlobal {
  ValueKind kind;
  std::uint32_t index;
};

struct TextParsing {
  TextCursor& cursor;
  CustomSource custom{};
  ErrorList errors{};
  ModuleBuilder builder{""};
  std::unordered_map<std::string, TextGlobal> globals{};
  std::size_t depth = 0;                              // of bodies within bodies
  std::unordered_set<std::string> wrong_functions{};  // what applies one is left out silently

  const Dims& dims() const { return builder.module().dims; }
  Type type();
  // Reads `@name` and gives the name; digits, which number what has no name, give an empty one.
  std::string global_name(std::string& key);
  // What a `custom` node names, as one more attribute.
  void resolve(const OpDef& op, const Location& where, Attrs& attrs);
  // text_function.cpp: from behind the word `func` to the closing brace.
  void function();
};

// text_attrs.cpp: `{name = value, ...}` if it is there.
Attrs parse_text_attrs(TextCursor& cursor, const OpDef& op, const Dims& dims);

}  // namespace cohort
