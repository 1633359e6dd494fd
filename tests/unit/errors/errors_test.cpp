#include <doctest/doctest.h>

#include <fstream>
#include <set>

#include "ir/diagnostics.h"
#include "ir/files.h"
#include "ir/interpreter.h"
#include "ir/text_parser.h"
#include "situation.h"
#include "tests/support/custom_functions.h"
#include "tests/support/text_test.h"

namespace cohort {
namespace {

// The names of all rows: "unknown_operator".
std::set<std::string> rows() {
  std::set<std::string> names;
#define DIAG(id, category, text) names.emplace(diagnostic_name(DiagId::id));
#include "ir/diagnostics.def"
#undef DIAG
  return names;
}

// Rows whose message a text expects: "error[unknown_operator]".
void note_expected(const std::string& text, std::set<std::string>& covered) {
  constexpr std::string_view kMark = "error[";
  for (std::size_t at = text.find(kMark); at != text.npos; at = text.find(kMark, at)) {
    at += kMark.size();
    covered.insert(text.substr(at, text.find(']', at) - at));
  }
}

}  // namespace

TEST_CASE("every situation says what its file expects") {
  for (const std::string& file : test::text_test_files("tests/errors")) {
    if (test::is_skipped(file)) continue;
    const std::string problem = test::check_text_test(file, run_situation, "test_errors");
    if (!problem.empty()) FAIL_CHECK(problem);
  }
}

TEST_CASE("every row of diagnostics.def is expected somewhere, and nothing else is") {
  std::set<std::string> covered;
  for (const char* folder : {"tests/errors", "tests/ops"}) {
    for (const std::string& file : test::text_test_files(folder)) note_expected(read_file(file), covered);
  }
  std::set<std::string> known = rows(), excused;
  std::ifstream list(std::string(COHORT_SOURCE_DIR) + "/tests/errors/uncovered.list");
  for (std::string line; std::getline(list, line);) {
    if (!line.empty() && line[0] != '#') excused.insert(line.substr(0, line.find(' ')));
  }
  for (const std::string& row : known) {
    if (!covered.contains(row) && !excused.contains(row)) {
      FAIL_CHECK("no test expects error[" << row << "]: see tests/errors/README.md");
    }
  }
  for (const std::string& row : covered) {
    if (!known.contains(row)) FAIL_CHECK("error[" << row << "] is expected and is no row of diagnostics.def");
  }
  for (const std::string& row : excused) {
    if (covered.contains(row) || !known.contains(row))
      FAIL_CHECK("uncovered.list names " << row << " without need");
  }
}

TEST_CASE("a call with a wrong number of inputs") {
  const Module module = parse_text("module m\nfunc f(%x: f32[]) {\n  output y = %x\n}", "m.txt");
  std::string said;
  try {
    bind_dims(module, *module.functions[0], {});
  } catch (const UserError& error) {
    said = error.what();
  }
  CHECK(said == "error[input_count]: function `f` takes 1 inputs and is given 0");
}

}  // namespace cohort
