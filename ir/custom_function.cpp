#include "ir/custom_function.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace cohort {

namespace {

constexpr std::uint64_t kMostSteps = 1 << 26;  // rounds of loops and calls for one element
constexpr int kDeepest = 4000;                 // values and statements within each other, through calls

// The bits of a value in its dtype, zero-extended.
template <typename T>
std::uint64_t to_bits(T value) {
  if constexpr (std::is_same_v<T, float>) return std::bit_cast<std::uint32_t>(value);
  if constexpr (std::is_same_v<T, double>) return std::bit_cast<std::uint64_t>(value);
  if constexpr (std::is_integral_v<T>)
    return static_cast<std::make_unsigned_t<std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>>>(
        value);
}
template <typename T>
T from_bits(std::uint64_t bits) {
  if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  else if constexpr (std::is_same_v<T, double>)
    return std::bit_cast<double>(bits);
  else
    return static_cast<T>(bits);
}

// Calls f with a value of the dtype's C++ type. Halves are no types of the user's functions.
template <typename F>
auto visit(DType dtype, F&& f) {
  switch (dtype) {
    case DType::kBool:
      return f(bool{});
    case DType::kI8:
      return f(std::int8_t{});
    case DType::kI16:
      return f(std::int16_t{});
    case DType::kI32:
      return f(std::int32_t{});
    case DType::kI64:
      return f(std::int64_t{});
    case DType::kU8:
      return f(std::uint8_t{});
    case DType::kU16:
      return f(std::uint16_t{});
    case DType::kU32:
      return f(std::uint32_t{});
    case DType::kU64:
      return f(std::uint64_t{});
    case DType::kF32:
      return f(float{});
    default:
      return f(double{});
  }
}

template <typename T>
T math(CustomOp op, T a, T b, T c) {
#define CUSTOM_MATH(name, arity) CUSTOM_MATH_##arity(name)
#define CUSTOM_MATH_1(name) \
  case CustomOp::k_##name:  \
    return std::name(a);
#define CUSTOM_MATH_2(name) \
  case CustomOp::k_##name:  \
    return std::name(a, b);
#define CUSTOM_MATH_3(name) \
  case CustomOp::k_##name:  \
    return std::name(a, b, c);
  switch (op) {
#include "ir/custom_math.def"
    default:
      internal_error("a function of <cmath> that is none");
  }
#undef CUSTOM_MATH_1
#undef CUSTOM_MATH_2
#undef CUSTOM_MATH_3
}

// One run of one function.
class Run {
 public:
  explicit Run(const CustomFunction& function) : function_(function) {}

  std::uint64_t call(std::size_t which, std::vector<std::uint64_t> arguments) {
    const CustomDefinition* const outside = definition_;
    std::vector<std::uint64_t> locals = std::move(locals_);
    definition_ = &function_.definitions[which];
    count(definition_->meaning);
    locals_ = std::move(arguments);
    locals_.resize(definition_->locals);
    run(definition_->meaning);
    locals_ = std::move(locals);
    definition_ = outside;
    return returned_;
  }

 private:
  enum class Flow : std::uint8_t { kNext, kBreak, kContinue, kReturn };

  [[noreturn]] void undefined(const CustomNode& at, std::string_view what) const {
    throw UserError(diagnostic(DiagId::kCustomUndefined, {definition_->location.file, at.line, at.column},
                               definition_->name, what));
  }
  void count(const CustomNode& at) {
    if (++steps_ > kMostSteps) undefined(at, fmt::format("takes more than {} steps", kMostSteps));
  }

  // One level more as long as it lives.
  struct Level {
    Level(Run& run, const CustomNode& at) : depth(run.depth_) {
      if (++depth > kDeepest) run.undefined(at, "calls lie too deep");
    }
    ~Level() { --depth; }
    int& depth;
  };

