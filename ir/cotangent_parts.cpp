#include "ir/cotangent_parts.h"

#include <algorithm>

#include "ir/op_def.h"

namespace cohort {

namespace {

constexpr std::size_t kOpenLayers = 16;

std::int64_t end_of(const CotangentPart& part) {
  return part.start + part.cotangent.type().shape[static_cast<std::size_t>(part.axis)].offset;
}

// One layer: parts along one axis, in order, none over another.
Symbol concatenated(FunctionBuilder& to, const std::vector<CotangentPart>& layer, const Type& type) {
  const auto axis = static_cast<std::size_t>(layer[0].axis);
  std::vector<ValueId> pieces;
  std::int64_t at = layer[0].start;
  for (const CotangentPart& part : layer) {
    if (part.start > at) {
      Type gap = type;
      gap.shape[axis] = Dim(part.start - at);
      pieces.push_back(to.zeros(gap));
    }
    pieces.push_back(part.cotangent.value);
    at = end_of(part);
  }
  ValueId whole = pieces[0];
  if (pieces.size() > 1) whole = to.node(*find_op("concat"), pieces, {{"axis", std::int64_t{layer[0].axis}}});
  if (to.type(whole).shape == type.shape) return {&to, whole};
  IntList low(type.shape.size(), 0), high(type.shape.size(), 0);
  low[axis] = layer[0].start;
  high[axis] = type.shape[axis].offset - at;
  return {&to, to.node(*find_op("pad"), std::array{whole}, {{"high", high}, {"low", low}})};
}

}  // namespace

std::vector<Symbol> joined_parts(FunctionBuilder& to, std::vector<CotangentPart> parts, const Type& type) {
  std::stable_sort(parts.begin(), parts.end(), [](const CotangentPart& a, const CotangentPart& b) {
    return a.axis != b.axis ? a.axis < b.axis : a.start < b.start;
  });
  std::vector<std::vector<CotangentPart>> layers;
  std::size_t first = 0;  // the layers that are looked at: of the axis, and the last few of those
  for (const CotangentPart& part : parts) {
    if (!layers.empty() && layers.back()[0].axis != part.axis) first = layers.size();
    first = std::max(first, layers.size() - std::min(layers.size(), kOpenLayers));
    const auto home = std::find_if(layers.begin() + static_cast<std::ptrdiff_t>(first), layers.end(),
                                   [&](const auto& layer) { return end_of(layer.back()) <= part.start; });
    if (home == layers.end())
      layers.push_back({part});
    else
      home->push_back(part);
  }
  std::vector<Symbol> terms;
  for (const auto& layer : layers) terms.push_back(concatenated(to, layer, type));
  return terms;
}

}  // namespace cohort
