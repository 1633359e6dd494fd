// Decides which values of a function get a buffer of their own and which are computed inside their readers.
//
// A value is computed in its reader if that costs no work twice: an elementwise value with one place that
// reads each of its elements once; index maps always. Outputs, updates and the results of reductions and
// opaque operators have buffers. Values with several readers have one, too: `fuse_loops` and `forward_stores`
// remove it where all readers end in one kernel. Nearly linear in nodes.
#pragma once

#include "ir/graph.h"

namespace cohort {

struct InlinePlan {
  std::vector<bool> buffered;  // by ValueId: results of nodes that have a buffer
  std::vector<bool> live;      // by NodeId: the node's results are read, or it may fail or print
};
InlinePlan plan_inlining(const Module& module, const Function& function);

}  // namespace cohort
