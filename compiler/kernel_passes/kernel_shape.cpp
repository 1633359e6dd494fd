#include "compiler/kernel_passes/kernel_shape.h"

#include <algorithm>

namespace cohort::kernel {
namespace {

constexpr std::int64_t kShortRow = 256;

constexpr std::int64_t kUnshared = 1024;  // iterations

bool is_scalar(const Stmt& s) {
  return s.kind == StmtKind::kLet || s.kind == StmtKind::kStore || s.kind == StmtKind::kAccumulator;
}

// Of the loop with the loops within, or kUnshared + 1 where they are more or not known.
std::int64_t iterations(const Stmt& loop) {
  constexpr std::int64_t many = kUnshared + 1;
  if (loop.value->kind != ExprKind::kConst) return many;
  const auto extent = static_cast<std::int64_t>(loop.value->bits);
  std::int64_t within = 1;
  for (const Stmt& s : loop.body)
    if (s.kind == StmtKind::kFor) within = std::max(within, iterations(s));
  return extent > kUnshared ? many : std::min(many, extent * within);
}

}  // namespace

KernelShape shape_of(const std::vector<Stmt>& body) {
  if (body.size() == 1 && body[0].kind == StmtKind::kFor) return KernelShape::kNest;
  bool scalars = true;
  for (const Stmt& s : body) {
    if (s.kind == StmtKind::kFor || s.kind == StmtKind::kAccumulator)
      scalars = false;
    else if (!is_scalar(s))
      return KernelShape::kOther;
  }
  return scalars ? KernelShape::kScalars : KernelShape::kList;
}

bool is_short_list(const std::vector<Stmt>& body) {
  return std::all_of(body.begin(), body.end(), [](const Stmt& s) {
    return s.kind == StmtKind::kFor ? iterations(s) <= kUnshared : is_scalar(s);
  });
}

std::vector<std::int64_t> flat_extents(const Stmt& nest) {
  std::vector<std::int64_t> extents;
  const Stmt* loop = &nest;
  while (true) {
    if (loop->value->kind != ExprKind::kConst) return {};
    extents.push_back(static_cast<std::int64_t>(loop->value->bits));
    if (loop->body.size() != 1 || loop->body.front().kind != StmtKind::kFor) break;
    loop = &loop->body.front();
  }
  const bool elementwise = std::all_of(loop->body.begin(), loop->body.end(), [](const Stmt& s) {
    return s.kind == StmtKind::kLet || s.kind == StmtKind::kStore;
  });
  return loop->mode == LoopMode::kSimd && elementwise ? extents : std::vector<std::int64_t>{};
}

bool is_better_flat(const std::vector<std::int64_t>& extents, std::int64_t cached) {
  if (extents.size() < 2 || extents.back() >= kShortRow) return false;
  std::int64_t count = 1;
  for (const std::int64_t extent : extents) count = std::min(count * extent, cached + 1);
  return count <= cached;
}

}  // namespace cohort::kernel
