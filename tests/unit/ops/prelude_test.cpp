// The runtime's spelling of every scalar operator against the operator's meaning: the same bits where the row
// says exact, else within the row's distance. This is what ties rt_<name> and the ulp column to the eval
// column.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "cohort/prelude.h"
#include "ir/op_def.h"

namespace cohort::test {

namespace {

template <typename T>
constexpr DType kDTypeOf = DType::kF64;
template <>
constexpr DType kDTypeOf<bool> = DType::kBool;
template <>
constexpr DType kDTypeOf<std::int8_t> = DType::kI8;
template <>
constexpr DType kDTypeOf<std::int32_t> = DType::kI32;
template <>
constexpr DType kDTypeOf<std::int64_t> = DType::kI64;
template <>
constexpr DType kDTypeOf<std::uint8_t> = DType::kU8;
template <>
constexpr DType kDTypeOf<std::uint64_t> = DType::kU64;
template <>
constexpr DType kDTypeOf<float> = DType::kF32;

template <typename T>
Scalar scalar_of(T value) {
  Scalar scalar{kDTypeOf<T>, 0};
  std::memcpy(&scalar.bits, &value, sizeof(value));
  return scalar;
}
template <typename T>
T value_of(const Scalar& scalar) {
  T value;
  std::memcpy(&value, &scalar.bits, sizeof(value));
  return value;
}

// How many values of T lie between a and b; 0 for equal ones and for two NaNs.
template <typename T>
double units_apart(T a, T b) {
  if (a == b && (!std::is_floating_point_v<T> || std::signbit(a) == std::signbit(b))) return 0;
  if constexpr (std::is_floating_point_v<T>) {
    if (a != a || b != b) return a != a && b != b ? 0 : INFINITY;
    if (a == b) return 1;  // zeros of both signs
    if (std::isinf(a) && std::isinf(b)) return INFINITY;
    using Bits = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
    const auto position = [](T x) -> long double {
      const Bits bits = std::bit_cast<Bits>(x);
      return static_cast<long double>(bits < 0 ? std::numeric_limits<Bits>::min() - bits : bits);
    };
    return std::fabs(static_cast<double>(position(a) - position(b)));
  }
  return INFINITY;
}

// The edges of T, small numbers, and some at random, of every magnitude.
template <typename T>
std::vector<T> samples() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values{T(0), T(1), T(2), T(3), T(7), T(8), T(31), T(63), T(64), T(100)};
  const auto add = [&](T value) { values.push_back(value); };
  std::uint64_t seed = 12345;
  const auto random = [&]() { return seed = seed * 6364136223846793005u + 1442695040888963407u; };
  if constexpr (std::is_floating_point_v<T>) {
    for (T value :
         {T(0.5), T(1.5), T(2.5), T(1e-3), T(0.1), T(0.9999999), T(1.0000001), T(88.5), T(700), T(1e10),
          Limits::denorm_min(), Limits::min(), Limits::max(), Limits::infinity(), Limits::quiet_NaN()}) {
      add(value);
    }
    for (int i = 0; i < 25; ++i) {
      add(static_cast<T>(static_cast<double>(random() >> 11) * 0x1p-50));
      add(static_cast<T>(
          std::ldexp(static_cast<double>(random() >> 11) * 0x1p-53, static_cast<int>(seed >> 59) - 16)));
    }
    for (std::size_t i = values.size(); i-- > 0;) add(-values[i]);
  } else {
    for (T value : {Limits::min(), Limits::max(), T(Limits::max() - 1), T(-1), T(-2), T(-7), T(-64)})
      add(value);
    for (int i = 0; i < 15; ++i) add(static_cast<T>(random() >> 3 >> (seed >> 59)));
  }
  return values;
}

// The terms of these cancel near zeros that are no representable number; ops.def states their distance in
// units of the operands, or of 1, then.
bool cancels(ScalarOp op) {
  return op == ScalarOp::k_logaddexp || op == ScalarOp::k_gammaln || op == ScalarOp::k_digamma;
}
// The terms of polygamma of even order cancel below 0; the greatest is its value at the distance from the
// nearest integer.
template <typename T>
bool is_within_terms(ScalarOp op, std::span<const Scalar> operands, T a, T b) {
  if (op != ScalarOp::k_polygamma || !(scalar_as_double(operands[1]) < 0)) return false;
  const double x = scalar_as_double(operands[1]);
  const Scalar at[] = {operands[0], scalar_of(static_cast<T>(std::fabs(x - std::nearbyint(x))))};
  const double terms = std::fabs(scalar_as_double(evaluate_scalar(op, at, kDTypeOf<T>)));
  if (std::isinf(terms)) return true;
  return std::fabs(double{a} - double{b}) <= 64 * double{std::numeric_limits<T>::epsilon()} * terms;
}
// Of two neighbouring counts either is right where the probability lies on the step between them.
bool is_on_step(ScalarOp op, std::span<const Scalar> operands, double a, double b) {
  const bool poisson = op == ScalarOp::k_poisson_quantile;
  if ((!poisson && op != ScalarOp::k_binomial_quantile) || std::fabs(a - b) != 1) return false;
  const auto f64 = [](double x) { return make_scalar(DType::kF64, x); };
  const double k = std::min(a, b), first = scalar_as_double(operands[0]),
               p = scalar_as_double(operands.back());
  const Scalar tail[] = {f64(k + 1), f64(first)};
  const Scalar beta[] = {f64(first - k), f64(k + 1), f64(1 - scalar_as_double(operands[1]))};
  const double within = scalar_as_double(poisson ? evaluate_scalar(ScalarOp::k_gammaincc, tail, DType::kF64)
                                                 : evaluate_scalar(ScalarOp::k_betainc, beta, DType::kF64));
  return std::fabs(within - p) <= 1e-13 * p;
}
// Functions with parameters are stated for those and arguments from 1e-280 to 1e30, 0 and infinity.
bool is_stated(ScalarOp op, std::span<const Scalar> operands) {
  switch (op) {
    case ScalarOp::k_gammainc:
    case ScalarOp::k_gammaincc:
    case ScalarOp::k_gammainc_grad:
    case ScalarOp::k_gammaincinv:
    case ScalarOp::k_poisson_quantile:
    case ScalarOp::k_binomial_quantile:
    case ScalarOp::k_betaincinv:
    case ScalarOp::k_betainc:
    case ScalarOp::k_betainc_grad_a:
    case ScalarOp::k_betainc_grad_b:
    case ScalarOp::k_ive:
    case ScalarOp::k_kve:
      return std::all_of(operands.begin(), operands.end(), [](const Scalar& s) {
        const double x = std::fabs(scalar_as_double(s));
        return !std::isfinite(x) || x == 0 || (x >= 1e-280 && x <= 1e30);
      });
    default:
      return true;
  }
}
template <typename T, typename... Operand>
double units_of_terms(T a, T b, Operand... operands) {
  T scale = 1;
  for (T x : {a, b, operands...}) scale = std::isfinite(x) ? std::max(scale, std::fabs(x)) : scale;
  return static_cast<double>(std::fabs(a - b) / (scale * std::numeric_limits<T>::epsilon()));
}

struct Worst {
  double apart = 0;
  std::string at;
};

template <typename T, typename F, typename... Operand>
void compare(ScalarOp op, Worst& worst, F function, Operand... operands) {
  const Scalar scalars[] = {scalar_of(operands)...};
  if (!is_stated(op, scalars)) return;
  const auto seen = function(operands...);
  using R = std::remove_const_t<decltype(seen)>;
  const R expected = value_of<R>(evaluate_scalar(op, scalars, kDTypeOf<R>));
  double apart = units_apart<R>(seen, expected);
  if constexpr (std::is_floating_point_v<R>) {
    if (cancels(op) && std::isfinite(seen) && std::isfinite(expected)) {
      apart = std::min(apart, units_of_terms<R>(seen, expected, static_cast<R>(operands)...));
    }
    if (apart > 0 && is_within_terms<R>(op, scalars, seen, expected)) apart = 0;
    if (apart > 0 && is_on_step(op, scalars, seen, expected)) apart = 0;
  }
  if (apart <= worst.apart) return;
  worst.apart = apart;
  worst.at.clear();
  for (const Scalar& scalar : scalars) worst.at += fmt::format("{} ", scalar_as_double(scalar));
  worst.at += fmt::format("gives {}, not {}", seen, expected);
}

template <typename T, int kArity, typename F>
void check_row(ScalarOp op, F function) {
  Worst worst;
  const std::vector<T> values = samples<T>();
  for (T a : values) {
    if constexpr (kArity == 1) {
      compare<T>(op, worst, function, a);
    } else {
      for (T b : values) {
        if constexpr (kArity == 2)
          compare<T>(op, worst, function, a, b);
        else
          for (T c : {values[0], values[3], values[15], values.back(), a, b})
            compare<T>(op, worst, function, a, b, c);
      }
    }
  }
  const ScalarOpInfo& info = scalar_op_info(op);
  INFO(info.name << " of " << dtype_name(kDTypeOf<T>) << ": " << worst.at);
  CHECK(worst.apart <= info.ulp);
}

// Rows that are no plain functions of operands of one dtype, or whose operands are bool, have cases of their
// own.
template <Operands kOperands, typename T>
constexpr bool kHas = accepts(kOperands, kDTypeOf<T>) && kOperands != Operands::kSelect&& kOperands
                                                             != Operands::kBool;

template <ScalarOp kOp, Operands kOperands, int kArity, typename T, typename F>
void check_dtype(F function) {
  if constexpr (kHas<kOperands, T> && kOp != ScalarOp::k_cast) check_row<T, kArity>(kOp, function);
}

template <ScalarOp kOp, Operands kOperands, int kArity, typename F>
void check_dtypes(F function) {
  check_dtype<kOp, kOperands, kArity, std::int8_t>(function);
  check_dtype<kOp, kOperands, kArity, std::int32_t>(function);
  check_dtype<kOp, kOperands, kArity, std::int64_t>(function);
  check_dtype<kOp, kOperands, kArity, std::uint8_t>(function);
  check_dtype<kOp, kOperands, kArity, std::uint64_t>(function);
  check_dtype<kOp, kOperands, kArity, float>(function);
  check_dtype<kOp, kOperands, kArity, double>(function);
}

template <typename From, typename To>
void check_cast() {
  Worst worst;
  for (From a : samples<From>()) {
    compare<From>(
        ScalarOp::k_cast, worst, [](From x) { return static_cast<To>(rt_cast<To>(x)); }, a);
  }
  INFO("cast of " << dtype_name(kDTypeOf<From>) << " to " << dtype_name(kDTypeOf<To>) << ": " << worst.at);
  CHECK(worst.apart == 0);
}
template <typename From>
void check_casts() {
  check_cast<From, bool>();
  check_cast<From, std::int8_t>();
  check_cast<From, std::int32_t>();
  check_cast<From, std::int64_t>();
  check_cast<From, std::uint8_t>();
  check_cast<From, std::uint64_t>();
  check_cast<From, float>();
  check_cast<From, double>();
}

}  // namespace

TEST_CASE("the runtime computes what the operators mean") {
#define OP(name, arity, operands, result, traits, ulp, meaning, eval, ...) \
  check_dtypes<ScalarOp::k_##name, Operands::operands, arity>([](auto... x) { return rt_##name(x...); });
#include "ir/ops.def"
}

TEST_CASE("the runtime casts as the operator does") {
  check_casts<std::int8_t>();
  check_casts<std::int32_t>();
  check_casts<std::int64_t>();
  check_casts<std::uint8_t>();
  check_casts<std::uint64_t>();
  check_casts<float>();
  check_casts<double>();
}

}  // namespace cohort::test
