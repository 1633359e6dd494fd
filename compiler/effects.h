// Which nodes do something the user can see beside computing their results.
#pragma once

#include "ir/op_def.h"

namespace cohort {

// `print` and `assert`: such a node is kept though nothing reads it, is never merged with another and never
// folded. An index out of range is no effect: what is not computed reports nothing.
bool has_effect(const OpDef& op);
bool has_effect(const Node& node);  // its own, or of something in its regions

}  // namespace cohort
