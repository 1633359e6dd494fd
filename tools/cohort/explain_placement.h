// `cohort explain --placement`: what runs on the GPU, why, and what it would cost otherwise.
#pragma once

#include "tools/cohort/explain_report.h"

namespace cohort {

// The whole module's; times in microseconds. tools/README.md says what the members mean.
Json explain_placement(const CompiledModule& compiled);
void print_placement(const Json& placement);

}  // namespace cohort
