// Runs one file of tests/errors: makes its files in a folder of its own, does what it says, gives what is
// said.
#pragma once

#include <string>

namespace cohort {

std::string run_situation(const std::string& input);

}  // namespace cohort
