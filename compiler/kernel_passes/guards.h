// What orders kernels beyond the data they pass: checks that may fail, prints, state.
#pragma once

#include "ir/kernel.h"

namespace cohort::kernel {

struct Guards {
  bool checks = false;  // may fail
  bool prints = false;  // prints or asserts
  bool writes_state = false;
  bool guarded = false;  // uses an index that was computed from data: some check before it has allowed that
};
Guards guards_of(const Program& program, const std::vector<Stmt>& body);

}  // namespace cohort::kernel
