#include "ir/json_document.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_set>

namespace cohort {

// Receives nlohmann's SAX events. They carry no positions; but between the end of one token and the start of
// the next there are only white space, commas and colons, so a scan of our own finds each token's start
// exactly.
class JsonHandler {
 public:
  JsonHandler(JsonDocument& document, ErrorList& errors) : document_(document), errors_(errors) {
    if (document_.text_.starts_with("\xef\xbb\xbf")) end_ = 3;
  }

  bool null() { return leaf(JsonKind::kNull, 4); }
  bool boolean(bool value) { return leaf(value ? JsonKind::kTrue : JsonKind::kFalse, value ? 4 : 5); }
  bool number_integer(std::int64_t) { return number(); }
  bool number_unsigned(std::uint64_t) { return number(); }
  bool number_float(double, const std::string&) { return number(); }
  bool binary(nlohmann::json::binary_t&) { return false; }
  bool string(std::string& value);
  bool key(std::string& value) { return string(value); }
  bool start_object(std::size_t) { return open(JsonKind::kObject); }
  bool start_array(std::size_t) { return open(JsonKind::kList); }
  bool end_object();
  bool end_array() { return close(); }
  bool parse_error(std::size_t position, const std::string& token, const nlohmann::json::exception& error);

 private:
  using Entry = JsonDocument::Entry;

  std::size_t start_of_token();
  Entry& add(JsonKind kind, std::size_t offset);
  bool leaf(JsonKind kind, std::size_t length);
  bool number();
  bool open(JsonKind kind);
  bool close();

  JsonDocument& document_;
  ErrorList& errors_;
  std::size_t end_ = 0;              // where the last token ended
  std::vector<std::uint32_t> open_;  // containers that have begun
};

std::size_t JsonHandler::start_of_token() {
  const std::string& text = document_.text_;
  while (end_ < text.size()) {
    char c = text[end_];
    if (c == '\n') {
      document_.line_starts_.push_back(static_cast<std::uint32_t>(end_ + 1));
    } else if (c != ' ' && c != '\t' && c != '\r' && c != ',' && c != ':') {
      break;
    }
    ++end_;
  }
  return end_;
}

JsonHandler::Entry& JsonHandler::add(JsonKind kind, std::size_t offset) {
  auto next = static_cast<std::uint32_t>(document_.entries_.size() + 1);
  document_.entries_.push_back({kind, false, static_cast<std::uint32_t>(offset), 0, next});
  if (!open_.empty()) ++document_.entries_[open_.back()].size;
  return document_.entries_.back();
}

bool JsonHandler::leaf(JsonKind kind, std::size_t length) {
  add(kind, start_of_token()).size = static_cast<std::uint32_t>(length);
  end_ += length;
  return true;
}

bool JsonHandler::number() {
  std::size_t start = start_of_token();
  std::size_t stop = document_.text_.find_first_not_of("0123456789+-.eE", start);
  return leaf(JsonKind::kNumber, std::min(stop, document_.text_.size()) - start);
}

bool JsonHandler::string(std::string& value) {
  const std::string& text = document_.text_;
  std::size_t start = start_of_token();
  std::size_t at = start + 1;
  bool escaped = false;
  for (; text[at] != '"'; ++at) {
    if (text[at] == '\\') {
      escaped = true;
      ++at;
    }
  }
  Entry& entry = add(JsonKind::kString, start);
  entry.escaped = escaped;
  entry.size = static_cast<std::uint32_t>(escaped ? document_.unescaped_.size() : at - start - 1);
  if (escaped) document_.unescaped_.push_back(std::move(value));
  end_ = at + 1;
  return true;
}

bool JsonHandler::open(JsonKind kind) {
  std::size_t start = start_of_token();
  if (open_.size() >= JsonDocument::kMaxDepth) {
    throw UserError(
        diagnostic(DiagId::kNestedTooDeep, document_.location(start), std::size_t{JsonDocument::kMaxDepth}));
  }
  add(kind, start);
  open_.push_back(static_cast<std::uint32_t>(document_.entries_.size() - 1));
  end_ = start + 1;
  return true;
}

bool JsonHandler::close() {
  document_.entries_[open_.back()].next = static_cast<std::uint32_t>(document_.entries_.size());
  open_.pop_back();
  end_ = start_of_token() + 1;
  return true;
}

bool JsonHandler::end_object() {
  Entry& entry = document_.entries_[open_.back()];
  entry.size /= 2;
  JsonValue object(&document_, open_.back());
  close();
  constexpr std::uint32_t kFew = 12;
  std::vector<std::string_view> few;
  std::unordered_set<std::string_view> many;
  bool is_small = entry.size <= kFew;
  if (is_small)
    few.reserve(kFew);
  else
    many.reserve(entry.size);
  for_each_member(object, [&](JsonValue key, JsonValue) {
    std::string_view name = key.string();
    bool seen = is_small ? std::find(few.begin(), few.end(), name) != few.end() : !many.insert(name).second;
    if (seen) errors_.add(diagnostic(DiagId::kDuplicateKey, key.location(), name));
    if (is_small) few.push_back(name);
  });
  return true;
}

bool JsonHandler::parse_error(std::size_t position, const std::string&,
                              const nlohmann::json::exception& error) {
  const std::string& text = document_.text_;
  std::size_t offset = std::min(position > 0 ? position - 1 : 0, text.size());
  // Lines up to the error, of which the tokens have seen only the first.
  std::size_t known = document_.line_starts_.back();
  for (std::size_t at = std::max(known, std::min(end_, offset)); at < offset; ++at) {
    if (text[at] == '\n') document_.line_starts_.push_back(static_cast<std::uint32_t>(at + 1));
  }
  Location location = document_.location(offset);
  std::string_view what = error.what();
  if (error.id == 406) {
    constexpr const char* kNumber = "0123456789+-.eE";
    std::size_t start = text.find_last_not_of(kNumber, offset > 0 ? offset - 1 : 0) + 1;
    std::size_t end = std::min(text.find_first_not_of(kNumber, start), text.size());
    std::string digits = text.substr(start, end - start);
    throw UserError(diagnostic(DiagId::kNumberTooLarge, document_.location(start), digits, "f64"));
  }
  if (what.find("ill-formed UTF-8") != what.npos) throw UserError(diagnostic(DiagId::kNotUtf8, location));
  if (what.find("unexpected end of input") != what.npos || offset >= text.size()) {
    throw UserError(diagnostic(DiagId::kJsonTruncated, location));
  }
  // "... line 1, column 5: syntax error while parsing value - invalid literal; last read: '...'; expected
  // ..."
  std::size_t dash = what.find(" - ");
  std::string_view reason = dash == what.npos ? what : what.substr(dash + 3);
  std::size_t read = reason.find("; last read");
  throw UserError(diagnostic(DiagId::kJsonSyntax, location, reason.substr(0, read)));
}

JsonDocument::JsonDocument(std::string text, std::string file, ErrorList& errors)
    : text_(std::move(text)), file_(std::move(file)) {
  line_starts_.push_back(0);
  if (text_.size() >= UINT32_MAX) {
    throw UserError(
        diagnostic(DiagId::kFileUnreadable, Location{file_, 0, 0}, file_, "it is larger than 4 GiB"));
  }
  if (text_.empty()) throw UserError(diagnostic(DiagId::kFileEmpty, Location{file_, 1, 1}));
  JsonHandler handler(*this, errors);
  const char* begin = text_.data();
  nlohmann::json::sax_parse(begin, begin + text_.size(), &handler);
}

Location JsonDocument::location(std::size_t offset) const {
  auto line = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset) - 1;
  return {file_, static_cast<int>(line - line_starts_.begin()) + 1, static_cast<int>(offset - *line) + 1};
}

