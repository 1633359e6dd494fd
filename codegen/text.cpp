#include "codegen/text.h"

#include <fmt/format.h>

namespace cohort {

namespace {

// Bytes of a bidirectional control character at text[at] (U+202A..202E, U+2066..2069): compilers warn of
// them.
std::size_t bidirectional(std::string_view text, std::size_t at) {
  if (text.size() - at < 3 || text[at] != '\xe2') return 0;
  const auto b = static_cast<unsigned char>(text[at + 1]), c = static_cast<unsigned char>(text[at + 2]);
  return (b == 0x80 && c >= 0xaa && c <= 0xae) || (b == 0x81 && c >= 0xa6 && c <= 0xa9) ? 3 : 0;
}

}  // namespace

std::string c_string(std::string_view text) {
  std::string out = "\"";
  std::size_t escaped = 0;  // bytes from here on that are written as escapes
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const auto byte = static_cast<unsigned char>(c);
    if (escaped == 0) escaped = bidirectional(text, at);
    if (c == '"' || c == '\\' || c == '?') {  // `?` so that no trigraph appears
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7f || escaped > 0) {
      out += fmt::format("\\{:03o}", byte);
    } else {
      out += c;
    }
    if (escaped > 0) --escaped;
  }
  return out + '"';
}

std::string comment_text(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (const std::size_t bytes = bidirectional(text, at)) {
      out += '?';
      at += bytes - 1;
    } else {
      if (!out.empty() && ((out.back() == '*' && c == '/') || (out.back() == '/' && c == '*'))) out += ' ';
      out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  if (!out.empty() && out.back() == '\\') out += '.';
  return out;
}

std::string hex64(std::uint64_t value) { return fmt::format("0x{:016x}", value); }

std::uint64_t fnv1a(std::string_view bytes, std::uint64_t seed) {
  for (const char c : bytes) seed = (seed ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return seed;
}

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return out;
}

std::string wrapped(const std::string& start, const std::vector<std::string>& items, std::string_view end) {
  constexpr std::size_t kLongest = 108;
  std::string text = start;
  std::size_t column = text.size();
  for (std::size_t k = 0; k < items.size(); ++k) {
    if (k) text += ",", column += 1;
    if (k && column + items[k].size() > kLongest) {
      text += "\n" + std::string(start.size(), ' ');
      column = start.size();
    } else if (k) {
      text += ' ', column += 1;
    }
    text += items[k];
    column += items[k].size();
  }
  return text.append(end);
}

}  // namespace cohort
