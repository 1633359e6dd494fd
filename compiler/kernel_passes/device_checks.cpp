#include "compiler/kernel_passes/device_checks.h"

#include <algorithm>

#include "compiler/kernel_passes/statements.h"
#include "compiler/kernel_passes/walk.h"

namespace cohort::kernel {
namespace {

bool is_check(const Stmt& s) { return s.kind == StmtKind::kCheck || s.kind == StmtKind::kAssert; }

// How many checks one run of the statements meets, at most; null: none.
ExprRef count_of(const std::vector<Stmt>& list);
ExprRef count_of(const Stmt& s) {
  if (is_check(s)) return constant_index(1);
  const ExprRef then = count_of(s.body), otherwise = count_of(s.else_body);
  if (s.kind == StmtKind::kFor) return then ? s.value * then : nullptr;
  return then && otherwise ? then + otherwise : then ? then : otherwise;
}
ExprRef count_of(const std::vector<Stmt>& list) {
  ExprRef sum;
  for (const Stmt& s : list) {
    const ExprRef count = count_of(s);
    if (count) sum = sum ? sum + count : count;
  }
  return sum;
}

// `first`: the place of the first check of the list.
void order(std::vector<Stmt>& list, ExprRef first) {
  for (Stmt& s : list) {
    if (is_check(s)) s.index.push_back(first);
    const ExprRef count = count_of(s);
    if (!count) continue;
    if (s.kind == StmtKind::kFor) {
      order(s.body, first + variable(s.var, DType::kI64) * count_of(s.body));
    } else {
      order(s.body, first);
      const ExprRef then = count_of(s.body);
      order(s.else_body, then ? first + then : first);
    }
    first = first + count;
  }
}

}  // namespace

bool has_checks(const std::vector<Stmt>& body) {
  bool found = false;
  for_each_stmt(body, [&](const Stmt& s) { found = found || is_check(s); });
  return found;
}

bool checks_have_order(const std::vector<Stmt>& body) {
  bool known = true;
  for_each_stmt(body, [&](const Stmt& s) {
    if (s.kind == StmtKind::kFor && has_checks(s.body)) known = known && is_extent(s.value);
  });
  return known;
}

void order_checks(std::vector<Stmt>& body) { order(body, constant_index(0)); }

void guard_by_checks(Program& program, std::vector<Stmt>& body) {
  for (std::size_t k = body.size(); k-- > 0;) {
    guard_by_checks(program, body[k].body);
    guard_by_checks(program, body[k].else_body);
    if (!is_check(body[k]) || k + 1 == body.size()) continue;
    Stmt good = let(program.next_var++, body[k].value);
    Stmt guarded;
    guarded.kind = StmtKind::kIf;
    guarded.value = body[k].value = variable(good.var, DType::kBool);
    const auto rest = body.begin() + static_cast<std::ptrdiff_t>(k) + 1;
    guarded.body.assign(std::make_move_iterator(rest), std::make_move_iterator(body.end()));
    body.erase(rest, body.end());
    body.insert(body.end() - 1, std::move(good));
    body.push_back(std::move(guarded));
  }
}

}  // namespace cohort::kernel
