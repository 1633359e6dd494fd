#include "ir/ops/axis_parts.h"

#include <algorithm>

namespace cohort::ops {

AxisPart shifted_part(const Dim& start, const Dim& extent, const Dim& from) {
  return {start, extent, [from](const ExprRef& i) { return i + kernel::extent(from); }};
}

namespace {

void store_combination(LoopContext& context, const std::vector<const AxisPart*>& chosen) {
  Shape shape;
  for (const AxisPart* part : chosen) shape.push_back(part->extent);
  context.for_each(shape, [&](const Index& index) {
    Index place, source;
    for (std::size_t axis = 0; axis < index.size(); ++axis) {
      place.push_back(index[axis] + kernel::extent(chosen[axis]->start));
      source.push_back(chosen[axis]->source(index[axis]));
    }
    context.store(0, std::move(place), context.load(0, std::move(source)));
  });
}

bool is_empty(const AxisPart& part) { return part.extent.is_constant(0); }

// A result without elements keeps its nests, so that it is stored to like every other.
void combine(LoopContext& context, const std::vector<std::vector<AxisPart>>& parts,
             std::vector<const AxisPart*>& chosen) {
  if (chosen.size() == parts.size()) return store_combination(context, chosen);
  const std::vector<AxisPart>& ranges = parts[chosen.size()];
  const bool has_elements = !std::all_of(ranges.begin(), ranges.end(), is_empty);
  for (const AxisPart& part : ranges) {
    if (has_elements && is_empty(part)) continue;
    chosen.push_back(&part);
    combine(context, parts, chosen);
    chosen.pop_back();
  }
}

}  // namespace

void store_parts(LoopContext& context, const std::vector<std::vector<AxisPart>>& parts) {
  std::vector<const AxisPart*> chosen;
  combine(context, parts, chosen);
}

}  // namespace cohort::ops
