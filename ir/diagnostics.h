// What is said to the user. Every message is one row of diagnostics.def and has a test; errors in the user's
// graph or files are UserError, the only exception that crosses rooms; defects of ours are internal_error.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace cohort {

enum class DiagId : unsigned short {
#define DIAG(id, category, text) id,
#include "ir/diagnostics.def"
#undef DIAG
};

// The exit code a kind of error leads to.
enum class Category : unsigned char { kGraph = 1, kUsage = 2, kFile = 3, kHostCompiler = 4, kDifference = 5 };

std::string_view diagnostic_name(DiagId id);  // "unknown_operator"
std::string_view diagnostic_text(DiagId id);  // its fmt format string
Category diagnostic_category(DiagId id);

// A place in a file of the user's; line and column count from 1, 0 means none.
struct Location {
  std::string file;
  int line = 0;
  int column = 0;
  bool operator==(const Location&) const = default;
};
std::string to_string(const Location& location);  // "toy.json:3:7"

struct Diagnostic {
  DiagId id;
  Location location;
  std::string message;
  std::vector<std::string> notes;  // where it comes from
  std::string hint;                // what to do, last
};
// "file:line:col: error[name]: message", then notes and the hint, each on a line.
std::string to_string(const Diagnostic& diagnostic);

class UserError : public std::runtime_error {
 public:
  explicit UserError(Diagnostic diagnostic);
  explicit UserError(std::vector<Diagnostic> diagnostics);
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }
  std::vector<Diagnostic>& diagnostics() { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
};

// diagnostic(DiagId::kUnknownOperator, location, "tahn"): fills the row's text.
template <typename... Args>
Diagnostic diagnostic(DiagId id, Location location, const Args&... args) {
  return {id, std::move(location), fmt::format(fmt::runtime(diagnostic_text(id)), args...), {}, {}};
}
template <typename... Args>
[[noreturn]] void fail(DiagId id, const Args&... args) {
  throw UserError(diagnostic(id, Location{}, args...));
}

// A defect of ours; the tool reports it with exit code 70.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};
[[noreturn]] void internal_error(const std::string& what);
// Checks a claim that holds unless we have a defect.
inline void require(bool claim, const char* what) {
  if (!claim) internal_error(what);
}

// The known name nearest to a misspelt one (edit distance), or empty if none is near.
std::string nearest_name(std::string_view name, const std::vector<std::string_view>& known);

}  // namespace cohort
