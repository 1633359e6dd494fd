#include "ir/ops/einsum_equation.h"

#include <algorithm>
#include <cctype>
#include <string>

#include "ir/diagnostics.h"

namespace cohort {

namespace {

[[noreturn]] void refuse(const std::string& what) {
  fail(DiagId::kWrongAttribute, "einsum", "equation", what);
}

std::string without_spaces(std::string_view text) {
  std::string result;
  for (const char c : text)
    if (c != ' ') result += c;
  return result;
}

// The labels of one term whose ellipsis, if any, stands for `ellipsis` axes.
std::vector<Label> labels_of(std::string_view term, int ellipsis) {
  std::vector<Label> labels;
  for (std::size_t i = 0; i < term.size(); ++i) {
    if (term.substr(i, 3) == "...") {
      for (int axis = ellipsis; axis-- > 0;) labels.push_back(kEllipsis + axis);
      i += 2;
    } else if (std::isalpha(static_cast<unsigned char>(term[i]))) {
      labels.push_back(term[i]);
    } else {
      refuse(fmt::format("contains `{}`, which is no letter", term[i]));
    }
  }
  return labels;
}

bool has_ellipsis(std::string_view term) { return term.find("...") != std::string_view::npos; }

int letters_in(std::string_view term) { return static_cast<int>(labels_of(term, 0).size()); }

std::vector<std::string> split_terms(const std::string& text) {
  std::vector<std::string> terms{""};
  for (const char c : text) {
    if (c == ',')
      terms.emplace_back();
    else
      terms.back() += c;
  }
  return terms;
}

// Labels that stand exactly once: those of the ellipsis always, letters in order.
std::vector<Label> implied_result(const std::vector<std::vector<Label>>& operands, int ellipsis) {
  std::vector<Label> all;
  for (const std::vector<Label>& labels : operands) all.insert(all.end(), labels.begin(), labels.end());
  std::sort(all.begin(), all.end());
  std::vector<Label> result = labels_of("...", ellipsis);
  for (const Label label : all)
    if (label < kEllipsis && std::count(all.begin(), all.end(), label) == 1) result.push_back(label);
  return result;
}

void check_result(const EinsumEquation& equation) {
  for (const Label label : equation.result) {
    const auto has = [&](const std::vector<Label>& labels) {
      return std::find(labels.begin(), labels.end(), label) != labels.end();
    };
    const std::string name = label >= kEllipsis ? "..." : std::string(1, static_cast<char>(label));
    if (std::count(equation.result.begin(), equation.result.end(), label) > 1)
      refuse(fmt::format("names `{}` twice in the result", name));
    if (std::none_of(equation.operands.begin(), equation.operands.end(), has))
      refuse(fmt::format("has `{}` in the result and in no operand", name));
  }
}

}  // namespace

EinsumEquation parse_einsum(std::string_view text, std::span<const Type> operands) {
  const std::string compact = without_spaces(text);
  const std::size_t arrow = compact.find("->");
  const std::vector<std::string> terms = split_terms(compact.substr(0, arrow));
  if (terms.size() != operands.size())
    refuse(fmt::format("has {} terms for {} operands", terms.size(), operands.size()));
  EinsumEquation equation;
  int most = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const int letters = letters_in(terms[i]), rank = operands[i].rank();
    if (has_ellipsis(terms[i]) ? letters > rank : letters != rank)
      refuse(fmt::format("has the term `{}` for operand {}, which has rank {}", terms[i], i, rank));
    equation.operands.push_back(labels_of(terms[i], rank - letters));
    if (has_ellipsis(terms[i])) most = std::max(most, rank - letters);
  }
  if (arrow == std::string::npos) {
    equation.result = implied_result(equation.operands, most);
  } else {
    const std::string result = compact.substr(arrow + 2);
    if (!has_ellipsis(result) && most > 0)
      refuse("sums over the axes of an ellipsis, which the result must have");
    equation.result = labels_of(result, most);
  }
  check_result(equation);
  return equation;
}

}  // namespace cohort
