#include "ir/ops/sorting.h"

#include <algorithm>
#include <numeric>

#include "ir/diagnostics.h"

namespace cohort {

using namespace kernel;

AxisView view_along(const Extents& extents, std::size_t axis) {
  AxisView view;
  for (std::size_t a = 0; a < extents.size(); ++a)
    (a < axis ? view.outer : a == axis ? view.n : view.inner) *= extents[a];
  return view;
}

std::size_t sorted_axis(const Attrs& attrs, int rank) {
  const std::int64_t axis = attr_or<std::int64_t>(attrs, "axis", -1);
  return static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
}

std::vector<Type> infer_sorted(const InferContext& context, DType dtype) {
  const Type& x = context.inputs[0];
  (void)normalized_axis(context, attr_or<std::int64_t>(context.attrs, "axis", -1), x.rank());
  return {{dtype, x.shape}};
}

std::vector<std::int64_t> sorted_positions(const Tensor& x, const AxisView& view, bool descending) {
  std::vector<std::int64_t> positions(static_cast<std::size_t>(view.outer * view.n * view.inner));
  const Tensor wide = widened(x);
  visit_wide(wide, [&](const auto* elements) {
    auto column = positions.begin();
    for (std::int64_t o = 0; o < view.outer; ++o)
      for (std::int64_t i = 0; i < view.inner; ++i, column += view.n) {
        const auto* from = elements + o * view.n * view.inner + i;
        std::iota(column, column + view.n, 0);
        std::stable_sort(column, column + view.n, [&](std::int64_t p, std::int64_t q) {
          const auto a = from[p * view.inner], b = from[q * view.inner];
          return descending ? sorts_before(b, a) : sorts_before(a, b);
        });
      }
  });
  return positions;
}

void write_ordered(const Tensor& x, const AxisView& view, std::span<const std::int64_t> positions,
                   std::int64_t count, Tensor* values, Tensor* indices) {
  const auto bytes = static_cast<std::size_t>(dtype_bytes(x.dtype()));
  std::byte* value_out = values ? values->mutable_data() : nullptr;
  auto* index_out = indices ? indices->mutable_as<std::int64_t>() : nullptr;
  for (std::int64_t o = 0; o < view.outer; ++o)
    for (std::int64_t i = 0; i < view.inner; ++i)
      for (std::int64_t r = 0; r < count; ++r) {
        const std::int64_t from = positions[static_cast<std::size_t>((o * view.inner + i) * view.n + r)];
        const std::int64_t to = (o * count + r) * view.inner + i;
        if (index_out) index_out[to] = from;
        if (!value_out) continue;
        const std::int64_t source = (o * view.n + from) * view.inner + i;
        std::memcpy(value_out + static_cast<std::size_t>(to) * bytes,
                    x.data() + static_cast<std::size_t>(source) * bytes, bytes);
      }
}

bool call_sorting(std::string_view name, std::span<Tensor> outputs, std::span<const Tensor> inputs,
                  std::span<const std::int64_t> scalars) {
  const bool sort = name == "rt_sort", argsort = name == "rt_argsort", topk = name == "rt_topk";
  if (!sort && !argsort && !topk) return false;
  require(scalars.size() == (topk ? 4 : 3), "a sorting call has the scalars outer, n, inner and perhaps k");
  const AxisView view{scalars[0], scalars[1], scalars[2]};
  require(view.outer * view.n * view.inner == inputs[0].size(), "a sorting call sees all of its input");
  const std::vector<std::int64_t> positions = sorted_positions(inputs[0], view, topk);
  Tensor* const values = argsort ? nullptr : &outputs[0];
  Tensor* const indices = sort ? nullptr : &outputs[outputs.size() - 1];
  write_ordered(inputs[0], view, positions, topk ? scalars[3] : view.n, values, indices);
  return true;
}

std::vector<ExprRef> view_exprs(const Shape& shape, std::size_t axis) {
  const auto at = shape.begin() + static_cast<std::ptrdiff_t>(axis);
  return {element_count_expr(Shape(shape.begin(), at)), extent(*at),
          element_count_expr(Shape(at + 1, shape.end()))};
}

}  // namespace cohort
