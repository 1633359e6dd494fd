// Functions of the user's in tests: read by the shared object of the build, where it is built with LLVM.
#pragma once

#include "ir/custom_function.h"

namespace cohort::test {

// Headers are sought in tests/ops. Null where there is no LLVM; tests that need it are left out then.
CustomReader custom_functions();

// Whether a test file needs it.
bool is_skipped(const std::string& path);

}  // namespace cohort::test
