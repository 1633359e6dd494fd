#include "compiler/kernel_passes/linear.h"

#include <algorithm>
#include <tuple>

#include "compiler/kernel_passes/walk.h"

namespace cohort::kernel {
namespace {

constexpr std::size_t kMaxTerms = 32;  // beyond it a product stays one atom

bool less(const Dim& a, const Dim& b) {
  return std::tie(a.symbol, a.scale, a.offset) < std::tie(b.symbol, b.scale, b.offset);
}

bool same_kind(const Term& a, const Term& b) { return a.dims == b.dims && equal(a.atom, b.atom); }

void add(Linear& to, Term term) {
  for (auto it = to.terms.begin(); it != to.terms.end(); ++it) {
    if (!same_kind(*it, term)) continue;
    it->constant += term.constant;
    if (it->constant == 0) to.terms.erase(it);
    return;
  }
  if (term.constant != 0) to.terms.push_back(std::move(term));
}

void add(Linear& to, const Linear& from, std::int64_t times) {
  for (Term term : from.terms) {
    term.constant *= times;
    add(to, std::move(term));
  }
}

bool has_atoms(const Linear& linear) {
  return std::any_of(linear.terms.begin(), linear.terms.end(),
                     [](const Term& t) { return t.atom != nullptr; });
}

bool is_op(const ExprRef& e, ScalarOp op) { return e && e->kind == ExprKind::kOp && e->op == op; }

// (L floor_div a) * a * c + (L mod a) * c becomes L * c, where a is one term without atom.
bool join_division(Linear& linear) {
  for (std::size_t m = 0; m < linear.terms.size(); ++m) {
    const Term rest = linear.terms[m];
    if (!is_op(rest.atom, ScalarOp::k_mod)) continue;
    const Linear divisor = decompose(rest.atom->args[1]);
    if (divisor.terms.size() != 1 || has_atoms(divisor)) continue;
    const Linear scaled = multiply({{{rest.constant, rest.dims, nullptr}}}, divisor);
    for (std::size_t q = 0; q < linear.terms.size(); ++q) {
      const Term& quotient = linear.terms[q];
      if (!is_op(quotient.atom, ScalarOp::k_floor_div) ||
          !equal(quotient.atom->args[0], rest.atom->args[0]) ||
          !equal(quotient.atom->args[1], rest.atom->args[1]))
        continue;
      if (quotient.constant != scaled.terms[0].constant || quotient.dims != scaled.terms[0].dims) continue;
      const Linear whole = multiply(decompose(rest.atom->args[0]), {{{rest.constant, rest.dims, nullptr}}});
      linear.terms.erase(linear.terms.begin() + static_cast<std::ptrdiff_t>(std::max(m, q)));
      linear.terms.erase(linear.terms.begin() + static_cast<std::ptrdiff_t>(std::min(m, q)));
      add(linear, whole, 1);
      return true;
    }
  }
  return false;
}

Linear parts(const ExprRef& e) {
  if (e->kind == ExprKind::kConst) {
    const auto value = static_cast<std::int64_t>(e->bits);
    return value == 0 ? Linear{} : Linear{{{value, {}, nullptr}}};
  }
  if (e->kind == ExprKind::kDim) return {{{1, {e->dim}, nullptr}}};
  if (is_op(e, ScalarOp::k_add) || is_op(e, ScalarOp::k_sub)) {
    Linear sum = parts(e->args[0]);
    add(sum, parts(e->args[1]), e->op == ScalarOp::k_add ? 1 : -1);
    return sum;
  }
  if (is_op(e, ScalarOp::k_mul)) {
    const Linear a = parts(e->args[0]), b = parts(e->args[1]);
    if (a.terms.size() * b.terms.size() <= kMaxTerms) {
      if (!has_atoms(b)) return multiply(a, b);
      if (!has_atoms(a)) return multiply(b, a);
    }
  }
  return {{{1, {}, e}}};
}

}  // namespace

Linear decompose(const ExprRef& expr) {
  Linear linear = parts(expr);
  while (join_division(linear)) {
  }
  return linear;
}

ExprRef compose(const Linear& linear) {
  ExprRef sum;
  for (const Term& term : linear.terms) {
    ExprRef product = term.atom ? term.atom : constant_index(1);
    for (const Dim& dim : term.dims) product = product * extent(dim);
    product = term.atom || !term.dims.empty() ? product * constant_index(term.constant)
                                              : constant_index(term.constant);
    sum = sum ? sum + product : product;
  }
  return sum ? sum : constant_index(0);
}

std::optional<Linear> factor_of(const Linear& linear, VarId var) {
  Linear factor;
  for (const Term& term : linear.terms) {
    if (!term.atom) continue;
    if (term.atom->kind == ExprKind::kVar && term.atom->id == var)
      add(factor, {term.constant, term.dims, nullptr});
    else if (mentions(term.atom, var))
      return std::nullopt;
  }
  return factor;
}

Linear multiply(const Linear& linear, const Linear& factor) {
  Linear product;
  for (const Term& a : linear.terms) {
    for (const Term& b : factor.terms) {
      Term term = a;
      term.constant *= b.constant;
      term.dims.insert(term.dims.end(), b.dims.begin(), b.dims.end());
      std::sort(term.dims.begin(), term.dims.end(), less);
      add(product, std::move(term));
    }
  }
  return product;
}

bool equal(const Linear& a, const Linear& b) {
  Linear difference = a;
  add(difference, b, -1);
  return difference.terms.empty();
}

std::optional<std::int64_t> constant_value(const ExprRef& expr) {
  if (expr->kind != ExprKind::kConst) return std::nullopt;
  return static_cast<std::int64_t>(expr->bits);
}

std::optional<std::int64_t> constant_value(const Linear& linear) {
  if (linear.terms.empty()) return 0;
  const Term& term = linear.terms.front();
  if (linear.terms.size() > 1 || term.atom || !term.dims.empty()) return std::nullopt;
  return term.constant;
}

}  // namespace cohort::kernel
