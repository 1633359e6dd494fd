// Which arrays a long vector loop reads and writes one after the other, so that it can ask for what it will
// need before it needs it.
#pragma once

#include <string>
#include <vector>

#include "codegen/emit_expr.h"
#include "ir/kernel.h"

namespace cohort {

// The positions ("x", "x + row") from which the loop, whose lanes `exprs` is in, walks through arrays; none
// if all it touches fits into a core's own cache, where asking ahead only costs. Long chains of arithmetic
// fill a processor's window before the loads of later iterations are seen, and hardware stops at page
// borders: measured 1.5 times as fast on tanh(a*x+b)*sigmoid(c*x) over 10^7 f32 (tools/bench/chain.py).
std::vector<std::string> walked_arrays(const kernel::Stmt& loop, const kernel::Program& program,
                                       const ExprPrinter& exprs);

}  // namespace cohort
