#include "compiler/effects.h"

namespace cohort {

bool has_effect(const OpDef& op) { return op.name == "print" || op.name == "assert"; }

}  // namespace cohort
