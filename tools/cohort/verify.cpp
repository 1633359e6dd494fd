// cohort verify: builds the module and compares every function with the interpreter, on everyday and on
// special values.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "compiler/pass.h"
#include "compiler/pipeline.h"
#include "compiler/run_passes.h"
#include "compiler/sample.h"
#include "ir/diagnostics.h"
#include "tools/cohort/build_graph.h"
#include "tools/cohort/command.h"
#include "tools/cohort/compare.h"
#include "tools/cohort/engine.h"
#include "tools/cohort/input.h"
#include "tools/cohort/merge_option.h"
#include "tools/cohort/spread.h"
#include "tools/cohort/temporary_folder.h"

namespace cohort {
namespace {

struct VerifyOptions {
  GraphInput input;
  CompileOptions compile;
  std::string function, library, march = "native", fp = "strict";
  int rounds = 16, steps = 3;
  std::uint64_t seed = 1;
  double ulp = -1;  // negative: by the function's operators
};

// What one call came to: results, or the message of a run-time error.
struct Outcome {
  std::optional<CallResult> result;
  std::string error;
};

Outcome attempt(const Engine& engine, const Function& function, std::span<const Tensor> inputs,
                std::vector<Tensor>& state) {
  try {
    return {engine(function, inputs, state), {}};
  } catch (const UserError& error) {
    return {std::nullopt, error.what()};
  }
}

// The greatest distance of all values, and in which it was seen.
struct Worst {
  double ulp = 0;
  std::string name;
};

struct Report {
  Worst own, counted;   // in ulp of the element itself, and as `compare` counts
  bool grown = false;   // a value is right only for what errors grow to on the way
  std::string failure;  // the first value that lies beyond what is allowed
  int results = 0;      // calls that gave some
  std::string error;    // what one of the others said
};

// How far each element may move for the errors of inexact operators, computed when it is asked for first.
using Slack = std::function<std::span<const double>()>;

// Compares one array and notes the worst; false if it lies beyond `allowed` and the slack. Where nothing is
// allowed the sign of zero is a difference, too.
bool note(Report& report, const std::string& name, const Tensor& expected, const Tensor& got, double allowed,
          const Slack& slack, const std::string& where) {
  Difference difference = compare(expected, got);
  if (difference.index < 0) return true;
  const auto keep = [&](Worst& worst, double ulp) {
    if (ulp > worst.ulp || worst.name.empty()) worst = {ulp, name};
  };
  keep(report.own, difference.own_ulp);
  keep(report.counted, difference.worst_ulp);
  const bool is_beyond = difference.worst_ulp > allowed && allowed > 0;
  if (is_beyond) difference = compare(expected, got, slack());
  if (difference.worst_ulp <= allowed && allowed > 0) {
    report.grown = report.grown || is_beyond;
    return true;
  }
  const auto value = [&](const Tensor& t) {
    if (t.extents() != expected.extents()) return std::string("of another shape");
    return is_float(t.dtype()) ? fmt::format("{}", element_as_double(t, difference.index))
                               : fmt::format("{}", element_as_int(t, difference.index));
  };
  report.failure =
      fmt::format("`{}`{} is {}, the interpreter says {} (counted as {:.3g} ulp{}, {} allowed), {}", name,
                  index_text(expected, difference.index), value(got), value(expected), difference.worst_ulp,
                  is_beyond ? " beyond what errors grow to" : "",
                  allowed > 0 ? fmt::format("{}", allowed) : "no difference", where);
  return false;
}

// "off by at most 3 ulp in `y`", and what that counted as where it is another number.
std::string distance_text(const Report& report) {
  if (report.own.name.empty()) return report.results > 0 ? "no difference" : "";
  std::string text = fmt::format("off by at most {:.3g} ulp in `{}`", report.own.ulp, report.own.name);
  if (report.counted.ulp != report.own.ulp)
    text += fmt::format(", counted as at most {:.3g} in `{}`", report.counted.ulp, report.counted.name);
  if (report.grown) text += "; allowed for what errors grow to on the way";
  return text;
}

// What the reader of `distance_text` and of failures must know.
constexpr const char* kCounting =
    "counted: in ulp of the element, but of one below 2^-10 of its array's greatest in ulp of 2^-10 of "
    "that\n";

class Verification {
 public:
  Verification(const Module& module, const VerifyOptions& options, Engine engine)
      : module_(module),
        options_(options),
        interpreter_(interpreter_engine(module)),
        engine_(std::move(engine)) {}

  Report run(const Function& function) {
    Report report;
    const std::vector<double> allowed = limits(function);
    for (int round = 0; round < options_.rounds && report.failure.empty(); ++round)
      one_round(function, allowed, seed_of(round), report);
    return report;
  }

 private:
  // Odd seeds give everyday values: of infinities and NaN --fp=fast promises nothing.
  std::uint64_t seed_of(int round) const {
    const auto number = static_cast<std::uint64_t>(round);
    return options_.compile.fast ? (options_.seed | 1) + 2 * number : options_.seed + number;
  }
  std::vector<double> limits(const Function& function) const {
    std::vector<double> allowed = allowed_ulp(function);
    if (options_.compile.fast)
      for (double& ulp : allowed) ulp += kUlpPerOperator;
    if (options_.ulp >= 0) std::fill(allowed.begin(), allowed.end(), options_.ulp);
    return allowed;
  }

