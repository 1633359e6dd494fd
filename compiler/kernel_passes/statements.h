// Statements as passes write them.
#pragma once

#include "ir/kernel.h"

namespace cohort::kernel {

Stmt let(VarId var, ExprRef value);
// Over a variable of its own, without a body.
Stmt for_loop(Program& program, ExprRef extent, LoopMode mode);
// Adds a `let` and gives its variable; what is a constant or a variable stays as it is.
ExprRef add_let(Program& program, std::vector<Stmt>& body, ExprRef value);

}  // namespace cohort::kernel
