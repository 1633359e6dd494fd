// gather: x[i0, ..., ik] on the leading axes of x.
#include "ir/ops/gradients.h"
#include "ir/ops/indexing.h"
#include "ir/ops/list.h"

namespace cohort {

namespace {

void evaluate(EvalContext& context) {
  const Tensor& x = context.inputs[0];
  if (context.results[0].size() == 0) return;
  const IndexedBlocks blocks = indexed_blocks(context, 1);
  const std::int64_t bytes = dtype_bytes(x.dtype()), block_bytes = blocks.size * bytes;
  std::byte* out = context.results[0].mutable_data();
  for (const std::int64_t offset : blocks.offsets) {
    std::memcpy(out, x.data() + offset * bytes, static_cast<std::size_t>(block_bytes));
    out += block_bytes;
  }
}

void gradient(GradientContext& context) {
  std::vector<Symbol> indices;
  for (int i = 1; i < context.input_count(); ++i) indices.push_back(context.input(i));
  context.add(0, ops::scattered(context, context.input_type(0), context.cotangent(), indices));
}

}  // namespace

const OpDef& op_gather() {
  static const OpDef def{
      .name = "gather",
      .op_class = OpClass::kGather,
      .min_inputs = 2,
      .max_inputs = kAnyNumber,
      .meaning = "x[i0, ..., ik] on the leading axes; the indices broadcast together",
      .infer = [](const InferContext& context) -> std::vector<Type> {
        return {{context.inputs[0].dtype, infer_indexed_shape(context, 1)}};
      },
      .evaluate = evaluate,
      .element =
          [](ElementContext& context) {
            return context.load(0, indexed_position(context, 1, context.index));
          },
      .gradient = gradient,
  };
  return def;
}

}  // namespace cohort
