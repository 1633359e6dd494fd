// A place in PTX text, with what the parser takes from there.
#pragma once
#include <string>
#include <vector>

namespace cuda_check::ptx {

class Cursor {
 public:
  explicit Cursor(const std::string& text) : text_(text) {}
  int line() const { return line_; }
  bool at_end();                       // after blanks and comments
  bool starts_with(const char* word);  // after blanks and comments
  char peek() { return at_end() ? '\0' : text_[at_]; }
  void skip(size_t characters);
  std::string rest_of_line();
  // Up to one of the characters outside brackets and strings, which is consumed and left in `stopped_at`.
  std::string until(const char* stops, char* stopped_at = nullptr);
  void skip_block();  // to the `}` of the next `{`

 private:
  void skip_blanks();
  const std::string& text_;
  size_t at_ = 0;
  int line_ = 1;
};

std::string trimmed(const std::string& s);
std::vector<std::string> split(const std::string& s, char separator);  // outside brackets; parts are trimmed
std::vector<std::string> words(const std::string& s);

}  // namespace cuda_check::ptx
