// Shared by the files of structured operators: reading attributes, arithmetic on dims and indices, and
// copying of elements of any dtype between layouts.
#pragma once

#include <vector>

#include "ir/diagnostics.h"
#include "ir/lowering.h"
#include "ir/op_def.h"

namespace cohort::ops {

using kernel::ExprRef;
using Index = std::vector<ExprRef>;  // one i64 expr per axis

// --- Attributes. The check_ functions are for infer and refuse; the others read what was checked. ---

[[noreturn]] void wrong_attribute(const InferContext& context, std::string_view name,
                                  const std::string& what);
[[noreturn]] void wrong_shape(const InferContext& context, std::size_t input, std::string_view what);
// A list of axes without nulls and repetitions, each in range.
void check_axes(const InferContext& context, std::string_view name, int rank);
// The attribute's axes in the order given; absent: all axes.
std::vector<int> axes_in_order(const Attrs& attrs, std::string_view name, int rank);
// The attribute `axis`, counted from 0.
int check_axis(const InferContext& context, std::int64_t fallback, int rank);
int axis_attr(const Attrs& attrs, std::int64_t fallback, int rank);
// An integer list without nulls.
std::vector<std::int64_t> check_ints(const InferContext& context, std::string_view name);
std::vector<std::int64_t> ints_attr(const Attrs& attrs, std::string_view name);
// A shape without negative extents.
const Shape& check_shape(const InferContext& context, std::string_view name);
void check_rank(const InferContext& context, std::size_t input, int rank, std::string_view what);

// --- Dims ---

Dim negated(const Dim& a);
// a + b as the extent of `axis`; refuses if that needs two names.
Dim add_extents(const InferContext& context, std::size_t axis, const Dim& a, const Dim& b);
// factor * a as the extent of `axis`, where attribute `name` gives the factor; refuses a negative one and
// overflow.
Dim scale_extent(const InferContext& context, std::string_view name, std::size_t axis, const Dim& a,
                 std::int64_t factor);
// a + b where infer has found that it is a dim.
Dim sum(const Dim& a, const Dim& b);

// --- Index arithmetic of the loop IR ---

ExprRef quotient(const ExprRef& a, const ExprRef& b);   // rounded down
ExprRef remainder(const ExprRef& a, const ExprRef& b);  // with the sign of b
ExprRef compare(ScalarOp op, const ExprRef& a, const ExprRef& b);
ExprRef select(const ExprRef& condition, const ExprRef& a, const ExprRef& b);
ExprRef cast_to(const ExprRef& value, DType dtype);
ExprRef constant_of(DType dtype, double value);

// --- Elements in memory ---

// Where the elements of an array lie: for each axis, how many elements each index adds to `base`. Views of an
// array (a slice, a permutation, a repetition) are the same array with other offsets.
struct Layout {
  std::int64_t base = 0;
  std::vector<std::vector<std::int64_t>> offsets;
};
Layout layout_of(const Extents& extents);  // row-major
Extents extents_of(const Layout& layout);
// The layout of an array that broadcasts to `extents`.
Layout broadcast_layout(const Extents& own, const Extents& extents);
// Copies element by element, in row-major order of the index; both layouts have the same extents.
void copy_elements(const Tensor& from, const Layout& source, Tensor& to, const Layout& target);
void fill(Tensor& tensor, Scalar value);
// `cast` of every element.
Tensor cast_tensor(const Tensor& tensor, DType dtype);
// The elements of an integer tensor; u64 beyond 2^63 wraps.
std::vector<std::int64_t> integers(const Tensor& tensor);

}  // namespace cohort::ops