  // The same inputs through both engines for some steps; each step starts both from the interpreter's state.
  void one_round(const Function& function, const std::vector<double>& allowed, std::uint64_t seed,
                 Report& report) {
    SampleCall call = sample_call(module_, function, seed);
    std::vector<Tensor> state = seed == seed_of(0) ? initial_state(module_) : std::move(call.state);
    for (StateId s = 0; s < state.size(); ++s)
      if (!module_.states[s].is_settable) state[s] = module_.states[s].init;
    for (int step = 0; step < options_.steps; ++step) {
      std::vector<Tensor> expected_state = state, got_state = state;
      const Outcome expected = attempt(interpreter_, function, call.inputs, expected_state);
      const Outcome got = attempt(engine_, function, call.inputs, got_state);
      // What the user's own function leaves undefined is the same nowhere.
      if (expected.error.find("error[custom_undefined]") != std::string::npos) {
        report.error = expected.error;
        return;
      }
      const std::string where = fmt::format("with seed {} at step {}", seed, step + 1);
      if (expected.result.has_value() != got.result.has_value()) {
        report.failure =
            fmt::format("{}: the interpreter {}, the module {}", where, described(expected), described(got));
        return;
      }
      if (!expected.result) {
        report.error = expected.error;
        return;
      }
      ++report.results;
      Spread spread;
      const auto slack = [&](ValueId value) {
        return [&, value]() -> std::span<const double> {
          if (options_.ulp >= 0) return {};  // the user's bound is what it says
          if (spread.empty())
            spread =
                spread_of(module_, function, call.inputs, state, bind_dims(module_, function, call.inputs),
                          kUlpPerOperator, seed, options_.compile.fast);
          return spread[value];
        };
      };
      for (std::size_t i = 0; i < function.outputs.size(); ++i) {
        const ValueId value = function.outputs[i].value;
        if (!note(report, function.outputs[i].name, expected.result->outputs[i], got.result->outputs[i],
                  allowed[value], slack(value), where))
          return;
      }
      for (const Update& update : function.updates)
        if (!note(report, module_.states[update.state].name, expected_state[update.state],
                  got_state[update.state], allowed[update.value], slack(update.value), where))
          return;
      state = std::move(expected_state);
    }
  }

  static std::string described(const Outcome& outcome) {
    return outcome.result ? std::string("gives a result") : "says: " + outcome.error;
  }

  const Module& module_;
  const VerifyOptions& options_;
  Engine interpreter_, engine_;
};

int verify_graph(const VerifyOptions& options) {
  const Module module = load_graph(options.input);
  std::optional<TemporaryFolder> folder;
  std::string library = options.library;
  if (library.empty()) {
    folder.emplace();
    BuildOptions build;
    build.march = options.march;
    library = build_graph(module, options.compile, {}, build, folder->path()).library;
  }
  // The rules that gain accuracy (log(1 + exp(x)) becomes softplus) change values on purpose: the interpreter
  // runs what they make of the graph.
  std::vector<std::string> accurate;
  for (const Pass& pass : all_passes())
    if (pass.exactness == Exactness::kAccuracy) accurate.emplace_back(pass.name);
  const Module reference = run_passes(without_applied_functions(module), accurate, {});
  Verification verification(reference, options, library_engine(reference, library));
  bool good = true, counts = false;
  for (const auto& function : reference.functions) {
    if (!options.function.empty() && function->name != options.function) continue;
    const Report report = verification.run(*function);
    good = good && report.failure.empty();
    counts = counts || !report.failure.empty() || report.own.ulp != report.counted.ulp;
    fmt::print("{:<24} {} {}\n", function->name, report.failure.empty() ? "ok  " : "FAIL",
               distance_text(report));
    if (!report.failure.empty())
      fmt::print("  {}\n", report.failure);
    else if (report.results == 0)
      fmt::print("  nothing is compared: every call fails in both, such as {}\n", report.error);
  }
  if (counts) fmt::print(kCounting);
  return good ? kExitOk : kExitDifference;
}

}  // namespace

Action declare_verify(CLI::App& app) {
  auto options = std::make_shared<VerifyOptions>();
  app.add_option("graph", options->input.path, "graph file")->required();
  app.add_option("--function", options->function, "only this function");
  app.add_option("--module", options->library,
                 "a library built before; default: built now in a temporary folder")
      ->check(CLI::ExistingFile);
  app.add_option("--rounds", options->rounds, "how many sets of inputs")->check(CLI::PositiveNumber);
  app.add_option("--steps", options->steps, "calls for each set of inputs")->check(CLI::PositiveNumber);
  app.add_option("--seed", options->seed, "the first set's seed");
  app.add_option("--fp", options->fp, "what the module is built with; fast allows sums in another order")
      ->check(CLI::IsMember({"strict", "fast"}));
  add_merge_option(app, options->compile.merge);
  app.add_option("--march", options->march, "instruction set to build for; default: this machine's");
  app.add_option("--ulp", options->ulp,
                 "allowed difference; default: 0 where all operators are exact, else 16 for "
                 "each inexact operator on the longest path, times what errors grow by on the way");
  add_allow_path(app, options->input.allow_path);
  return [options] {
    options->compile.fast = options->fp == "fast";
    return verify_graph(*options);
  };
}

}  // namespace cohort