JsonKind JsonValue::kind() const { return document_->entries_[at_].kind; }
std::uint32_t JsonValue::count() const { return document_->entries_[at_].size; }
Location JsonValue::location() const { return document_->location(document_->entries_[at_].offset); }
JsonValue JsonValue::after() const { return {document_, document_->entries_[at_].next}; }

std::string_view JsonValue::string() const {
  const JsonDocument::Entry& entry = document_->entries_[at_];
  if (entry.kind == JsonKind::kString && entry.escaped) return document_->unescaped_[entry.size];
  std::size_t quote = entry.kind == JsonKind::kString ? 1 : 0;
  return std::string_view(document_->text_).substr(entry.offset + quote, entry.size);
}

std::string_view JsonValue::raw() const {
  const JsonDocument::Entry& entry = document_->entries_[at_];
  std::string_view text = document_->text_;
  if (entry.kind != JsonKind::kString) return text.substr(entry.offset, entry.size);
  std::size_t at = entry.offset + 1;
  while (text[at] != '"') at += text[at] == '\\' ? 2 : 1;
  return text.substr(entry.offset, at + 1 - entry.offset);
}

JsonValue JsonValue::find(std::string_view key) const {
  JsonValue at = first();
  for (std::uint32_t i = 0; i < count(); ++i) {
    JsonValue value = at.after();
    if (at.string() == key) return value;
    at = value.after();
  }
  return {};
}

std::string_view json_kind_name(JsonValue value) {
  switch (value.kind()) {
    case JsonKind::kNull:
      return "null";
    case JsonKind::kFalse:
    case JsonKind::kTrue:
      return "a boolean";
    case JsonKind::kNumber:
      return "a number";
    case JsonKind::kString:
      return "a string";
    case JsonKind::kList:
      return "a list";
    case JsonKind::kObject:
      return "an object";
  }
  return "unknown";
}

}  // namespace cohort
