#include "compiler/region.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "ir/ops/slicing.h"

namespace cohort {

bool is_subset(const Progression& inner, const Progression& outer) {
  if (outer.whole) return true;
  if (inner.whole || outer.count == 0) return !inner.whole && inner.count == 0;
  if (inner.count == 0) return true;
  if (inner.least() < outer.least() || inner.greatest() > outer.greatest()) return false;
  const bool aligned = (inner.start - outer.start) % outer.step == 0;
  return aligned && (inner.count == 1 || inner.step % outer.step == 0);
}

bool is_disjoint(const Progression& a, const Progression& b) {
  if ((!a.whole && a.count == 0) || (!b.whole && b.count == 0)) return true;
  if (a.whole || b.whole) return false;
  if (a.greatest() < b.least() || b.greatest() < a.least()) return true;
  // Both lie on a grid of this distance if they meet at all.
  const std::int64_t grid = std::gcd(a.count == 1 ? 0 : a.step, b.count == 1 ? 0 : b.step);
  return grid == 0 ? a.start != b.start : (a.start - b.start) % grid != 0;
}

bool is_empty(const Region& region) {
  return std::any_of(region.begin(), region.end(),
                     [](const Progression& p) { return !p.whole && p.count == 0; });
}

bool is_subset(const Region& inner, const Region& outer) {
  if (is_empty(inner)) return true;
  for (std::size_t i = 0; i < inner.size(); ++i)
    if (!is_subset(inner[i], outer[i])) return false;
  return true;
}

bool is_disjoint(const Region& a, const Region& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (is_disjoint(a[i], b[i])) return true;
  return false;
}

bool covers(const Region& region, const Shape& shape) {
  for (std::size_t i = 0; i < region.size(); ++i)
    if (!region[i].whole &&
        !(shape[i].is_constant(region[i].count) && (region[i].count <= 1 || std::abs(region[i].step) == 1)))
      return false;
  return true;
}

bool is_identity(const Region& region, const Shape& shape) {
  return covers(region, shape) && std::all_of(region.begin(), region.end(), [](const Progression& p) {
           return p.whole || p.count <= 1 || p.step == 1;
         });
}

Region whole_region(const Shape& shape) {
  Region region;
  for (const Dim& dim : shape)
    region.push_back(dim.is_constant() ? Progression{0, 1, dim.offset, false} : Progression{0, 1, 0, true});
  return region;
}

std::optional<Region> region_of(const Attrs& attrs, const Shape& shape, std::size_t inputs,
                                int inputs_before) {
  if (static_cast<int>(inputs) > inputs_before) return std::nullopt;
  Region region = whole_region(shape);
  for (const ops::SlicedAxis& axis :
       ops::sliced_axes(attrs, shape, static_cast<int>(inputs), inputs_before)) {
    const auto i = static_cast<std::size_t>(axis.axis);
    if (region[i].whole && axis.step == 1 && axis.start.is_constant(0) && axis.extent == shape[i]) continue;
    if (!axis.start.is_constant() || !axis.extent.is_constant()) return std::nullopt;
    region[i] = {axis.start.offset, axis.step, axis.extent.offset, false};
  }
  return region;
}

Attrs slice_attrs(const Region& region, const Shape& shape) {
  IntList axes, starts, stops, steps;
  for (std::size_t i = 0; i < region.size(); ++i) {
    const Progression& p = region[i];
    if (p.whole || (p.step == 1 && p.start == 0 && shape[i].is_constant(p.count))) continue;
    axes.push_back(static_cast<std::int64_t>(i));
    starts.push_back(p.count == 0 ? 0 : p.start);
    steps.push_back(p.count <= 1 ? 1 : p.step);
    const std::int64_t stop =
        p.count <= 1 ? *starts.back() + p.count : p.start + (p.count - 1) * p.step + (p.step > 0 ? 1 : -1);
    stops.push_back(stop < 0 ? std::nullopt : std::optional(stop));
  }
  Attrs attrs{{"axes", axes}, {"starts", starts}};
  if (std::any_of(steps.begin(), steps.end(), [](const auto& step) { return step != 1; }))
    attrs.push_back({"steps", steps});
  attrs.push_back({"stops", stops});
  return attrs;
}

Region compose(const Region& first, const Region& second) {
  Region region;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const Progression &a = first[i], &b = second[i];
    if (b.whole)
      region.push_back(a);
    else if (a.whole)
      region.push_back(b);
    else
      region.push_back({a.start + a.step * b.start, a.step * b.step, b.count, false});
  }
  return region;
}

Region relative_to(const Region& inner, const Region& outer) {
  Region region;
  for (std::size_t i = 0; i < inner.size(); ++i) {
    const Progression &a = inner[i], &b = outer[i];
    if (b.whole)
      region.push_back(a);
    else if (a.count == 0)
      region.push_back({0, 1, 0, false});
    else
      region.push_back({(a.start - b.start) / b.step, a.count == 1 ? 1 : a.step / b.step, a.count, false});
  }
  return region;
}

std::optional<Progression> as_progression(const Tensor& indices, std::int64_t extent) {
  if (indices.size() == 0) return std::nullopt;
  const auto position = [&](std::int64_t i) {
    const std::int64_t index = element_as_int(indices, i);
    return index < 0 ? index + extent : index;
  };
  Progression result{position(0), 1, indices.size(), false};
  if (indices.size() > 1) result.step = position(1) - position(0);
  if (result.step == 0) return std::nullopt;
  for (std::int64_t i = 1; i < indices.size(); ++i)
    if (position(i) - position(i - 1) != result.step) return std::nullopt;
  if (result.least() < 0 || result.greatest() >= extent) return std::nullopt;
  return result;
}

}  // namespace cohort
