// Operator tests: files under tests/ops that hold functions in the text form and what calls of them give.
// tests/ops/README.md has the format. Every engine runs every call.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "ir/interpreter.h"

namespace cohort {

// One way to run a function. Errors of the user's data are UserError with the interpreter's message.
struct OpEngine {
  std::string name;
  std::function<CallResult(const Module& module, const Function& function, std::span<const Tensor> inputs,
                           std::vector<Tensor>& state)>
      run;
  // Relative distance allowed where the text says `==` and the operators are not exact; 0: bits.
  double tolerance = 0;
  // Failures bear the names of ir/diagnostics.def; else only their words are compared, as loops and compiled
  // code know nothing else.
  bool names_errors = true;
};

// Every file of tests/ops, in order.
std::vector<std::string> op_text_files();

// Runs one file on one engine, each case as a module of its own: a message for each line that does not hold,
// with file and line.
std::vector<std::string> run_op_text(const std::string& path, const OpEngine& engine);

// The cases of several files as one module, for engines that take long to prepare one: names of the k-th case
// begin with "case<k>.".
class JoinedOpTexts {
 public:
  explicit JoinedOpTexts(const std::vector<std::string>& paths);  // throws where a case does not parse
  const Module& module() const { return module_; }
  std::vector<std::string> run(const OpEngine& engine) const;

 private:
  std::vector<std::string> paths_;
  Module module_;
};

}  // namespace cohort
