#include "ir/ops/product_call.h"

#include <algorithm>

namespace cohort {

using namespace kernel;

namespace {

// Below this number of multiplications, loops that fuse with what surrounds them are better than a call.
constexpr std::int64_t kCalledFrom = 4096;
// What a named dim counts for, since its value is known at run time only.
constexpr std::int64_t kAssumedExtent = 16;

std::int64_t assumed_extent(const Dim& dim) {
  return dim.is_constant() ? dim.offset : std::max<std::int64_t>(dim.offset, 0) + dim.scale * kAssumedExtent;
}

// One axis of the result, or several neighbours that lie like one in all three arrays.
struct Run {
  Dim extent;
  ExprRef c, a, b;  // strides
};

// Puts `outer` before `runs`: joined with the first where extents and strides allow.
void prepend(std::vector<Run>& runs, Run outer) {
  if (!runs.empty()) {
    Run& inner = runs.front();
    const std::optional<Dim> together = multiply(outer.extent, inner.extent);
    const ExprRef count = extent(inner.extent);
    if (together && equal(outer.c, inner.c * count) && equal(outer.a, inner.a * count) &&
        equal(outer.b, inner.b * count)) {
      inner.extent = *together;
      return;
    }
  }
  runs.insert(runs.begin(), std::move(outer));
}

// Takes the innermost run, or one of extent 1.
Run take_last(std::vector<Run>& runs) {
  if (runs.empty()) return {1, constant_index(0), constant_index(0), constant_index(0)};
  Run last = runs.back();
  runs.pop_back();
  return last;
}

struct Groups {
  std::vector<Run> rows, columns, others;  // axes of a only, of b only, of both
};

Groups group_axes(const LoopContext& context, const Product& product) {
  const Shape &c = context.result_type().shape, &a = context.input_type(0).shape,
              &b = context.input_type(1).shape;
  const std::vector<ExprRef> c_strides = stride_exprs(c), a_strides = stride_exprs(a),
                             b_strides = stride_exprs(b);
  const auto stride = [](const Shape& shape, const std::vector<ExprRef>& strides, int axis) {
    const auto i = static_cast<std::size_t>(axis);
    return axis < 0 || shape[i].is_constant(1) ? constant_index(0) : strides[i];
  };
  Groups groups;
  for (std::size_t r = c.size(); r-- > 0;) {
    if (c[r].is_constant(1)) continue;
    Run run{c[r], c_strides[r], stride(a, a_strides, product.a_axis[r]),
            stride(b, b_strides, product.b_axis[r])};
    const bool in_a = !is_constant_index(*run.a, 0), in_b = !is_constant_index(*run.b, 0);
    prepend(in_a && in_b ? groups.others : in_a ? groups.rows : groups.columns, std::move(run));
  }
  return groups;
}

}  // namespace

std::int64_t product_scratch_bytes(std::int64_t m, std::int64_t n, std::int64_t k,
                                   std::int64_t element_bytes) {
  // What rt_gemm_scratch of gemm.h asks for at most.
  constexpr std::int64_t kBlockDepth = 512, kRowsOfA = 192, kRowBytesOfB = 2048, kPanelBytes = 128;
  const std::int64_t most = std::max(m, n);
  const std::int64_t of_a = std::min(kRowsOfA, most * 4 / 3 + 16) * element_bytes;
  const std::int64_t of_b = std::min(kRowBytesOfB, most * element_bytes + kPanelBytes);
  return std::min(k, kBlockDepth) * (of_a + of_b);
}

bool is_called(const LoopContext& context, const Product& product) {
  const DType dtype = context.result_type().dtype;
  if ((dtype != DType::kF32 && dtype != DType::kF64) || product.a_sum < 0) return false;
  std::int64_t count = assumed_extent(context.input_type(0).shape[static_cast<std::size_t>(product.a_sum)]);
  for (const Dim& dim : context.result_type().shape) count *= assumed_extent(dim);
  return count >= kCalledFrom;
}

void call_product(LoopContext& context, const Product& product) {
  Groups groups = group_axes(context, product);
  const Run rows = take_last(groups.rows), columns = take_last(groups.columns);
  std::vector<Run> outer = std::move(groups.others);
  outer.insert(outer.begin(), groups.columns.begin(), groups.columns.end());
  outer.insert(outer.begin(), groups.rows.begin(), groups.rows.end());
  const Run batch = take_last(outer);

  const auto sum_stride = [&](int input, int axis) {
    return stride_exprs(context.input_type(input).shape)[static_cast<std::size_t>(axis)];
  };
  const ExprRef k = extent(context.input_type(0).shape[static_cast<std::size_t>(product.a_sum)]);
  const ExprRef a_column = sum_stride(0, product.a_sum), b_row = sum_stride(1, product.b_sum);
  Shape loops;
  for (const Run& run : outer) loops.push_back(run.extent);
  context.for_each(loops, [&](const IndexExprs& index) {
    ExprRef c_at = constant_index(0), a_at = c_at, b_at = c_at;
    for (std::size_t i = 0; i < index.size(); ++i) {
      c_at = c_at + index[i] * outer[i].c;
      a_at = a_at + index[i] * outer[i].a;
      b_at = b_at + index[i] * outer[i].b;
    }
    const std::vector<BufferId> operands{context.input_elements(0), context.input_elements(1)};
    context.call("rt_gemm", {context.result_buffer(0)}, operands,
                 {c_at, a_at, b_at, extent(batch.extent), extent(rows.extent), extent(columns.extent), k,
                  batch.c, rows.c, columns.c, batch.a, rows.a, a_column, batch.b, b_row, columns.b});
  });
}

}  // namespace cohort
