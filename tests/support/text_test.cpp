#include "tests/support/text_test.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace cohort::test {

namespace {

constexpr std::string_view kSeparator = "\n----\n";

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

std::vector<std::string> text_test_files(const std::string& folder) {
  std::vector<std::string> files;
  const std::filesystem::path root = std::filesystem::path(COHORT_SOURCE_DIR) / folder;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root))
    if (entry.path().extension() == ".txt") files.push_back(entry.path().generic_string());
  std::sort(files.begin(), files.end());
  return files;
}

std::string line_diff(const std::string& expected, const std::string& actual) {
  const std::vector<std::string> a = lines_of(expected), b = lines_of(actual);
  // Longest common subsequence, filled from the end.
  std::vector<std::vector<int>> longest(a.size() + 1, std::vector<int>(b.size() + 1));
  for (std::size_t i = a.size(); i-- > 0;)
    for (std::size_t j = b.size(); j-- > 0;)
      longest[i][j] =
          a[i] == b[j] ? longest[i + 1][j + 1] + 1 : std::max(longest[i + 1][j], longest[i][j + 1]);
  std::string diff;
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      diff += "  " + a[i] + "\n";
      ++i, ++j;
    } else if (j == b.size() || (i < a.size() && longest[i + 1][j] >= longest[i][j + 1])) {
      diff += "- " + a[i++] + "\n";
    } else {
      diff += "+ " + b[j++] + "\n";
    }
  }
  return diff;
}

std::string check_text_test(const std::string& path,
                            const std::function<std::string(const std::string& input)>& produce,
                            const std::string& program) {
  const std::string text = read_file(path);
  const std::size_t at = text.find(kSeparator);
  const std::string input = at == std::string::npos ? text : text.substr(0, at + 1);
  const std::string expected = at == std::string::npos ? "" : text.substr(at + kSeparator.size());
  const std::string actual = produce(input);
  if (actual == expected) return "";
  const char* accept = std::getenv("COHORT_ACCEPT");
  if (accept && std::string_view(accept) == "1") {
    std::ofstream(path, std::ios::binary) << input << kSeparator.substr(1) << actual;
    return "";
  }
  return fmt::format("{}\n{}to accept what came out: COHORT_ACCEPT=1 {}\n", path, line_diff(expected, actual),
                     program);
}

}  // namespace cohort::test
