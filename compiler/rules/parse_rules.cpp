// Reads .rules files; the grammar is at the top of rule.h.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>

#include "compiler/rules/conditions.h"
#include "compiler/rules/rule.h"
#include "ir/diagnostics.h"

namespace cohort {

namespace {

class RuleParser {
 public:
  explicit RuleParser(std::string_view line) : line_(line) {
    rule_.text = line;
  }  // `line` outlives the parser

  Rule parse() {
    while (!at(":") && at_ < line_.size()) rule_.name += line_[at_++];
    expect(":");
    rule_.pattern = expr();
    expect("=>");
    rule_.replacement = expr();
    if (accept("where")) {
      do rule_.conditions.push_back(condition());
      while (accept(","));
    }
    if (accept("[")) {
      rule_.exactness = exactness(word());
      expect("]");
    }
    if (skip_space(), at_ != line_.size()) wrong("nothing more is expected");
    if (rule_.pattern.kind != RuleExpr::Kind::kOp) wrong("a pattern begins with an operator");
    return std::move(rule_);
  }

 private:
  [[noreturn]] void wrong(const char* what) const {
    internal_error(fmt::format("rule `{}`, column {}: {}", line_, at_ + 1, what));
  }
  void skip_space() {
    while (at_ < line_.size() && line_[at_] == ' ') ++at_;
  }
  bool at(std::string_view token) const { return line_.substr(at_).starts_with(token); }
  bool accept(std::string_view token) {
    skip_space();
    if (!at(token)) return false;
    at_ += token.size();
    return true;
  }
  void expect(std::string_view token) {
    if (!accept(token)) wrong("another token is expected");
  }
  std::string word() {
    skip_space();
    std::string text;
    while (at_ < line_.size() && (std::isalnum(static_cast<unsigned char>(line_[at_])) || line_[at_] == '_'))
      text += line_[at_++];
    if (text.empty()) wrong("a word is expected");
    return text;
  }

  Exactness exactness(const std::string& mark) const {
    if (mark == "exact") return Exactness::kExact;
    if (mark == "accuracy") return Exactness::kAccuracy;
    if (mark == "fast") return Exactness::kFast;
    wrong("the mark is none of exact, accuracy, fast");
  }

  static int index_of(std::vector<std::string>& names, const std::string& name) {
    const auto it = std::find(names.begin(), names.end(), name);
    if (it != names.end()) return static_cast<int>(it - names.begin());
    names.push_back(name);
    return static_cast<int>(names.size()) - 1;
  }

  RuleExpr expr() {
    skip_space();
    if (at_ < line_.size() && (std::isdigit(static_cast<unsigned char>(line_[at_])) || line_[at_] == '-'))
      return number();
    const std::string name = word();
    if (accept("(")) return operation(name);
    const double inf = std::numeric_limits<double>::infinity();
    if (name == "true" || name == "false")
      return {.kind = RuleExpr::Kind::kLiteral, .number = name == "true" ? 1.0 : 0.0, .is_truth = true};
    if (name == "inf") return {.kind = RuleExpr::Kind::kLiteral, .number = inf};
    if (name == "nan")
      return {.kind = RuleExpr::Kind::kLiteral, .number = std::numeric_limits<double>::quiet_NaN()};
    return {.kind = RuleExpr::Kind::kVariable, .variable = index_of(rule_.variables, name)};
  }

  RuleExpr number() {
    if (accept("-inf"))
      return {.kind = RuleExpr::Kind::kLiteral, .number = -std::numeric_limits<double>::infinity()};
    double value = 0;
    const auto [end, error] = std::from_chars(line_.data() + at_, line_.data() + line_.size(), value);
    if (error != std::errc{}) wrong("a number is expected");
    at_ = static_cast<std::size_t>(end - line_.data());
    return {.kind = RuleExpr::Kind::kLiteral, .number = value};
  }

  RuleExpr operation(const std::string& name) {
    RuleExpr result{.kind = RuleExpr::Kind::kOp, .op = find_op(name)};
    if (!result.op) wrong("no such operator");
    if (!accept(")")) {
      do result.args.push_back(expr());
      while (accept(","));
      expect(")");
    }
    const auto count = static_cast<int>(result.args.size());
    if (count < result.op->min_inputs || count > result.op->max_inputs) wrong("wrong number of operands");
    if (accept("{")) {
      do result.attrs.push_back(attr(*result.op));
      while (accept(","));
      expect("}");
    }
    return result;
  }

  AttrPattern attr(const OpDef& op) {
    AttrPattern result{.name = word()};
    if (std::none_of(op.attrs.begin(), op.attrs.end(),
                     [&](const AttrSpec& s) { return s.name == result.name; }))
      wrong("no such attribute");
    expect("=");
    if (accept("[")) {
      expect("$");
      result.kind = AttrPattern::Kind::kOnlyEntry;
      result.variable = index_of(rule_.attr_variables, word());
      expect("]");
    } else if (accept("$")) {
      result.kind = AttrPattern::Kind::kVariable;
      result.variable = index_of(rule_.attr_variables, word());
    } else {
      result.value = attr_value();
    }
    return result;
  }

  Attr attr_value() {
    const std::string text = word();
    if (text == "true" || text == "false") return text == "true";
    if (const auto dtype = parse_dtype(text)) return *dtype;
    std::int64_t value = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc{})
      wrong("no value of an attribute");
    return value;
  }

  Condition condition() {
    Condition result{.kind = find_condition(word())};
    if (!result.kind) wrong("no such condition");
    expect("(");
    result.variable = index_of(rule_.variables, word());
    if (accept(",")) {
      expect("$");
      result.attr_variable = index_of(rule_.attr_variables, word());
    }
    expect(")");
    return result;
  }

  std::string_view line_;
  std::size_t at_ = 0;
  Rule rule_;
};

}  // namespace

std::vector<Rule> parse_rules(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line = line.substr(0, line.find('#'));
    while (!line.empty() && line.back() == ' ') line.remove_suffix(1);
    if (line.empty()) continue;
    if (line.front() == ' ' && !lines.empty())
      lines.back() += line;
    else
      lines.emplace_back(line);
  }
  std::vector<Rule> rules;
  for (const std::string& line : lines) rules.push_back(RuleParser(line).parse());
  return rules;
}

// Written by cmake/embed_rules.cmake.
extern const std::string_view kRulesText;

std::span<const Rule> all_rules() {
  static const std::vector<Rule> rules = parse_rules(kRulesText);
  return rules;
}

}  // namespace cohort
