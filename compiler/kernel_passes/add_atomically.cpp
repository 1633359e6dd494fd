// Sums that are added to in place, at elements which nobody knows to be different, take their parts in any
// order on the GPU: see add_atomically.h. Under `--fp=fast` only.
#include "compiler/kernel_passes/add_atomically.h"

#include <algorithm>
#include <set>

#include "compiler/kernel_passes/cooperate.h"
#include "compiler/kernel_passes/kernel_pass.h"
#include "compiler/kernel_passes/walk.h"

namespace cohort::kernel {
namespace {

bool reads(const ExprRef& e, BufferId buffer) {
  bool found = false;
  for_each_node(e, [&](const Expr& n) { found = found || (n.kind == ExprKind::kLoad && n.id == buffer); });
  return found;
}

// Those that CUDA adds atomically.
bool has_atomics(DType dtype) {
  switch (dtype) {
    case DType::kF32:
    case DType::kF64:
    case DType::kI32:
    case DType::kI64:
    case DType::kU32:
    case DType::kU64:
      return true;
    default:
      return false;
  }
}

// let v = s[i] + y, s[i] = v   ⇒   s[i] = s[i] + y   where nothing else reads v.
void join_sums(std::vector<Stmt>& list) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    join_sums(list[i].body);
    join_sums(list[i].else_body);
    if (i == 0 || list[i].kind != StmtKind::kStore || list[i - 1].kind != StmtKind::kLet) continue;
    Stmt &let = list[i - 1], &store = list[i];
    if (store.value->kind != ExprKind::kVar || store.value->id != let.var || !reads(let.value, store.buffer))
      continue;
    std::size_t mentioned = 0;
    for_each_stmt({list.begin() + static_cast<std::ptrdiff_t>(i), list.end()}, [&](const Stmt& s) {
      for_each_expr(s, [&](const ExprRef& e) { mentioned += mentions(e, let.var); });
    });
    if (mentioned != 1) continue;
    store.value = std::move(let.value);
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(--i));
  }
}

// What a store adds to the element that it replaces; null: something else.
ExprRef added(const Stmt& s) {
  if (s.kind != StmtKind::kStore || s.op != ScalarOp::kNone || s.value->kind != ExprKind::kOp ||
      s.value->op != ScalarOp::k_add || !has_atomics(s.value->dtype))
    return nullptr;
  for (const std::size_t side : {0, 1}) {
    const ExprRef &sum = s.value->args[side], &more = s.value->args[1 - side];
    const bool own = sum->kind == ExprKind::kLoad && sum->id == s.buffer && same_index(sum->args, s.index);
    const bool found =
        std::any_of(s.index.begin(), s.index.end(), [&](const ExprRef& e) { return reads(e, s.buffer); });
    if (own && !found && !reads(more, s.buffer)) return more;
  }
  return nullptr;
}

class Additions {
 public:
  explicit Additions(const Program& program) : program_(program) {}

  void list(std::vector<Stmt>& statements) const {
    for (Stmt& s : statements) {
      if (s.kind == StmtKind::kFor && !is_free(program_, s)) {
        Stmt loop = s;
        join_sums(loop.body);
        change(loop.body, only_added_to(loop.body));
        if (is_free(program_, loop)) {
          s = std::move(loop);
          continue;
        }
      }
      if (s.kind == StmtKind::kFor && is_free(program_, s)) continue;
      list(s.body);
      list(s.else_body);
    }
  }

 private:
  // Buffers that the statements touch by additions alone.
  static std::set<BufferId> only_added_to(const std::vector<Stmt>& statements) {
    std::set<BufferId> summed, other;
    for_each_stmt(statements, [&](const Stmt& s) {
      const bool addition = added(s) != nullptr;
      if (addition) summed.insert(s.buffer);
      for_each_use_of(s, [&](const BufferUse& use) {
        if (!addition || use.buffer != s.buffer) other.insert(use.buffer);
      });
    });
    for (const BufferId b : other) summed.erase(b);
    return summed;
  }
  static void change(std::vector<Stmt>& statements, const std::set<BufferId>& summed) {
    for (Stmt& s : statements) {
      const ExprRef more = added(s);
      if (more != nullptr && summed.contains(s.buffer)) {
        s.op = ScalarOp::k_add;
        s.value = more;
      }
      change(s.body, summed);
      change(s.else_body, summed);
    }
  }

  const Program& program_;
};

}  // namespace

void add_atomically(const Program& program, std::vector<Stmt>& body) { Additions(program).list(body); }

}  // namespace cohort::kernel

namespace cohort::loop_passes {

kernel::Program add_atomically(kernel::Program program, const Dims&) {
  for (std::size_t k = 0; k < program.kernels.size(); ++k) {
    if (program.kernels[k].device != kernel::Device::kGpu) continue;
    std::vector<kernel::Stmt> body = std::move(program.kernels[k].body);
    kernel::add_atomically(program, body);
    program.kernels[k].body = std::move(body);
  }
  return program;
}

}  // namespace cohort::loop_passes
