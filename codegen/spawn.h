// Runs a program with an argument vector (no shell, so no quoting) and collects what it writes.
#pragma once

#include <string>
#include <vector>

namespace cohort {

struct ProcessResult {
  int exit_code = 0;   // 128 + n if signal n ended it; 127 if it could not be started
  std::string output;  // standard output and standard error together
};

// The first word is the program, sought in PATH. `directory`: where it runs; empty for here.
ProcessResult run_process(const std::vector<std::string>& command, const std::string& directory = {});

}  // namespace cohort
