// Large modules: what is emitted grows with what differs, functions stay bounded, the host compiler stays
// quick.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "tests/slow/codegen/support.h"

using namespace cohort;
using namespace cohort::test;

namespace {

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size()))
    ++found;
  return found;
}

// The longest C++ function, in lines: from a line that ends in `{` in the first column's scope to the next
// `}` there.
int longest_function(const std::string& text) {
  int longest = 0, lines = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const bool closes = text.compare(at, end - at, "}") == 0;
    const bool table = text.compare(at, end - at, "};") == 0;
    lines = closes || table ? 0 : lines + 1;
    const bool opens = text[at] != ' ' && end > at && text[end - 1] == '{';
    if (opens) lines = text.compare(at, 6, "static") == 0 && text.find("[]", at) < end ? -1000000 : 0;
    longest = std::max(longest, lines);
    at = end + 1;
  }
  return longest;
}

double seconds_to_build(const Scratch& folder, const std::vector<std::string>& sources) {
  std::vector<std::string> command{"c++", "-shared", "-fPIC", "-I" + folder.path(),
                                   "-I" COHORT_SOURCE_DIR "/runtime/include"};
  command.insert(command.end(), kRecipeFlags.begin(), kRecipeFlags.end());
  for (const std::string& source : sources) command.push_back(folder.file(source));
  command.insert(command.end(), {"-o", folder.file("module.so")});
  const auto start = std::chrono::steady_clock::now();
  must_run(command);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// n variables of 50 elements, each with an update of its own constant: nothing to share but the shape.
std::string many_alike(int n) {
  std::string states, nodes, updates;
  for (int k = 0; k < n; ++k) {
    const char* comma = k ? ", " : "";
    states += fmt::format("{}\"x{}\": {{\"type\": \"f64[5]\", \"init\": {}}}", comma, k, k);
    nodes += fmt::format("{}{{\"name\": \"y{}\", \"op\": \"tanh\", \"inputs\": [\"x{}\"]}}", comma, k, k);
    updates += fmt::format("{}\"x{}\": \"y{}\"", comma, k, k);
  }
  return fmt::format(
      "{{\"format\": \"cohort-ir\", \"version\": \"1.0\", \"name\": \"many\", \"state\": {{{}}}, "
      "\"functions\": "
      "{{\"f\": {{\"nodes\": [{}], \"updates\": {{{}}}}}}}}}",
      states, nodes, updates);
}

// A scalar computation of n steps that differ from one another and read far back.
std::string long_scalar(int n) {
  static const char* const kOps[] = {"add", "mul", "sub", "max", "hypot"};
  std::string nodes;
  for (int k = 0; k < n; ++k) {
    const std::string a = k == 0 ? "x" : fmt::format("v{}", k - 1);
    const std::string b = k < 8 ? "x" : fmt::format("v{}", (k * 7919 + k / 3) % k);
    nodes += fmt::format("{}{{\"name\": \"v{}\", \"op\": \"{}\", \"inputs\": [\"{}\", \"{}\"]}}",
                         k ? ", " : "", k, kOps[(k * 31 + k / 7) % 5], a, b);
  }
  return fmt::format(
      "{{\"format\": \"cohort-ir\", \"version\": \"1.0\", \"name\": \"scalar\", \"functions\": {{\"f\": "
      "{{\"inputs\": "
      "{{\"x\": \"f64[]\"}}, \"nodes\": [{}], \"outputs\": {{\"y\": \"v{}\"}}}}}}}}",
      nodes, n - 1);
}

std::vector<std::string> sources_of(const std::vector<Artefact>& files) {
  std::vector<std::string> names;
  for (const Artefact& artefact : files)
    if (artefact.name.ends_with(".cpp")) names.push_back(artefact.name);
  return names;
}

}  // namespace

TEST_CASE("20,000 kernels of one shape are one function over a table") {
  const Scratch folder("many alike");
  const auto files = emit_into(folder, many_alike(20000));
  int kernels = 0;
  for (const Artefact& artefact : files)
    kernels += artefact.name.ends_with(".cpp") ? count(artefact.bytes, "\nRT_KERNEL ") : 0;
  CHECK(kernels <= 4);
  MESSAGE("g++ -O2 takes ", seconds_to_build(folder, sources_of(files)), " s");
}

TEST_CASE("10,000 scalar statements are functions of bounded size") {
  const Scratch folder("long scalar");
  const auto files = emit_into(folder, long_scalar(10000));
  for (const Artefact& artefact : files)
    if (artefact.name.ends_with(".cpp")) CHECK(longest_function(artefact.bytes) < 1200);
  MESSAGE("g++ -O2 takes ", seconds_to_build(folder, sources_of(files)), " s");
}
