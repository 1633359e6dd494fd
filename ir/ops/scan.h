// What the files of loops share about `scan`: which inputs, results, body inputs and body outputs are what.
//
//   inputs         sequences, initial carries, others
//   body inputs    an element of each sequence, the carries, the others
//   body outputs   the new carries, the outputs of the step, and (until) whether to stop after it
//   results        the last carries, the outputs of all steps, and (until) how many steps were taken
#pragma once

#include "ir/ops/support.h"

namespace cohort::ops {

struct ScanParts {
  std::size_t sequences = 0, carries = 0, others = 0, outputs = 0;
  bool until = false, reverse = false;

  std::size_t inputs() const { return sequences + carries + others; }
  std::size_t results() const { return carries + outputs + (until ? 1 : 0); }
};
ScanParts scan_parts(const Attrs& attrs, std::size_t input_count, std::size_t body_outputs);
ScanParts scan_parts(const Node& node);
// Whether the gradient keeps the carried values of each step only and computes the rest again.
bool keeps_carries_only(const Node& node);
// How many steps: the attribute, or the extent of the first sequence.
Dim scan_steps(const Attrs& attrs, std::span<const Type> inputs);
Dim scan_steps(const Function& function, const Node& node);

// The type of one element along axis 0, and of `steps` of them.
Type element_type(const Type& type);
Type stacked_type(const Type& type, const Dim& steps);

}  // namespace cohort::ops