  Flow run(const CustomNode& s) {
    const Level level(*this, s);
    switch (s.kind) {
      case CustomKind::kBlock:
        for (const CustomNode& each : s.args)
          if (const Flow flow = run(each); flow != Flow::kNext) return flow;
        return Flow::kNext;
      case CustomKind::kIf:
        if (value(s.args[0]) != 0) return run(s.args[1]);
        return s.args.size() > 2 ? run(s.args[2]) : Flow::kNext;
      case CustomKind::kLoop:
        return loop(s);
      case CustomKind::kReturn:
        returned_ = value(s.args[0]);
        return Flow::kReturn;
      case CustomKind::kBreak:
        return Flow::kBreak;
      case CustomKind::kContinue:
        return Flow::kContinue;
      default:
        value(s);
        return Flow::kNext;
    }
  }
  Flow loop(const CustomNode& s) {
    for (bool ask = s.index == 0;; ask = true) {
      if (ask && value(s.args[0]) == 0) return Flow::kNext;
      count(s);
      const Flow flow = run(s.args[1]);
      if (flow == Flow::kReturn) return flow;
      if (flow == Flow::kBreak) return Flow::kNext;
      run(s.args[2]);
    }
  }

  std::uint64_t value(const CustomNode& e) {
    const Level level(*this, e);
    switch (e.kind) {
      case CustomKind::kConst:
        return e.bits;
      case CustomKind::kLocal:
        return locals_[e.index];
      case CustomKind::kConvert:
        return convert(e, value(e.args[0]));
      case CustomKind::kUnary:
        return unary(e, value(e.args[0]));
      case CustomKind::kBinary: {
        const std::uint64_t a = value(e.args[0]);
        return binary(e, a, value(e.args[1]));
      }
      case CustomKind::kAnd:
        return value(e.args[0]) != 0 && value(e.args[1]) != 0;
      case CustomKind::kOr:
        return value(e.args[0]) != 0 || value(e.args[1]) != 0;
      case CustomKind::kSelect:
        return value(e.args[value(e.args[0]) != 0 ? 1 : 2]);
      case CustomKind::kAssign:
      case CustomKind::kExchange: {
        const std::uint64_t next = value(e.args[0]);
        const std::uint64_t old = std::exchange(locals_[e.index], next);
        return e.kind == CustomKind::kAssign ? next : old;
      }
      case CustomKind::kComma:
        value(e.args[0]);
        return value(e.args[1]);
      case CustomKind::kMath: {
        std::array<std::uint64_t, 3> a{};
        for (std::size_t i = 0; i < e.args.size(); ++i) a[i] = value(e.args[i]);
        const auto in = [&](auto t) {
          using T = decltype(t);
          return to_bits(math<T>(e.op, from_bits<T>(a[0]), from_bits<T>(a[1]), from_bits<T>(a[2])));
        };
        return e.args[0].dtype == DType::kF32 ? in(float{}) : in(double{});
      }
      case CustomKind::kCall: {
        std::vector<std::uint64_t> arguments;
        for (const CustomNode& a : e.args) arguments.push_back(value(a));
        return call(e.index, std::move(arguments));
      }
      default:
        internal_error("a statement that stands as a value");
    }
  }

  std::uint64_t convert(const CustomNode& e, std::uint64_t bits) const {
    return visit(e.args[0].dtype, [&](auto from) {
      return visit(e.dtype, [&](auto to) -> std::uint64_t {
        using From = decltype(from);
        using To = decltype(to);
        const From x = from_bits<From>(bits);
        if constexpr (std::is_same_v<To, bool>) {
          return x != From{};
        } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
          // The whole part must be a value of the type.
          const From whole = std::trunc(x);
          const From low = static_cast<From>(std::numeric_limits<To>::min());
          const From high = std::ldexp(From{1}, std::numeric_limits<To>::digits);
          if (!(whole >= low && whole < high))
            undefined(e, fmt::format("converts {} to `{}`, which cannot hold it", x, dtype_name(e.dtype)));
          return to_bits(static_cast<To>(x));
        } else {
          return to_bits(static_cast<To>(x));
        }
      });
    });
  }

  std::uint64_t unary(const CustomNode& e, std::uint64_t bits) const {
    if (e.op == CustomOp::kNot) return bits == 0;
    return visit(e.dtype, [&](auto t) -> std::uint64_t {
      using T = decltype(t);
      const T x = from_bits<T>(bits);
      if constexpr (std::is_same_v<T, bool>) {
        return bits;
      } else if constexpr (std::is_floating_point_v<T>) {
        return to_bits(-x);
      } else {
        if (e.op == CustomOp::kBitNot) return to_bits(static_cast<T>(~x));
        if (std::is_signed_v<T> && x == std::numeric_limits<T>::min())
          undefined(e, "overflows a signed integer");
        return to_bits(static_cast<T>(T{0} - x));
      }
    });
  }

