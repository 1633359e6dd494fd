// Shared by the gradient rules of structured operators (ir/gradient.h says what a rule does).
#pragma once

#include <span>
#include <vector>

#include "ir/gradient.h"

namespace cohort::ops {

// The rule of operators that hand input 0 on, or repeat it: the cotangent itself.
void pass_cotangent(GradientContext& context);

IntList int_list(std::span<const int> axes);
Symbol cast(const Symbol& x, DType dtype);
Symbol literal_int(GradientContext& context, DType dtype, std::int64_t value);
// How many elements an array of `shape` has, as a scalar.
Symbol element_count(GradientContext& context, const Shape& shape, DType dtype);
// The index along axis `axis` of `shape`, of extent 1 on its other axes.
Symbol index_along(GradientContext& context, const Shape& shape, int axis);
// x with an axis of extent 1 before its axis `axis`.
Symbol with_new_axis(GradientContext& context, const Symbol& x, int axis);
// Zeros of `type` with y added at [indices...].
Symbol scattered(GradientContext& context, const Type& type, const Symbol& y,
                 const std::vector<Symbol>& indices);
// The gradient of an x of `type` where y[..., j, ...] was x[..., index[..., j, ...], ...] along `axis`.
Symbol scattered_along(GradientContext& context, const Type& type, const Symbol& y, const Symbol& index,
                       int axis);
// x summed from each index along `axis` to the last.
Symbol summed_from_end(GradientContext& context, const Symbol& x, int axis);
// reduce_<op> of x over axes that stay with extent 1.
Symbol reduced(GradientContext& context, std::string_view op, const Symbol& x, std::span<const int> axes,
               DType dtype);

}  // namespace cohort::ops
