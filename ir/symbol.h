// Values of a function that is being built, with the operators of the table as C++ operators and functions:
// the language in which gradients are written, in ops.def and in the files of structured operators.
//
//   Symbol y = where(x > 0.0, exp(x) / (1.0 + exp(x)), x);
//
// Operands broadcast as in the graph and must have equal dtypes; numbers take the dtype of what they meet.
#pragma once

#include <array>

#include "ir/builder.h"

namespace cohort {

struct Symbol {
  FunctionBuilder* to = nullptr;
  ValueId value = kNoId;
  // Where it counts, as a bool value that broadcasts to it; kNoId: everywhere. Set by when(), read by the
  // gradient only: a masked value may be anything where the mask is false, NaN too.
  ValueId mask = kNoId;
  enum class Kind : std::uint8_t { kValue, kZero, kUndefined } kind = Kind::kValue;

  Type type() const { return to->type(value); }  // by value: adding nodes moves the types of all
};

namespace symbols {

Symbol scalar_node(std::string_view op, std::span<const Symbol> operands);
Symbol number_like(const Symbol& like, double number);

inline const Symbol zero{nullptr, kNoId, kNoId, Symbol::Kind::kZero};
inline const Symbol undefined{nullptr, kNoId, kNoId, Symbol::Kind::kUndefined};
inline constexpr double kLog2 = 0.693147180559945309417;     // log(2)
inline constexpr double kLog10 = 2.30258509299404568402;     // log(10)
inline constexpr double kNormalPeak = 0.398942280401432678;    // 1 / sqrt(2 pi)
inline constexpr double kErfSlope = 1.12837916709551257390;  // 2 / sqrt(pi), the slope of erf at 0

// x where c, nothing elsewhere: see Symbol::mask.
Symbol when(const Symbol& c, const Symbol& x);
// x in the dtype of `like`; zero if that is no float.
Symbol cast_like(const Symbol& x, const Symbol& like);

#define COHORT_UNARY(name, op) \
  inline Symbol name(const Symbol& a) { return scalar_node(op, std::array{a}); }
#define COHORT_BINARY(name, op)                                                                      \
  inline Symbol name(const Symbol& a, const Symbol& b) { return scalar_node(op, std::array{a, b}); } \
  inline Symbol name(const Symbol& a, double b) {                                                    \
    return scalar_node(op, std::array{a, number_like(a, b)});                                        \
  }                                                                                                  \
  inline Symbol name(double a, const Symbol& b) { return scalar_node(op, std::array{number_like(b, a), b}); }

COHORT_UNARY(operator-, "neg")
COHORT_UNARY(operator!, "not")
COHORT_BINARY(operator+, "add")
COHORT_BINARY(operator-, "sub")
COHORT_BINARY(operator*, "mul")
COHORT_BINARY(operator/, "true_div")
COHORT_BINARY(operator==, "eq")
COHORT_BINARY(operator!=, "ne")
COHORT_BINARY(operator<, "lt")
COHORT_BINARY(operator<=, "le")
COHORT_BINARY(operator>, "gt")
COHORT_BINARY(operator>=, "ge")
COHORT_BINARY(operator&&, "and")
COHORT_BINARY(floor_div, "floor_div")
COHORT_BINARY(gammainc_grad, "gammainc_grad")
COHORT_BINARY(hypot, "hypot")
COHORT_BINARY(ive, "ive")
COHORT_BINARY(kve, "kve")
COHORT_BINARY(max, "max")
COHORT_BINARY(polygamma, "polygamma")
COHORT_BINARY(pow, "pow")
COHORT_BINARY(xlogy, "xlogy")
COHORT_UNARY(cos, "cos")
COHORT_UNARY(cosh, "cosh")
COHORT_UNARY(digamma, "digamma")
COHORT_UNARY(exp, "exp")
COHORT_UNARY(expm1, "expm1")
COHORT_UNARY(gammaln, "gammaln")
COHORT_UNARY(i0, "i0")
COHORT_UNARY(i0e, "i0e")
COHORT_UNARY(i1, "i1")
COHORT_UNARY(i1e, "i1e")
COHORT_UNARY(log, "log")
COHORT_UNARY(reciprocal, "reciprocal")
COHORT_UNARY(sigmoid, "sigmoid")
COHORT_UNARY(sign, "sign")
COHORT_UNARY(sin, "sin")
COHORT_UNARY(sinh, "sinh")
COHORT_UNARY(sqrt, "sqrt")
COHORT_UNARY(square, "square")
COHORT_UNARY(trigamma, "trigamma")
#undef COHORT_UNARY
#undef COHORT_BINARY
inline Symbol where(const Symbol& c, const Symbol& a, const Symbol& b) {
  return scalar_node("where", std::array{c, a, b});
}
inline Symbol betainc_grad_a(const Symbol& a, const Symbol& b, const Symbol& x) {
  return scalar_node("betainc_grad_a", std::array{a, b, x});
}
inline Symbol betainc_grad_b(const Symbol& a, const Symbol& b, const Symbol& x) {
  return scalar_node("betainc_grad_b", std::array{a, b, x});
}
// The densities of the gamma distribution of shape a and of the beta distribution at x.
Symbol gamma_density(const Symbol& a, const Symbol& x);
Symbol beta_density(const Symbol& a, const Symbol& b, const Symbol& x);

}  // namespace symbols
}  // namespace cohort
