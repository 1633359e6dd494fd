// Operator tests: files under tests/ops that hold functions in the text form and what calls of them give.
// tests/ops/ README.md has the format. Every engine runs every call.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ir/interpreter.h"

namespace cohort {

// One way to run a function. Errors of the user's data are UserError with the interpreter's message.
struct Engine {
  std::string_view name;
  CallResult (*run)(const Module& module, const Function& function, std::span<const Tensor> inputs,
                    std::vector<Tensor>& state);
  // Relative distance allowed where the text says `==` and the operators are not exact; 0: bits.
  double tolerance = 0;
  // Failures bear the names of ir/diagnostics.def; else only their words are compared, as loops know nothing
  // else.
  bool names_errors = true;
};

// engines.cpp: add yours there.
std::span<const Engine> engines();

// Runs one file on one engine: a message for each line that does not hold, with file and line.
std::vector<std::string> run_op_text(const std::string& path, const Engine& engine);

}  // namespace cohort
