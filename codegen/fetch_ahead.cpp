#include "codegen/fetch_ahead.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/kernel_passes/walk.h"

namespace cohort {

using kernel::BufferUse;
using kernel::ExprKind;
using kernel::ExprRef;
using kernel::Stmt;
using kernel::StmtKind;
using kernel::VarId;

namespace {

constexpr std::int64_t kOwnCache = std::int64_t{4} << 20;  // bytes; a core's second level is 1 to 2 MiB
constexpr std::size_t kStreams = 8;                        // more walks at once than hardware follows anyway

// Whether `e` has a value where an iteration begins: nothing in it is made inside.
bool stands_before(const ExprRef& e, const std::vector<VarId>& inside) {
  if (e->kind == ExprKind::kVar || e->kind == ExprKind::kFinish)
    return std::find(inside.begin(), inside.end(), e->id) == inside.end();
  return std::all_of(e->args.begin(), e->args.end(),
                     [&](const ExprRef& a) { return stands_before(a, inside); });
}

std::vector<VarId> variables_made_in(const Stmt& loop) {
  std::vector<VarId> out;
  kernel::for_each_stmt(loop.body, [&](const Stmt& s) {
    if (s.kind == StmtKind::kFor || s.kind == StmtKind::kLet || s.kind == StmtKind::kVar ||
        s.kind == StmtKind::kAccumulator)
      out.push_back(s.var);
  });
  return out;
}

}  // namespace

std::vector<std::string> walked_arrays(const Stmt& loop, const kernel::Program& program,
                                       const ExprPrinter& exprs) {
  if (loop.value->kind != ExprKind::kConst) return {};
  const auto extent = static_cast<std::int64_t>(loop.value->bits);
  std::int64_t bytes = 0;
  std::vector<std::string> out;
  const std::vector<VarId> inside = variables_made_in(loop);
  kernel::for_each_use(loop.body, [&](const BufferUse& use) {
    if (!use.index || use.index->empty() || !stands_before((*use.index)[0], inside)) return;
    const auto where = exprs.affine((*use.index)[0]);
    if (!where || !is_constant_index(*where->step, 1)) return;
    const std::string& name = exprs.buffer_name(use.buffer);
    const bool at_start = is_constant_index(*where->base, 0);
    const std::string from = at_start ? name : fmt::format("{} + {}", name, exprs.index(where->base));
    if (std::find(out.begin(), out.end(), from) != out.end()) return;
    out.push_back(from);
    bytes += extent * dtype_bytes(program.buffers[use.buffer].dtype);
  });
  if (bytes <= kOwnCache || out.size() > kStreams) return {};
  return out;
}

}  // namespace cohort
