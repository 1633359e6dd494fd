#include "tests/support/op_text.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "ir/diagnostics.h"
#include "ir/files.h"
#include "ir/number_text.h"
#include "ir/text_cursor.h"
#include "ir/text_parser.h"
#include "ir/text_printer.h"
#include "tests/support/custom_functions.h"
#include "tests/support/join_modules.h"

namespace cohort {
namespace {

struct Check {
  int line;
  std::string_view text;  // of the whole file, from "run:" or "fails:" on
};
struct Case {
  int line = 0;  // where its module text begins
  std::string text;
  std::vector<Check> checks;
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  return text;
}

// A case is some lines of text form followed by its checks; the next line of text form begins another.
std::vector<Case> split(std::string_view file) {
  std::vector<Case> cases;
  int number = 0;
  while (!file.empty()) {
    ++number;
    std::size_t end = std::min(file.find('\n'), file.size());
    std::string_view line = file.substr(0, end);
    file.remove_prefix(std::min(end + 1, file.size()));
    if (line.starts_with("run:") || line.starts_with("fails:")) {
      if (cases.empty()) cases.emplace_back();
      cases.back().checks.push_back({number, line});
      continue;
    }
    const bool is_blank = trimmed(line).empty() || trimmed(line).starts_with('#');
    if (!is_blank && (cases.empty() || !cases.back().checks.empty())) {
      cases.emplace_back();
      cases.back().line = number;
    }
    if (!cases.empty() && cases.back().checks.empty()) (cases.back().text += line) += '\n';
  }
  return cases;
}

// A tensor of `dtype` whose extents the nesting of its lists gives. An empty list has one axis, of extent 0,
// unless `declared` says more.
class LooseData {
 public:
  LooseData(TextCursor& cursor, DType dtype) : cursor_(cursor), dtype_(dtype) {}

  Tensor read(const Extents* declared) {
    value(0);
    if (elements_.empty() && declared) extents_ = *declared;
    Tensor tensor(dtype_, extents_);
    if (tensor.size() != static_cast<std::int64_t>(elements_.size()))
      cursor_.fail_expected("lists of equal lengths");
    for (std::int64_t i = 0; i < tensor.size(); ++i)
      set_tensor_element(tensor, i, elements_[static_cast<std::size_t>(i)]);
    return tensor;
  }

 private:
  void value(std::size_t depth) {
    if (!cursor_.accept("[")) {
      const Location where = cursor_.location();
      std::string_view text = cursor_.number();
      Scalar scalar;
      NumberFault fault = parse_number(text, dtype_, scalar);
      if (fault != NumberFault::kNone) throw UserError(number_diagnostic(fault, where, text, dtype_));
      elements_.push_back(scalar);
      return;
    }
    std::int64_t count = 0;
    if (extents_.size() <= depth) extents_.push_back(-1);
    while (!cursor_.accept("]")) {
      value(depth + 1);
      ++count;
      if (!cursor_.sees("]")) cursor_.expect(",");
    }
    if (extents_[depth] >= 0 && extents_[depth] != count) cursor_.fail_expected("lists of equal lengths");
    extents_[depth] = count;
  }

  TextCursor& cursor_;
  DType dtype_;
  Extents extents_;
  std::vector<Scalar> elements_;
};

Tensor read_value(TextCursor& cursor, const Type& type) {
  Extents extents;
  for (const Dim& dim : type.shape) extents.push_back(dim.is_constant() ? dim.offset : 0);
  return LooseData(cursor, type.dtype).read(&extents);
}

// Relative distance that `=~` allows, by dtype: expected values are given to about as many digits.
double digits_of(DType dtype) {
  switch (dtype) {
    case DType::kF64:
      return 1e-12;
    case DType::kF32:
      return 1e-6;
    case DType::kF16:
      return 2e-3;
    case DType::kBF16:
      return 2e-2;
    default:
      return 0;
  }
}

bool agrees(const Tensor& expected, const Tensor& got, double tolerance) {
  if (expected.dtype() != got.dtype() || expected.extents() != got.extents()) return false;
  for (std::int64_t i = 0; i < got.size(); ++i) {
    const Scalar a = tensor_element(expected, i);
    const Scalar b = tensor_element(got, i);
    if (a == b) continue;
    if (!is_float(a.dtype)) return false;
    const double x = scalar_as_double(a);
    const double y = scalar_as_double(b);
    if (std::isnan(x) && std::isnan(y)) continue;
    // Infinities and the signs of zeros are never a matter of rounding.
    const bool is_close = std::fabs(x - y) <= tolerance * std::fabs(x) && x != 0 && std::isfinite(x);
    if (tolerance == 0 || !is_close) return false;
  }
  return true;
}

// The text form, each line where it stands in the file; the header is implied.
Module parse(const Case& each, const std::string& path) {
  std::string text = "module ops " + std::string(static_cast<std::size_t>(std::max(each.line - 1, 0)), '\n');
  return parse_text(text + each.text, path, test::custom_functions());
}

// Runs the checks of cases on one engine. In `module` the case's names begin with `prefix`, which messages
// and errors leave out.
class Runner {
 public:
  Runner(const std::string& path, const OpEngine& engine, std::vector<std::string>& messages)
      : path_(path), engine_(engine), messages_(messages) {}

  void run(const Case& each, const Module& module, const std::string& prefix) {
    module_ = &module;
    prefix_ = prefix;
    state_ = initial_state(module);
    for (const Check& check : each.checks) {
      line_ = check.line;
      try {
        run(check);
      } catch (const UserError& error) {
        say(error.what());
      }
    }
  }

 private:
  void say(const std::string& message) {
    messages_.push_back(fmt::format("{}:{}: {}: {}", path_, line_, engine_.name, message));
  }

