#include "compiler/kernel_passes/tile_places.h"

#include <algorithm>

namespace cohort::kernel {
namespace {

bool is_one(const Axis& axis) { return is_constant_index(*axis.extent, 1); }

bool same(const ExprRef& a, const ExprRef& b) { return equal(decompose(a), decompose(b)); }

// Removes and gives the axis of a stride.
std::optional<Axis> take(std::vector<Axis>& axes, const ExprRef& stride) {
  const Linear wanted = decompose(stride);
  const auto found =
      std::find_if(axes.begin(), axes.end(), [&](const Axis& axis) { return equal(axis.stride, wanted); });
  if (found == axes.end()) return std::nullopt;
  Axis axis = *found;
  axes.erase(found);
  return axis;
}

// `loop` as places of which the first is `place` and the others, of greater strides, are taken.
bool join_places(const Axis& loop, const Axis& place, const ExprRef& stride, std::vector<Axis>& places,
                 Substitution& result) {
  std::vector<Axis> left = places;
  ExprRef at = variable(place.var, DType::kI64), span = place.extent;
  while (!same(span, loop.extent)) {
    const std::optional<Axis> next = take(left, stride * span);
    if (!next) return false;
    at = variable(next->var, DType::kI64) * span + at;
    span = next->extent * span;
  }
  result[loop.var] = at;
  places = std::move(left);
  return true;
}

// `loop` and others of greater strides, which are taken, as parts of `place`.
bool split_place(const Axis& loop, const Axis& place, const ExprRef& stride, std::vector<Axis>& loops,
                 Substitution& result) {
  ExprRef rest = variable(place.var, DType::kI64), covered = loop.extent;
  Axis inner = loop;
  while (!same(covered, place.extent)) {
    const std::optional<Axis> next = take(loops, stride * covered);
    if (!next) return false;
    result[inner.var] = op(ScalarOp::k_mod, {rest, inner.extent}, DType::kI64);
    rest = op(ScalarOp::k_floor_div, {rest, inner.extent}, DType::kI64);
    covered = next->extent * covered;
    inner = *next;
  }
  result[inner.var] = rest;
  return true;
}

}  // namespace

std::optional<Substitution> places_of_loops(std::vector<Axis> places, std::vector<Axis> loops) {
  Substitution result;
  for (const Axis& loop : loops)
    if (is_one(loop)) result[loop.var] = constant_index(0);
  std::erase_if(loops, is_one);
  std::erase_if(places, is_one);
  ExprRef stride = constant_index(1);
  while (!loops.empty()) {
    const std::optional<Axis> loop = take(loops, stride), place = take(places, stride);
    if (!loop || !place) return std::nullopt;
    if (join_places(*loop, *place, stride, places, result)) {
      stride = stride * loop->extent;
    } else if (split_place(*loop, *place, stride, loops, result)) {
      stride = stride * place->extent;
    } else {
      return std::nullopt;
    }
  }
  if (!places.empty()) return std::nullopt;
  return result;
}

}  // namespace cohort::kernel
