#include "ir/error_list.h"

#include <algorithm>
#include <tuple>

namespace cohort {

void ErrorList::add(Diagnostic diagnostic) {
  if (!full()) diagnostics_.push_back(std::move(diagnostic));
}

void ErrorList::add(const UserError& error, const Location& location, const std::vector<std::string>& notes) {
  for (Diagnostic diagnostic : error.diagnostics()) {
    if (diagnostic.location.line == 0 && diagnostic.location.file.empty()) diagnostic.location = location;
    diagnostic.notes.insert(diagnostic.notes.end(), notes.begin(), notes.end());
    add(std::move(diagnostic));
  }
}

void ErrorList::throw_if_any() {
  if (diagnostics_.empty()) return;
  auto place = [](const Diagnostic& d) {
    return std::tie(d.location.file, d.location.line, d.location.column);
  };
  std::stable_sort(diagnostics_.begin(), diagnostics_.end(),
                   [&](const Diagnostic& a, const Diagnostic& b) { return place(a) < place(b); });
  if (full()) {
    diagnostics_.resize(kLimit);
    diagnostics_.push_back(diagnostic(DiagId::kTooManyErrors, diagnostics_.back().location, kLimit));
  }
  throw UserError(std::move(diagnostics_));
}

}  // namespace cohort
