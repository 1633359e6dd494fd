// A place in a text, with the tokens that the text form and the operator tests are made of. White space and
// comments (from `#` to the end of the line) separate tokens and mean nothing else, but for `# loc "..."`
// behind a node.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/device_hint.h"
#include "ir/diagnostics.h"

namespace cohort {

class TextCursor {
 public:
  TextCursor(std::string_view text, std::string file);

  // The position of the next token.
  Location location();
  bool at_end();
  // Takes the next token if it is this one. Words end where letters, digits and `_` do.
  bool accept(std::string_view token);
  bool accept_word(std::string_view word);
  bool sees(std::string_view token);
  void expect(std::string_view token);

  std::string_view identifier();  // letters, digits, `_`, and bytes beyond ASCII; refuses anything else
  std::string name();             // an identifier or a quoted string
  std::string quoted();           // as JSON quotes
  bool sees_digit();
  bool sees_number();
  std::string_view number();                         // as parse_number takes it, `true` and `false` included
  std::string_view digits();                         // an integer, signed
  std::string_view balanced(char open, char close);  // from `open` to its `close`, both included
  std::string_view rest_of_line();

  // Forgets the last `loc`; gives the first since then, of a comment behind a token on its line.
  void forget_loc() { loc_at_ = kNowhere; }
  std::string loc();
  // `cpu` or `gpu`.
  DeviceHint device();

  [[noreturn]] void fail_expected(std::string_view what);
  Location location_of(std::size_t offset) const;
  std::size_t offset() const { return at_; }

 private:
  void skip();
  std::string_view take(std::size_t end);

  std::string_view text_;
  std::string file_;
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);
  std::size_t at_ = 0;
  std::size_t loc_at_ = kNowhere;  // where the string of a `# loc` begins
  std::vector<std::size_t> line_starts_;
};

}  // namespace cohort
