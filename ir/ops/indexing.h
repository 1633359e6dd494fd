// Shared by the operators that read or write at computed positions.
#pragma once

#include "ir/diagnostics.h"
#include "ir/ops/elements.h"
#include "ir/ops/loop_support.h"

namespace cohort {

// Refuses an index that is not of an integer dtype.
void require_index_dtype(const InferContext& context, int input);

// x[i0, ..., ik]: the shape of the indices broadcast together, followed by the axes of x behind the indexed
// ones. `first` is the input that i0 is.
Shape infer_indexed_shape(const InferContext& context, int first);
// The offset in elements of the block x[i0, ..., ik] for every position of the broadcast indices, in
// row-major order. Refuses indices out of range.
struct IndexedBlocks {
  std::vector<std::int64_t> offsets;
  std::int64_t size = 1;  // elements of one block
  Extents positions;      // the indices' extents, broadcast together
};
IndexedBlocks indexed_blocks(const EvalContext& context, int first);
// The same position as index exprs of x: `index` has one expr per axis of the indexed shape.
IndexExprs indexed_position(NodeLowering& lowering, int first, std::span<const kernel::ExprRef> index);
// The broadcast shape of the inputs from `first` on.
Shape broadcast_inputs(const NodeLowering& lowering, int first);

// scatter_set and scatter_add.
std::vector<Type> infer_scatter(const InferContext& context);
void evaluate_scatter(EvalContext& context, bool add);
void scatter_loops(LoopContext& context, bool add);

}  // namespace cohort
