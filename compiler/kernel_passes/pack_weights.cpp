// A matrix by which every step of a loop multiplies is copied once, before the loop, to the order in which
// the product reads it (ir/ops/product_call.h):
//
//   for v0 < 50 {                              wp = call rt_gemm_pack(w; 0, 0, 0, 300, 100, 300, 1, 100)
//     z = call rt_gemm(h, w; ...)      ⇒       for v0 < 50 {
//     ...                                        z = call rt_gemm_packed(h, wp; ...)
//
// A matrix that is itself a copy of others, side by side or one above the other, is packed from these, and
// the copy goes if nobody else reads it. Sums keep their order, so no bit changes. Before `flatten_indices`,
// while copies are seen axis by axis.
#include <algorithm>
#include <optional>
#include <set>

#include "compiler/kernel_passes/copied_from.h"
#include "compiler/kernel_passes/kernel_pass.h"
#include "compiler/kernel_passes/loop_cost.h"
#include "compiler/kernel_passes/walk.h"
#include "ir/ops/product_call.h"

namespace cohort::loop_passes {
namespace {

using namespace kernel;
constexpr double kFewSteps = 4;          // do not repay the copy
constexpr std::int64_t kManyRows = 256;  // repay a copy in every product
constexpr std::int64_t kFewColumns = 8;  // fewer than the lanes of a vector of f32

// The operands of a product as the packed one takes them: `b` is copied.
struct Roles {
  BufferId a = 0, b = 0;
  ExprRef a_at, a_row, a_column, b_at, b_row, b_column, c_row, c_column, m, n;
};

Roles as_written(const Stmt& call) {
  const auto& s = call.index;
  return {call.buffers[1],   call.buffers[2],   s[gemm::kAAt],  s[gemm::kARow],
          s[gemm::kAColumn], s[gemm::kBAt],     s[gemm::kBRow], s[gemm::kBColumn],
          s[gemm::kCRow],    s[gemm::kCColumn], s[gemm::kM],    s[gemm::kN]};
}
Roles transposed(const Stmt& call) {  // c' = b' a'
  const auto& s = call.index;
  return {call.buffers[2],   call.buffers[1], s[gemm::kBAt],     s[gemm::kBColumn],
          s[gemm::kBRow],    s[gemm::kAAt],   s[gemm::kAColumn], s[gemm::kARow],
          s[gemm::kCColumn], s[gemm::kCRow],  s[gemm::kN],       s[gemm::kM]};
}

class LoopPacker {
 public:
  LoopPacker(Program& program, const CopiedFrom& copies, std::uint32_t kernel, const Dims& dims, Stmt& loop)
      : program_(program), copies_(copies), kernel_(kernel), dims_(dims), loop_(loop) {
    changing_.insert(loop.var);
    for_each_stmt(loop.body, [&](const Stmt& s) {
      if (s.kind == StmtKind::kLet || s.kind == StmtKind::kVar || s.kind == StmtKind::kFor)
        changing_.insert(s.var);
    });
    for_each_use(loop.body, [&](const BufferUse& use) {
      if (use.written) written_.insert(use.buffer);
    });
  }

  // The statements to put before the loop.
  std::vector<Stmt> run() {
    if (trip_count(loop_) >= kFewSteps) calls(loop_.body);
    return std::move(before_);
  }

 private:
  struct Packed {
    BufferId from = 0, to = 0;
    std::vector<ExprRef> what;  // at, n, k, row, column
  };

  void calls(std::vector<Stmt>& list) {
    for (Stmt& stmt : list) {
      calls(stmt.body);
      calls(stmt.else_body);
      if (stmt.kind != StmtKind::kCall || stmt.text != "rt_gemm") continue;
      if (!is_constant_index(*stmt.index[gemm::kBatch], 1)) continue;
      if (!pack(stmt, as_written(stmt))) pack(stmt, transposed(stmt));
    }
  }

  bool is_fixed(const ExprRef& expr) const {
    bool fixed = true;
    for_each_node(expr, [&](const Expr& e) {
      fixed = fixed && e.kind != ExprKind::kLoad && !(e.kind == ExprKind::kVar && changing_.contains(e.id));
    });
    return fixed;
  }

  bool pack(Stmt& call, const Roles& roles) {
    const ExprRef depth = call.index[gemm::kK];
    const std::vector<ExprRef> what{roles.b_at, roles.n, depth, roles.b_row, roles.b_column};
    if (!is_constant_index(*roles.c_column, 1) || written_.contains(roles.b) ||
        !std::all_of(what.begin(), what.end(), [&](const ExprRef& e) { return is_fixed(e); }) ||
        largest_extent(*roles.n, dims_) < kFewColumns || largest_extent(*roles.n, dims_) == kUnbounded ||
        largest_extent(*depth, dims_) == kUnbounded || largest_extent(*roles.m, dims_) > kManyRows)
      return false;
    const BufferId packed = packed_copy(roles.b, what);
    call.text = "rt_gemm_packed";
    call.buffers = {call.buffers[0], roles.a, packed};
    call.index = {call.index[gemm::kCAt],
                  roles.a_at,
                  constant_index(0),
                  roles.m,
                  roles.n,
                  depth,
                  roles.c_row,
                  roles.a_row,
                  roles.a_column};
    return true;
  }

