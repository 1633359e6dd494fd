// A function over a batch of elements, which is what `vmap` stands for.
#pragma once

#include "ir/builder.h"

namespace cohort {

// The function over the batch, of `size` elements: inputs of which there is one for each element, `each` says
// which, have an axis for them in front, and so have all outputs. What depends on the batch is made by
// operators on whole batches where there are some, and else by loops over it without carries; what does not
// is computed once. A loop of the function is one loop that carries batches, so that vmap of a recurrent net
// is the net of a batch:
//
//   scan over b { pre; scan over t { step }; post }
//       =>  scan over b { pre }; scan over t { scan over b { step } }; scan over b { post }
//
// Loops that stop (`until`) and functions that print or assert stay in one loop over the batch.
Function batch_function(ModuleBuilder& module, const Function& function, const std::vector<bool>& each,
                        const Dim& size, LocId loc);

}  // namespace cohort