  void run(const Check& check) {
    TextCursor cursor(check.text, fmt::format("{}:{}", path_, line_));
    const bool should_fail = cursor.accept("fails:");
    if (!should_fail) cursor.expect("run:");
    const std::string name = cursor.name();
    const Function* function = nullptr;
    for (const auto& each : module_->functions) {
      if (each->name == prefix_ + name) function = each.get();
    }
    if (!function) return say(fmt::format("there is no function `{}`", name));
    std::vector<Tensor> inputs;
    cursor.expect("(");
    for (ValueId input : function->inputs) {
      if (!inputs.empty()) cursor.expect(",");
      inputs.push_back(read_value(cursor, function->type(input)));
    }
    cursor.expect(")");
    std::string error;
    CallResult result;
    try {
      result = engine_.run(*module_, *function, inputs, state_);
    } catch (const UserError& thrown) {
      error = without_prefix(to_string(thrown.diagnostics().front()));
    }
    if (should_fail) return compare_error(cursor, error);
    if (!error.empty()) return say(error);
    compare(cursor, *function, result);
  }

  std::string without_prefix(std::string text) const {
    for (std::size_t at = 0; !prefix_.empty() && (at = text.find(prefix_, at)) != text.npos;)
      text.erase(at, prefix_.size());
    return text;
  }

  void compare_error(TextCursor& cursor, const std::string& error) {
    cursor.expect("with");
    std::string expected(trimmed(cursor.rest_of_line()));
    const std::size_t words = expected.find("]: ");
    if (!engine_.names_errors && words != expected.npos) expected.erase(0, words + 3);
    if (error.empty())
      say("the call does not fail");
    else if (error.find(expected) == error.npos)
      say(fmt::format("expected `{}`, got `{}`", expected, error));
  }

  // `== r0, r1, @state = v, printed "..."`
  void compare(TextCursor& cursor, const Function& function, const CallResult& result) {
    const bool is_close = cursor.accept("=~");
    if (!is_close) cursor.expect("==");
    std::size_t output = 0;
    std::string printed;
    while (!cursor.at_end()) {
      if (cursor.accept_word("printed")) {
        printed = cursor.quoted();
      } else if (cursor.accept("@")) {
        const std::string name = cursor.name();
        cursor.expect("=");
        std::size_t id = 0;
        while (id < module_->states.size() && module_->states[id].name != prefix_ + name) ++id;
        if (id == module_->states.size()) return say(fmt::format("there is no state `{}`", name));
        compare(read_value(cursor, module_->states[id].type), state_[id], is_close, "@" + name);
      } else if (output < function.outputs.size()) {
        const Type& type = function.type(function.outputs[output].value);
        compare(read_value(cursor, type), result.outputs[output], is_close, function.outputs[output].name);
        ++output;
      } else {
        cursor.fail_expected("the end of the line");
      }
      if (!cursor.at_end()) cursor.expect(",");
    }
    if (output != function.outputs.size())
      say(fmt::format("{} results are not checked", function.outputs.size() - output));
    if (printed != result.printed) say(fmt::format("printed `{}`", result.printed));
  }

  void compare(const Tensor& expected, const Tensor& got, bool is_close, const std::string& name) {
    const double tolerance = std::max(engine_.tolerance, is_close ? digits_of(got.dtype()) : 0);
    if (agrees(expected, got, tolerance)) return;
    say(fmt::format("`{}` is {} {}, expected {} {}", name, shape(got), data_text(got), shape(expected),
                    data_text(expected)));
  }

  static std::string shape(const Tensor& tensor) {
    Type type{tensor.dtype(), Shape(tensor.extents().begin(), tensor.extents().end())};
    return to_string(type, {});
  }

  const std::string& path_;
  const OpEngine& engine_;
  std::vector<std::string>& messages_;
  const Module* module_ = nullptr;
  std::string prefix_;
  std::vector<Tensor> state_;
  int line_ = 0;
};

std::string shown_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

std::string case_prefix(std::size_t number) { return fmt::format("case{}.", number); }

}  // namespace

std::vector<std::string> op_text_files() {
  std::vector<std::string> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(COHORT_SOURCE_DIR) / "tests" / "ops"))
    if (entry.path().extension() == ".txt" && !test::is_skipped(entry.path().string()))
      files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> run_op_text(const std::string& path, const OpEngine& engine) {
  std::vector<std::string> messages;
  const std::string shown = shown_name(path), text = read_file(path);
  Runner runner(shown, engine, messages);
  bool has_checks = false;
  for (const Case& each : split(text)) {
    try {
      runner.run(each, parse(each, shown), "");
    } catch (const UserError& error) {
      messages.push_back(error.what());
    }
    has_checks |= !each.checks.empty();
    if (each.checks.empty()) messages.push_back(fmt::format("{}:{}: nothing is checked", shown, each.line));
  }
  if (!has_checks) messages.push_back(shown + ": the file checks nothing");
  return messages;
}

JoinedOpTexts::JoinedOpTexts(const std::vector<std::string>& paths) : paths_(paths) {
  module_.name = "ops";
  std::size_t number = 0;
  for (const std::string& path : paths_) {
    const std::string text = read_file(path);
    for (const Case& each : split(text))
      join_module(module_, parse(each, shown_name(path)), case_prefix(number++));
  }
}

std::vector<std::string> JoinedOpTexts::run(const OpEngine& engine) const {
  std::vector<std::string> messages;
  std::size_t number = 0;
  for (const std::string& path : paths_) {
    const std::string shown = shown_name(path), text = read_file(path);
    Runner runner(shown, engine, messages);
    for (const Case& each : split(text)) runner.run(each, module_, case_prefix(number++));
  }
  return messages;
}

}  // namespace cohort
