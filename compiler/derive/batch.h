// A function over a batch of elements, which is what `vmap` stands for.
#pragma once

#include "ir/builder.h"

namespace cohort {

// A value for the function: the same for all elements of the batch, or one for each along axis 0.
struct Batched {
  ValueId value = kNoId;
  bool each = false;
};

// Emits the function over the batch, of `size` elements, and gives its outputs, stacked along axis 0. What
// depends on the batch is a loop over it without carries; what does not is computed once. A loop of the
// function is one loop that carries whole batches, so that vmap of a recurrent net is the net of a batch:
//
//   scan over b { pre; scan over t { step }; post }
//       =>  scan over b { pre }; scan over t { scan over b { step } }; scan over b { post }
//
// Loops that stop (`until`) and functions that print or assert stay in one loop over the batch.
std::vector<ValueId> batch_function(ModuleBuilder& module, FunctionBuilder& to, const Function& function,
                                    const std::vector<Batched>& inputs, const Dim& size, LocId loc);

}  // namespace cohort
