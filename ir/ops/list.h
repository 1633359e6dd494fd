// The structured operators: op_<name>() gives the definition of each line of list.def.
#pragma once

#include "ir/op_def.h"

namespace cohort {

#define STRUCTURED(name) const OpDef& op_##name();
#include "ir/ops/list.def"

}  // namespace cohort
