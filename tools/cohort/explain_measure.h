// `cohort explain --measure`: what merging gains on this machine.
#pragma once

#include <string>

#include "tools/cohort/explain_report.h"

namespace cohort {

// Builds the module with the options and with --merge=off, on one thread, and times every function (or the
// one that is named) in interleaved rounds, on sample inputs and from the initial state. By function: medians
// of one call and their ratio.
Json measure_merging(const Module& module, const CompileOptions& options, const std::string& function);

}  // namespace cohort
