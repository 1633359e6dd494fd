// Index arithmetic as sums: what flat indices are compared, simplified and collapsed by.
//
//   add(mul(add(mul(v0, 8), v1), n), 3)   is   8*n * v0  +  n * v1  +  3
//
// A factor is a constant times dims (each `scale * name + offset` as one); an atom is a variable or an i64
// expr that is no sum. (L floor_div a) * a + (L mod a) is L again, which is what reading through a reshape
// comes to.
#pragma once

#include <optional>

#include "ir/kernel.h"

namespace cohort::kernel {

struct Term {
  std::int64_t constant = 1;
  std::vector<Dim> dims;  // sorted
  ExprRef atom;           // null: the term is its factor alone
};
struct Linear {
  std::vector<Term> terms;  // no two with equal atom and dims, none with constant 0; in order of appearance
};

Linear decompose(const ExprRef& expr);
ExprRef compose(const Linear& linear);

// The factor of a variable as terms without atoms (none: it does not occur); nothing if it occurs inside
// another atom.
std::optional<Linear> factor_of(const Linear& linear, VarId var);
Linear multiply(const Linear& linear, const Linear& factor);  // `factor` has no atoms
bool equal(const Linear& a, const Linear& b);                 // in any order
std::optional<std::int64_t> constant_value(const Linear& linear);
std::optional<std::int64_t> constant_value(const ExprRef& expr);  // of an i64 constant

}  // namespace cohort::kernel
