#include "compiler/kernel_passes/copied_from.h"

#include <algorithm>

#include "compiler/kernel_passes/walk.h"

namespace cohort::kernel {
namespace {

bool is_variable(const Expr& e, const Stmt& loop) { return e.kind == ExprKind::kVar && e.id == loop.var; }

// c where the index is c + the loop's variable.
std::optional<std::int64_t> shift(const Expr& e, const Stmt& loop) {
  if (is_variable(e, loop)) return 0;
  if (e.kind != ExprKind::kOp || e.op != ScalarOp::k_add) return std::nullopt;
  for (const std::size_t i : {0u, 1u}) {
    const Expr &variable = *e.args[i], &constant = *e.args[1 - i];
    if (is_variable(variable, loop) && constant.kind == ExprKind::kConst)
      return static_cast<std::int64_t>(constant.bits);
  }
  return std::nullopt;
}

}  // namespace

CopiedFrom::CopiedFrom(const Program& program) : buffers_(program.buffers), writers_(program.buffers.size()) {
  std::vector<const Stmt*> loops;
  for (std::uint32_t k = 0; k < program.kernels.size(); ++k) stores(program.kernels[k].body, loops, k);
}

void CopiedFrom::stores(const std::vector<Stmt>& list, std::vector<const Stmt*>& loops,
                        std::uint32_t kernel) {
  for (const Stmt& stmt : list) {
    if (stmt.kind == StmtKind::kStore) writers_[stmt.buffer].push_back({kernel, copied_part(stmt, loops)});
    for (std::uint32_t b = 0; stmt.kind == StmtKind::kCall && b < stmt.outputs; ++b)
      writers_[stmt.buffers[b]].push_back({kernel, std::nullopt});
    if (stmt.kind == StmtKind::kFor) loops.push_back(&stmt);
    if (stmt.kind == StmtKind::kIf) loops.push_back(nullptr);
    stores(stmt.body, loops, kernel);
    stores(stmt.else_body, loops, kernel);
    if (stmt.kind == StmtKind::kFor || stmt.kind == StmtKind::kIf) loops.pop_back();
  }
}

// copy[i, c + j] = matrix[i, j] or matrix[j, i], for all of the copy's rows and the matrix's elements.
std::optional<CopiedPart> CopiedFrom::copied_part(const Stmt& store,
                                                  const std::vector<const Stmt*>& loops) const {
  const Expr& value = *store.value;
  if (loops.size() != 2 || loops[0] == nullptr || loops[1] == nullptr || store.index.size() != 2 ||
      value.kind != ExprKind::kLoad || value.args.size() != 2 ||
      buffers_[value.id].dtype != buffers_[store.buffer].dtype)
    return std::nullopt;
  for (const bool swapped : {false, true}) {
    const Stmt &rows = *loops[swapped ? 1 : 0], &columns = *loops[swapped ? 0 : 1];
    const std::optional<std::int64_t> at = shift(*store.index[1], columns);
    if (!at || !is_variable(*store.index[0], rows)) continue;
    const bool transposed = is_variable(*value.args[0], columns) && is_variable(*value.args[1], rows);
    const bool straight = is_variable(*value.args[0], rows) && is_variable(*value.args[1], columns);
    const Shape &copy = buffers_[store.buffer].shape, &matrix = buffers_[value.id].shape;
    if (!(transposed || straight) || !equal(rows.value, extent(copy[0])) ||
        !equal(rows.value, extent(matrix[transposed ? 1 : 0])) ||
        !equal(columns.value, extent(matrix[transposed ? 0 : 1])))
      continue;
    return CopiedPart{value.id, *at, columns.value, transposed};
  }
  return std::nullopt;
}

bool CopiedFrom::stays(BufferId buffer, std::uint32_t from, std::uint32_t to) const {
  const BufferKind kind = buffers_[buffer].kind;
  if (kind == BufferKind::kInput || kind == BufferKind::kConstant) return true;
  return std::none_of(writers_[buffer].begin(), writers_[buffer].end(),
                      [&](const Writer& w) { return w.kernel >= from && w.kernel <= to; });
}

std::optional<std::vector<CopiedPart>> CopiedFrom::parts_of(BufferId copy, std::uint32_t reader) const {
  const std::vector<Writer>& writers = writers_[copy];
  if (buffers_[copy].kind != BufferKind::kTemporary) return std::nullopt;
  std::vector<CopiedPart> parts;
  for (const Writer& writer : writers) {
    if (writer.kernel >= reader || !writer.part || !stays(writer.part->buffer, writer.kernel, reader))
      return std::nullopt;
    parts.push_back(*writer.part);
  }
  std::sort(parts.begin(), parts.end(),
            [](const CopiedPart& a, const CopiedPart& b) { return a.column < b.column; });
  ExprRef next = constant_index(0);
  for (const CopiedPart& part : parts) {
    if (!is_constant_index(*next, part.column)) return std::nullopt;
    next = next + part.columns;
  }
  return equal(next, extent(buffers_[copy].shape[1])) ? std::optional(parts) : std::nullopt;
}

}  // namespace cohort::kernel
