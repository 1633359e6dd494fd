#include "compiler/kernel_passes/loop_uses.h"

#include <algorithm>
#include <optional>

#include "compiler/kernel_passes/access.h"
#include "compiler/kernel_passes/walk.h"

namespace cohort::kernel {
namespace {

constexpr std::size_t kMaxAxes = 64;
constexpr VarId kNoVar = UINT32_MAX;
constexpr std::int64_t kNotKnown = -1;

// Calls f with both uses of every buffer that both touch, until it gives true.
template <typename F>
bool any_common(const LoopUses& first, const LoopUses& second, F&& f) {
  const LoopUses& fewer = first.size() < second.size() ? first : second;
  const LoopUses& more = &fewer == &first ? second : first;
  for (const auto& [buffer, use] : fewer) {
    const auto other = more.find(buffer);
    if (other != more.end() && f(use, other->second)) return true;
  }
  return false;
}

// Makes the part hold `other` as well.
void extend(TouchedPart& part, const TouchedPart& other) {
  if (part.axis == TouchedPart::kNothing) {
    part = other;
  } else if (part.axis == other.axis) {
    part.begin = std::min(part.begin, other.begin);
    part.end = std::max(part.end, other.end);
  } else if (other.axis != TouchedPart::kNothing) {
    part = {TouchedPart::kUnknown, 0, 0};
  }
}

bool apart(const TouchedPart& a, const TouchedPart& b) {
  return a.axis >= 0 && a.axis == b.axis && (a.end <= b.begin || b.end <= a.begin);
}

TouchedPart part_of(const std::vector<ExprRef>* index, VarId var, std::int64_t trips) {
  for (std::size_t axis = 0; index != nullptr && trips != kNotKnown && axis < index->size(); ++axis)
    if (const auto offset = offset_from(*(*index)[axis], var))
      return {static_cast<int>(axis), *offset, *offset + trips};
  return {TouchedPart::kUnknown, 0, 0};
}

LoopUses uses_of(const std::vector<Stmt>& list, VarId var, std::int64_t trips) {
  LoopUses uses;
  for_each_use(list, [&](const BufferUse& use) {
    std::uint64_t axes = 0;
    if (use.index != nullptr) {
      for (std::size_t axis = 0; axis < use.index->size() && axis < kMaxAxes; ++axis) {
        const Expr& e = *(*use.index)[axis];
        if (e.kind == ExprKind::kVar && e.id == var) axes |= std::uint64_t{1} << axis;
      }
    }
    LoopUse& known = uses[use.buffer];
    known.axes &= axes;
    known.written = known.written || use.written;
    extend(known.part, part_of(use.index, var, trips));
  });
  return uses;
}

}  // namespace

LoopUses loop_uses(const Stmt& loop) {
  const std::int64_t trips =
      loop.value->kind == ExprKind::kConst ? static_cast<std::int64_t>(loop.value->bits) : kNotKnown;
  return uses_of(loop.body, loop.var, trips);
}

LoopUses list_uses(const std::vector<Stmt>& list) { return uses_of(list, kNoVar, kNotKnown); }

void add(LoopUses& to, const LoopUses& from) {
  for (const auto& [buffer, use] : from) {
    LoopUse& known = to[buffer];
    known.axes &= use.axes;
    known.written = known.written || use.written;
    extend(known.part, use.part);
  }
}

bool may_fuse(const LoopUses& first, const LoopUses& second) {
  return !any_common(first, second, [](const LoopUse& a, const LoopUse& b) {
    return (a.written || b.written) && (a.axes & b.axes) == 0 && !apart(a.part, b.part);
  });
}

bool share_elements(const LoopUses& first, const LoopUses& second) {
  return any_common(first, second, [](const LoopUse& a, const LoopUse& b) { return (a.axes & b.axes) != 0; });
}

bool conflict(const LoopUses& first, const LoopUses& second) {
  return any_common(first, second, [](const LoopUse& a, const LoopUse& b) { return a.written || b.written; });
}

}  // namespace cohort::kernel
