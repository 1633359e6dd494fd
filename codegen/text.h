// Small pieces of text that several emitters need: C string literals, numbers, hashes. Nothing here depends
// on a locale.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cohort {

// "a\"b" with quotes; bytes beyond ASCII are kept, control characters become octal escapes.
std::string c_string(std::string_view text);
// Text safe inside comments of both kinds: control characters become spaces, `*/` is broken, a trailing
// backslash gets a dot after it.
std::string comment_text(std::string_view text);
std::string hex64(std::uint64_t value);  // "0x0123456789abcdef"
// FNV-1a, 64 bits (http://www.isthe.com/chongo/tech/comp/fnv).
std::uint64_t fnv1a(std::string_view bytes, std::uint64_t seed = 0xcbf29ce484222325u);
std::string upper(std::string_view text);
// start + "a, b, c" + end, with breaks after commas where a line would be too long; what follows a break
// stands below the first item.
std::string wrapped(const std::string& start, const std::vector<std::string>& items, std::string_view end);

}  // namespace cohort
