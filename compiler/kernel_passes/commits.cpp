#include "compiler/kernel_passes/commits.h"

#include <algorithm>

#include "compiler/kernel_passes/walk.h"

namespace cohort::kernel {

std::optional<Commit> commit_in(const Program& program, std::size_t k) {
  const std::vector<Stmt>* body = &program.kernels[k].body;
  std::vector<VarId> loops;
  while (body->size() == 1 && body->front().kind == StmtKind::kFor) {
    loops.push_back(body->front().var);
    body = &body->front().body;
  }
  if (body->size() != 1 || body->front().kind != StmtKind::kStore) return std::nullopt;
  const Stmt& store = body->front();
  if (store.value->kind != ExprKind::kLoad || !same_index(store.index, store.value->args))
    return std::nullopt;
  const Buffer &to = program.buffers[store.buffer], &from = program.buffers[store.value->id];
  if (to.kind != BufferKind::kState || from.kind != BufferKind::kTemporary || to.shape != from.shape)
    return std::nullopt;
  for (const VarId var : loops) {  // all elements: every loop is over one whole axis
    const bool whole = std::any_of(store.index.begin(), store.index.end(), [&](const ExprRef& i) {
      return i->kind == ExprKind::kVar && i->id == var;
    });
    if (!whole) return std::nullopt;
  }
  return Commit{k, store.buffer, store.value->id};
}

}  // namespace cohort::kernel
