// Reverse mode: from the cotangents of some values of a function to those of others.
//
//   y = exp(x)                       y = exp(x)
//   z = y * w                  =>    z = y * w
//   seed: 1 at z                     grad_y = 1 * w,  grad_w = 1 * y
//                                    grad_x = grad_y * y
//
// One walk over the nodes from the last to the first. A node counts if a cotangent has reached a result and
// an input moves with what is differentiated by; its operator's rule (ir/gradient.h) adds to the inputs'.
//
// Note [masks]: a branch that `where` did not take must not be heard of, though its slope may be infinite or
// NaN: where(x > 0, sqrt(x), 0) has slope 0 at 0, and 0 * inf is NaN. So the rule of `where` does not put
// zeros into the cotangent. It hands it on with a mask, through elementwise nodes of the same shape, and the
// mask is applied where contributions are summed, reshaped or reach anything but an elementwise node: the
// last multiplication comes first, then the selection.
#pragma once

#include "ir/diagnostics.h"
#include "ir/gradient.h"

namespace cohort {

struct Seed {
  ValueId value = 0;      // of `from`
  ValueId cotangent = 0;  // of the function being built
};

// `from` has been copied into `to`; copies[v] is the copy of its value v. Emits the gradients of the seeded
// values with respect to each of `wrt` (values of `from`): kNoId for one on which no seeded value depends.
std::vector<ValueId> reverse(FunctionBuilder& to, const Function& from, std::span<const ValueId> copies,
                             std::span<const Seed> seeds, std::span<const ValueId> wrt);

// The function with loops that keep what their gradients read; a value other than an input or a state may
// have another id. Functions are to be differentiated in this form.
Function with_tapes(ModuleBuilder& module, const Function& function);

// Gives diagnostics without a position the node's.
void locate(UserError& error, const Module& module, LocId loc);

}  // namespace cohort
