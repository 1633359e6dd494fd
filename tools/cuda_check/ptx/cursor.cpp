#include "cursor.h"

#include <cctype>
#include <cstring>

namespace cuda_check::ptx {
namespace {

bool opens(char c) { return c == '{' || c == '[' || c == '('; }
bool closes(char c) { return c == '}' || c == ']' || c == ')'; }
bool is_blank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

}  // namespace

void Cursor::skip(size_t characters) {
  for (size_t i = 0; i < characters && at_ < text_.size(); i++) line_ += text_[at_++] == '\n';
}

void Cursor::skip_blanks() {
  while (at_ < text_.size()) {
    if (is_blank(text_[at_])) {
      skip(1);
    } else if (text_.compare(at_, 2, "//") == 0) {
      rest_of_line();
    } else if (text_.compare(at_, 2, "/*") == 0) {
      skip(text_.find("*/", at_) + 2 - at_);
    } else {
      return;
    }
  }
}

bool Cursor::at_end() {
  skip_blanks();
  return at_ >= text_.size() || text_[at_] == '\0';
}

bool Cursor::starts_with(const char* word) {
  skip_blanks();
  return text_.compare(at_, std::strlen(word), word) == 0;
}

std::string Cursor::rest_of_line() {
  size_t end = std::min(text_.find('\n', at_), text_.size());
  std::string rest = text_.substr(at_, end - at_);
  skip(end - at_);
  return rest;
}

std::string Cursor::until(const char* stops, char* stopped_at) {
  std::string s;
  int depth = 0;
  for (skip_blanks(); at_ < text_.size(); skip(1)) {
    if (text_.compare(at_, 2, "//") == 0) rest_of_line();
    if (at_ >= text_.size()) break;
    char c = text_[at_];
    if (depth == 0 && std::strchr(stops, c)) {
      if (stopped_at) *stopped_at = c;
      skip(1);
      break;
    }
    depth += opens(c) - closes(c);
    s += is_blank(c) ? ' ' : c;
  }
  return trimmed(s);
}

void Cursor::skip_block() {
  int depth = 0;
  while (at_ < text_.size()) {
    char c = text_[at_];
    skip(1);
    depth += (c == '{') - (c == '}');
    if (c == '}' && depth == 0) return;
  }
}

std::string trimmed(const std::string& s) {
  size_t begin = s.find_first_not_of(" \t\r\n"), end = s.find_last_not_of(" \t\r\n");
  return begin == std::string::npos ? "" : s.substr(begin, end - begin + 1);
}

std::vector<std::string> split(const std::string& s, char separator) {
  std::vector<std::string> parts;
  std::string part;
  int depth = 0;
  for (char c : s) {
    depth += opens(c) - closes(c);
    if (c == separator && depth == 0) {
      parts.push_back(trimmed(part));
      part.clear();
    } else {
      part += c;
    }
  }
  if (!trimmed(part).empty()) parts.push_back(trimmed(part));
  return parts;
}

std::vector<std::string> words(const std::string& s) {
  std::vector<std::string> found;
  std::string word;
  for (char c : s + " ") {
    if (!is_blank(c)) {
      word += c;
    } else if (!word.empty()) {
      found.push_back(word);
      word.clear();
    }
  }
  return found;
}

}  // namespace cuda_check::ptx
