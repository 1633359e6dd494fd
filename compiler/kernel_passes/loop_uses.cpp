#include "compiler/kernel_passes/loop_uses.h"

#include "compiler/kernel_passes/walk.h"

namespace cohort::kernel {
namespace {

constexpr std::size_t kMaxAxes = 64;

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

}  // namespace

LoopUses loop_uses(const std::vector<Stmt>& list, VarId var) {
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
  });
  return uses;
}

void add(LoopUses& to, const LoopUses& from) {
  for (const auto& [buffer, use] : from) {
    LoopUse& known = to[buffer];
    known.axes &= use.axes;
    known.written = known.written || use.written;
  }
}

bool may_fuse(const LoopUses& first, const LoopUses& second) {
  return !any_common(first, second, [](const LoopUse& a, const LoopUse& b) {
    return (a.written || b.written) && (a.axes & b.axes) == 0;
  });
}

bool share_elements(const LoopUses& first, const LoopUses& second) {
  return any_common(first, second, [](const LoopUse& a, const LoopUse& b) { return (a.axes & b.axes) != 0; });
}

bool conflict(const LoopUses& first, const LoopUses& second) {
  return any_common(first, second, [](const LoopUse& a, const LoopUse& b) { return a.written || b.written; });
}

}  // namespace cohort::kernel
