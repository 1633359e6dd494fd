// Walking and rewriting the loop IR: what the kernel passes share.
#pragma once

#include <functional>
#include <unordered_map>

#include "ir/kernel.h"

namespace cohort::kernel {

// Every expr directly in a statement: extent, condition, value, index. Not those of its body.
template <typename F>
void for_each_expr(const Stmt& stmt, F&& f) {
  if (stmt.value) f(stmt.value);
  for (const ExprRef& e : stmt.index) f(e);
}

// Every statement of a list and of the bodies within, outer ones first.
template <typename F>
void for_each_stmt(const std::vector<Stmt>& list, F&& f) {
  for (const Stmt& stmt : list) {
    f(stmt);
    for_each_stmt(stmt.body, f);
    for_each_stmt(stmt.else_body, f);
  }
}

// Every node of an expr, operands first.
template <typename F>
void for_each_node(const ExprRef& expr, F&& f) {
  for (const ExprRef& arg : expr->args) for_each_node(arg, f);
  f(*expr);
}

// Every load in a list of statements, bodies included.
template <typename F>
void for_each_load(const std::vector<Stmt>& list, F&& f) {
  for_each_stmt(list, [&](const Stmt& stmt) {
    for_each_expr(stmt, [&](const ExprRef& e) {
      for_each_node(e, [&](const Expr& node) {
        if (node.kind == ExprKind::kLoad) f(node);
      });
    });
  });
}

// How statements touch buffers.
struct BufferUse {
  BufferId buffer = 0;
  bool written = false;
  const std::vector<ExprRef>* index = nullptr;  // null: all of it (calls, prints)
};
// Every use, loads of a statement before what it writes.
void for_each_use(const std::vector<Stmt>& list, const std::function<void(const BufferUse&)>& f);
void for_each_use_of(const Stmt& stmt,
                     const std::function<void(const BufferUse&)>& f);  // bodies not included
void for_each_buffer(const std::vector<Stmt>& list, const std::function<void(BufferId)>& f);

// Rebuilds an expr bottom-up: `f` sees each node with its operands already rewritten and gives what takes its
// place.
ExprRef rewrite(const ExprRef& expr, const std::function<ExprRef(const ExprRef&)>& f);
// Rewrites every expr directly in a statement.
void rewrite_exprs(Stmt& stmt, const std::function<ExprRef(const ExprRef&)>& f);
// The same for all statements of a list and the bodies within.
void rewrite_exprs(std::vector<Stmt>& list, const std::function<ExprRef(const ExprRef&)>& f);

// Variables replaced by exprs.
using Substitution = std::unordered_map<VarId, ExprRef>;
ExprRef substitute(const ExprRef& expr, const Substitution& replacements);
void substitute(std::vector<Stmt>& list, const Substitution& replacements);

// The largest value an extent takes: of a constant, a dim, or a product of them. Of anything else, such as
// what differs between members of a group, kUnbounded, as of products greater than it.
inline constexpr std::int64_t kUnbounded = std::int64_t{1} << 40;
std::int64_t largest_extent(const Expr& e, const Dims& dims);

// Made of constants and dims: known at entry, before any launch.
bool is_extent(const ExprRef& e);
bool mentions(const ExprRef& expr, VarId var);
bool same_index(const std::vector<ExprRef>& a, const std::vector<ExprRef>& b);
std::size_t count_statements(const std::vector<Stmt>& list);

// Whether both are state and hold a variable in common: alone, or as one of several.
bool holds_same_state(const Buffer& a, const Buffer& b);

// The order of execution, also before `outline` wrote it down.
std::vector<KernelCall> calls_of(const Program& program);

}  // namespace cohort::kernel