  template <typename T>
  static std::optional<std::uint64_t> comparison(CustomOp op, T a, T b) {
    switch (op) {
      case CustomOp::kLess:
        return a < b;
      case CustomOp::kLessEqual:
        return a <= b;
      case CustomOp::kGreater:
        return a > b;
      case CustomOp::kGreaterEqual:
        return a >= b;
      case CustomOp::kEqual:
        return a == b;
      case CustomOp::kNotEqual:
        return a != b;
      default:
        return {};
    }
  }

  std::uint64_t binary(const CustomNode& e, std::uint64_t a_bits, std::uint64_t b_bits) const {
    return visit(e.args[0].dtype, [&](auto t) -> std::uint64_t {
      using T = decltype(t);
      const T a = from_bits<T>(a_bits), b = from_bits<T>(b_bits);
      if (const auto truth = comparison(e.op, a, b)) return *truth;
      if constexpr (std::is_same_v<T, bool>)
        internal_error("arithmetic in bool");
      else if constexpr (std::is_floating_point_v<T>)
        return floating(e.op, a, b);
      else
        return integral(e, a, b, static_cast<unsigned>(b_bits));
    });
  }
  template <typename T>
  static std::uint64_t floating(CustomOp op, T a, T b) {
    switch (op) {
      case CustomOp::kAdd:
        return to_bits(a + b);
      case CustomOp::kSubtract:
        return to_bits(a - b);
      case CustomOp::kMultiply:
        return to_bits(a * b);
      case CustomOp::kDivide:
        return to_bits(a / b);
      default:
        internal_error("an operator that floats do not have");
    }
  }
  template <typename T>
  std::uint64_t integral(const CustomNode& e, T a, T b, unsigned shift) const {
    T result = 0;
    bool overflows = false;
    switch (e.op) {
      case CustomOp::kAdd:
        overflows = __builtin_add_overflow(a, b, &result);
        break;
      case CustomOp::kSubtract:
        overflows = __builtin_sub_overflow(a, b, &result);
        break;
      case CustomOp::kMultiply:
        overflows = __builtin_mul_overflow(a, b, &result);
        break;
      case CustomOp::kDivide:  // by constants other than 0 and -1
        result = static_cast<T>(a / b);
        break;
      case CustomOp::kRemainder:
        result = static_cast<T>(a % b);
        break;
      case CustomOp::kShiftLeft:
        result = static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) << shift);
        break;
      case CustomOp::kShiftRight:
        result = static_cast<T>(a >> shift);
        break;
      case CustomOp::kBitAnd:
        result = static_cast<T>(a & b);
        break;
      case CustomOp::kBitOr:
        result = static_cast<T>(a | b);
        break;
      case CustomOp::kBitXor:
        result = static_cast<T>(a ^ b);
        break;
      default:
        internal_error("an operator that integers do not have");
    }
    if (overflows && std::is_signed_v<T>) undefined(e, "overflows a signed integer");
    return to_bits(result);
  }

  const CustomFunction& function_;
  const CustomDefinition* definition_ = nullptr;
  std::vector<std::uint64_t> locals_;
  std::uint64_t returned_ = 0;
  std::uint64_t steps_ = 0;
  int depth_ = 0;
};

}  // namespace

std::string custom_key(const CustomFunction& function) {
  std::string key;
  for (const CustomDefinition& definition : function.definitions) {
    key += definition.result + " " + definition.name + "(" + definition.arguments + ")";
    for (const CustomText& piece : definition.body)
      key += piece.callee == CustomText::kPlain ? piece.text : fmt::format("<{}>", piece.callee);
  }
  return key;
}

Scalar evaluate_custom(const CustomFunction& function, std::span<const Scalar> arguments, DType dtype) {
  const auto cast = [](Scalar scalar, DType to) {
    return scalar.dtype == to ? scalar : evaluate_scalar(ScalarOp::k_cast, {&scalar, 1}, to);
  };
  const CustomDefinition& definition = function.definition();
  std::vector<std::uint64_t> values;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    values.push_back(cast(arguments[i], definition.parameters[i].dtype).bits);
  return cast({definition.dtype, Run(function).call(function.definitions.size() - 1, std::move(values))},
              dtype);
}

}  // namespace cohort
