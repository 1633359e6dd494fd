// Differentiating `scan`.
#pragma once

#include "ir/op_def.h"

namespace cohort::ops {

void scan_gradient(GradientContext& context);
// The node with more outputs: the values that the backward run reads and could not compute again cheaply.
TapedNode scan_with_tape(ModuleBuilder& module, const Node& node);

}  // namespace cohort::ops
