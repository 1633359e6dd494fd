#include "ir/text_cursor.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace cohort {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word_char(char c) { return is_letter(c) || is_digit(c); }

}  // namespace

TextCursor::TextCursor(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {
  line_starts_.push_back(0);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') line_starts_.push_back(i + 1);
  }
}

Location TextCursor::location_of(std::size_t offset) const {
  auto line = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset) - 1;
  return {file_, static_cast<int>(line - line_starts_.begin()) + 1, static_cast<int>(offset - *line) + 1};
}

void TextCursor::skip() {
  constexpr std::string_view kLoc = "# loc ";
  bool same_line = true;
  while (at_ < text_.size()) {
    char c = text_[at_];
    same_line &= c != '\n';
    if (c == '#') {
      if (same_line && loc_at_ == kNowhere && text_.substr(at_).starts_with(kLoc))
        loc_at_ = at_ + kLoc.size();
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
      ++at_;
    } else {
      return;
    }
  }
}

Location TextCursor::location() {
  skip();
  return location_of(at_);
}

bool TextCursor::at_end() {
  skip();
  return at_ == text_.size();
}

bool TextCursor::sees(std::string_view token) {
  skip();
  return text_.substr(at_).starts_with(token);
}

bool TextCursor::accept(std::string_view token) {
  if (!sees(token)) return false;
  at_ += token.size();
  return true;
}

bool TextCursor::accept_word(std::string_view word) {
  if (!sees(word)) return false;
  std::size_t end = at_ + word.size();
  if (end < text_.size() && is_word_char(text_[end])) return false;
  at_ = end;
  return true;
}

void TextCursor::expect(std::string_view token) {
  if (!accept(token)) fail_expected(fmt::format("`{}`", token));
}

void TextCursor::fail_expected(std::string_view what) {
  skip();
  constexpr std::size_t kShown = 20;
  std::size_t end = std::min(text_.find('\n', at_), text_.size());
  std::string_view found = text_.substr(at_, std::min(end - at_, kShown));
  // A character beyond ASCII is shown whole or not at all.
  while (!found.empty() && end - at_ > kShown && static_cast<unsigned char>(found.back()) >= 0x80) {
    found.remove_suffix(1);
  }
  std::string seen = at_ == text_.size() ? "the end of the text" : fmt::format("`{}`", found);
  throw UserError(diagnostic(DiagId::kTextSyntax, location_of(at_), seen, what));
}

std::string_view TextCursor::take(std::size_t end) {
  std::string_view taken = text_.substr(at_, end - at_);
  at_ = end;
  return taken;
}

std::string_view TextCursor::identifier() {
  skip();
  std::size_t end = at_;
  if (end < text_.size() && is_letter(text_[end])) {
    while (end < text_.size() && is_word_char(text_[end])) ++end;
  }
  if (end == at_) fail_expected("a name");
  return take(end);
}

std::string TextCursor::quoted() {
  skip();
  std::size_t end = at_ + 1;
  while (end < text_.size() && text_[end] != '"' && text_[end] != '\n') end += text_[end] == '\\' ? 2 : 1;
  if (at_ >= text_.size() || text_[at_] != '"' || end >= text_.size() || text_[end] != '"') {
    fail_expected("a quoted string");
  }
  std::string_view raw = text_.substr(at_, end + 1 - at_);
  nlohmann::json parsed = nlohmann::json::parse(raw.begin(), raw.end(), nullptr, false);
  if (!parsed.is_string()) fail_expected("a string quoted as in JSON");
  at_ = end + 1;
  return parsed.get<std::string>();
}

std::string TextCursor::name() { return sees("\"") ? quoted() : std::string(identifier()); }

bool TextCursor::sees_digit() {
  skip();
  return at_ < text_.size() && is_digit(text_[at_]);
}

bool TextCursor::sees_number() {
  skip();
  std::string_view rest = text_.substr(at_);
  if (rest.empty()) return false;
  if (is_digit(rest[0]) || rest[0] == '-') return true;
  for (std::string_view word : {"nan", "inf", "true", "false"}) {
    if (rest.starts_with(word) && (rest.size() == word.size() || !is_word_char(rest[word.size()])))
      return true;
  }
  return false;
}

std::string_view TextCursor::number() {
  if (!sees_number()) fail_expected("a number");
  std::size_t end = at_ + 1;
  while (end < text_.size()) {
    char c = text_[end];
    const char before = text_[end - 1];
    const bool is_sign = (c == '+' || c == '-') && (before == 'e' || before == 'E' || before == 'p');
    if (!is_word_char(c) && c != '.' && !is_sign) break;
    ++end;
  }
  if (text_.substr(at_, end - at_) == "nan" && end < text_.size() && text_[end] == '(') {
    end = std::min(text_.find(')', end), text_.size() - 1) + 1;
  }
  return take(end);
}

std::string_view TextCursor::digits() {
  skip();
  std::size_t end = at_;
  if (end < text_.size() && text_[end] == '-') ++end;
  while (end < text_.size() && is_digit(text_[end])) ++end;
  if (end == at_ || !is_digit(text_[end - 1])) fail_expected("an integer");
  return take(end);
}

std::string_view TextCursor::balanced(char open, char close) {
  skip();
  std::size_t end = at_;
  int depth = 0;
  bool is_quoted = false;
  for (; end < text_.size(); ++end) {
    char c = text_[end];
    if (c == '"')
      is_quoted = !is_quoted;
    else if (is_quoted)
      end += c == '\\' ? 1 : 0;
    else if (c == open)
      ++depth;
    else if (c == close && --depth <= 0)
      break;
    if (depth == 0) break;
  }
  if (depth != 0 || end >= text_.size() || text_[at_] != open) {
    fail_expected(fmt::format("a pair of `{}` and `{}`", open, close));
  }
  return take(end + 1);
}

std::string_view TextCursor::rest_of_line() { return take(std::min(text_.find('\n', at_), text_.size())); }

DeviceHint TextCursor::device() {
  for (const DeviceHint hint : {DeviceHint::kCpu, DeviceHint::kGpu})
    if (accept(device_hint_name(hint))) return hint;
  fail_expected("`cpu` or `gpu`");
}

std::string TextCursor::loc() {
  skip();
  if (loc_at_ == kNowhere) return {};
  const std::size_t back = std::exchange(at_, loc_at_);
  std::string text = quoted();
  at_ = back;
  return text;
}

}  // namespace cohort
