// Which elements of an array a slice with constant ends names, and how two such sets lie to each other. Every
// question is answered from the elements themselves, never from whether two slices have the same base or the
// same ends.
#pragma once

#include <optional>
#include <vector>

#include "ir/graph.h"

namespace cohort {

// start, start + step, ... (count of them); never 0 steps. `whole` stands for an axis of named extent, all of
// it.
struct Progression {
  std::int64_t start = 0;
  std::int64_t step = 1;
  std::int64_t count = 0;
  bool whole = false;

  std::int64_t least() const { return step > 0 ? start : start + (count - 1) * step; }
  std::int64_t greatest() const { return step > 0 ? start + (count - 1) * step : start; }
  bool operator==(const Progression&) const = default;
};
bool is_subset(const Progression& inner, const Progression& outer);
bool is_disjoint(const Progression& a, const Progression& b);

using Region = std::vector<Progression>;  // one per axis: the region is their product
bool is_empty(const Region& region);
bool is_subset(const Region& inner, const Region& outer);
bool is_disjoint(const Region& a, const Region& b);
// Whether the region is all of an array of `shape`, in whatever direction.
bool covers(const Region& region, const Shape& shape);
// Whether it is all of it in order, so that slicing by it changes nothing.
bool is_identity(const Region& region, const Shape& shape);

// The region that `slice`, `set_slice` or `inc_slice` with these attributes names in an x of `shape`;
// `inputs_before` inputs come before run-time starts. Nothing for run-time starts and for ends that depend on
// a named dim.
std::optional<Region> region_of(const Attrs& attrs, const Shape& shape, std::size_t inputs,
                                int inputs_before);
// All of an array.
Region whole_region(const Shape& shape);
// Attributes of a slice that names `region`.
Attrs slice_attrs(const Region& region, const Shape& shape);
// The elements that `second` names in the slice by `first`.
Region compose(const Region& first, const Region& second);
// Where the elements of `inner`, a subset of `outer`, stand in the slice by `outer`.
Region relative_to(const Region& inner, const Region& outer);

// The list of integers as a progression of positions on an axis of `extent`, negative ones counted from its
// end. Nothing if it is none, repeats an element, is empty, or leaves the axis.
std::optional<Progression> as_progression(const Tensor& indices, std::int64_t extent);

}  // namespace cohort
