#include "ir/diagnostics.h"

#include <algorithm>

namespace cohort {

namespace {

struct Row {
  std::string_view id;
  Category category;
  std::string_view text;
};
constexpr Row kRows[] = {
#define DIAG(id, category, text) {#id, Category::category, text},
#include "ir/diagnostics.def"
#undef DIAG
};

const Row& row(DiagId id) { return kRows[static_cast<std::size_t>(id)]; }

// "kUnknownOperator" -> "unknown_operator", once for all rows.
std::vector<std::string> names() {
  std::vector<std::string> result;
  for (const Row& r : kRows) {
    std::string name;
    for (std::size_t i = 1; i < r.id.size(); ++i) {
      const char c = r.id[i];
      const bool upper = c >= 'A' && c <= 'Z';
      const bool after_lower = i > 1 && !(r.id[i - 1] >= 'A' && r.id[i - 1] <= 'Z');
      if (upper && after_lower) name += '_';
      name += upper ? static_cast<char>(c - 'A' + 'a') : c;
    }
    result.push_back(std::move(name));
  }
  return result;
}

std::string joined(const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (const Diagnostic& d : diagnostics) text += (text.empty() ? "" : "\n") + to_string(d);
  return text;
}

}  // namespace

std::string_view diagnostic_name(DiagId id) {
  static const std::vector<std::string> kNames = names();
  return kNames[static_cast<std::size_t>(id)];
}
std::string_view diagnostic_text(DiagId id) { return row(id).text; }
Category diagnostic_category(DiagId id) { return row(id).category; }

std::string to_string(const Location& location) {
  std::string text = location.file;
  if (location.line > 0) text += fmt::format(":{}:{}", location.line, location.column);
  return text;
}

std::string to_string(const Diagnostic& d) {
  std::string text = to_string(d.location);
  if (!text.empty()) text += ": ";
  text += fmt::format("error[{}]: {}", diagnostic_name(d.id), d.message);
  for (const std::string& note : d.notes) text += "\n  note: " + note;
  if (!d.hint.empty()) text += "\n  hint: " + d.hint;
  return text;
}

UserError::UserError(Diagnostic diagnostic) : UserError(std::vector<Diagnostic>{std::move(diagnostic)}) {}
UserError::UserError(std::vector<Diagnostic> diagnostics)
    : std::runtime_error(joined(diagnostics)), diagnostics_(std::move(diagnostics)) {}

void internal_error(const std::string& what) { throw InternalError(what); }

std::string nearest_name(std::string_view name, const std::vector<std::string_view>& known) {
  std::string best;
  // At most two letters or a third may differ, and half of a short name must stay.
  std::size_t best_distance = 1 + std::min(std::max<std::size_t>(2, name.size() / 3), name.size() / 2);
  std::vector<std::size_t> row(name.size() + 1);
  for (const std::string_view candidate : known) {
    for (std::size_t j = 0; j <= name.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= candidate.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i;
      for (std::size_t j = 1; j <= name.size(); ++j) {
        const std::size_t substitute = diagonal + (candidate[i - 1] != name[j - 1]);
        diagonal = row[j];
        row[j] = std::min({substitute, row[j] + 1, row[j - 1] + 1});
      }
    }
    if (row[name.size()] < best_distance) {
      best_distance = row[name.size()];
      best = candidate;
    }
  }
  return best;
}

}  // namespace cohort
