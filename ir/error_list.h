// Collects the errors of one run, so that the user sees all of them at once, up to a limit.
#pragma once

#include <vector>

#include "ir/diagnostics.h"

namespace cohort {

class ErrorList {
 public:
  static constexpr std::size_t kLimit = 100;

  void add(Diagnostic diagnostic);
  // Every diagnostic of `error`; those without a position of their own get `location`, and all of them
  // `notes`.
  void add(const UserError& error, const Location& location, const std::vector<std::string>& notes = {});
  bool empty() const { return diagnostics_.empty(); }
  // Nothing more is kept; readers may stop.
  bool full() const { return diagnostics_.size() >= kLimit; }
  std::size_t size() const { return diagnostics_.size(); }
  // Throws one UserError with everything collected, ordered by position, if there is anything.
  void throw_if_any();

 private:
  std::vector<Diagnostic> diagnostics_;
};

}  // namespace cohort