  BufferId packed_copy(BufferId from, const std::vector<ExprRef>& what) {
    for (const Packed& made : made_)
      if (made.from == from && same_index(made.what, what)) return made.to;
    const Buffer& matrix = program_.buffers[from];
    const std::int64_t columns = kPackedRowBytes / dtype_bytes(matrix.dtype);
    const std::int64_t panels = (largest_extent(*what[1], dims_) + columns - 1) / columns;
    Buffer packed{matrix.name + "_packed", BufferKind::kTemporary, matrix.dtype, {}, 0};
    packed.shape = {Dim(panels * columns * largest_extent(*what[2], dims_))};
    const auto to = static_cast<BufferId>(program_.buffers.size());
    program_.buffers.push_back(std::move(packed));
    made_.push_back({from, to, what});
    const bool straight = is_whole(from, what, false), turned = is_whole(from, what, true);
    const std::optional<std::vector<CopiedPart>> parts =
        straight || turned ? copies_.parts_of(from, kernel_) : std::nullopt;
    if (parts) {
      for (const CopiedPart& part : *parts) copy_part(to, part, what, turned, columns);
    } else {
      const ExprRef zero = constant_index(0);
      copy(to, from, {zero, what[0], zero, what[1], what[2], what[3], what[4], what[2]});
    }
    return to;
  }

  // Whether the product reads all of a matrix as it lies, or all of its transpose.
  bool is_whole(BufferId from, const std::vector<ExprRef>& what, bool turned) const {
    const Shape& shape = program_.buffers[from].shape;
    if (shape.size() != 2) return false;
    const ExprRef rows = extent(shape[0]), columns = extent(shape[1]), one = constant_index(1);
    return is_constant_index(*what[0], 0) && equal(what[1], turned ? rows : columns) &&
           equal(what[2], turned ? columns : rows) && equal(what[3], turned ? one : columns) &&
           equal(what[4], turned ? columns : one);
  }

  // A part of the matrix, which is columns of it; of its transpose, rows.
  void copy_part(BufferId to, const CopiedPart& part, const std::vector<ExprRef>& what, bool turned,
                 std::int64_t panel) {
    const ExprRef apart = extent(program_.buffers[part.buffer].shape[1]), one = constant_index(1),
                  zero = constant_index(0);
    const bool by_row = part.transposed != turned;
    copy(to, part.buffer,
         {turned ? constant_index(part.column * panel) : zero, zero,
          turned ? zero : constant_index(part.column), turned ? what[1] : part.columns,
          turned ? part.columns : what[2], by_row ? one : apart, by_row ? apart : one, what[2]});
  }

  // `scalars` as gemm_pack names them.
  void copy(BufferId to, BufferId from, std::vector<ExprRef> scalars) {
    Stmt call;
    call.kind = StmtKind::kCall;
    call.text = "rt_gemm_pack";
    call.outputs = 1;
    call.buffers = {to, from};
    call.index = std::move(scalars);
    before_.push_back(std::move(call));
  }

  Program& program_;
  const CopiedFrom& copies_;
  const std::uint32_t kernel_;
  const Dims& dims_;
  Stmt& loop_;
  std::set<VarId> changing_;
  std::set<BufferId> written_;
  std::vector<Packed> made_;
  std::vector<Stmt> before_;
};

class Packer {
 public:
  Packer(Program& program, const Dims& dims) : program_(program), copies_(program), dims_(dims) {}

  bool run() {
    for (std::uint32_t k = 0; k < program_.kernels.size(); ++k) list(program_.kernels[k].body, k);
    return any_;
  }

 private:
  // Loops around first: what all their steps share is copied once for all.
  void list(std::vector<Stmt>& statements, std::uint32_t kernel) {
    std::vector<Stmt> result;
    result.reserve(statements.size());
    for (Stmt& stmt : statements) {
      if (stmt.kind == StmtKind::kFor && stmt.mode == LoopMode::kSerial) {
        std::vector<Stmt> before = LoopPacker(program_, copies_, kernel, dims_, stmt).run();
        any_ = any_ || !before.empty();
        std::move(before.begin(), before.end(), std::back_inserter(result));
      }
      list(stmt.body, kernel);
      list(stmt.else_body, kernel);
      result.push_back(std::move(stmt));
    }
    statements = std::move(result);
  }

  Program& program_;
  const CopiedFrom copies_;
  const Dims& dims_;
  bool any_ = false;
};

}  // namespace

Program pack_weights(Program program, const Dims& dims) {
  return Packer(program, dims).run() ? remove_dead(std::move(program), dims) : program;
}

}  // namespace cohort::loop_passes
