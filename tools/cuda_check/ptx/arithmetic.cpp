// Arithmetic on integers, floats and halves. Halves are computed in double precision and rounded once.
#include <cfenv>
#include <cmath>

#include "../include/cuda_check/half_bits.h"
#include "../src/report.h"
#include "frame.h"

namespace cuda_check::ptx {
namespace {

Type element(Type t) { return t == Type::kF16x2 ? Type::kF16 : t == Type::kBf16x2 ? Type::kBf16 : t; }
bool is_pair(Type t) { return t != element(t); }
bool is_half(Type t) { return element(t) == Type::kF16 || element(t) == Type::kBf16; }

int host_rounding(Rounding r) {
  switch (r) {
    case Rounding::kZero:
      return FE_TOWARDZERO;
    case Rounding::kDown:
      return FE_DOWNWARD;
    case Rounding::kUp:
      return FE_UPWARD;
    default:
      return FE_TONEAREST;
  }
}

// The function with the instruction's rounding. Volatile operands keep the compiler from computing it
// elsewhere.
template <class T, class Op>
T with_rounding(const Instruction& i, Op op, T a, T b, T c) {
  if (i.rounding == Rounding::kNearest) return op(a, b, c);
  int before = std::fegetround();
  std::fesetround(host_rounding(i.rounding));
  volatile T x = a, y = b, z = c;
  volatile T result = op(T{x}, T{y}, T{z});
  std::fesetround(before);
  return result;
}

template <class T>
T saturated(T x, bool on) {
  return !on ? x : x > 0 ? (x < 1 ? x : T{1}) : T{0};
}

// A function of up to three operands of the instruction's floating type.
template <class Op>
void floating(const Instruction& i, Frame& f, Op op) {
  uint64_t a = in(i, 1, f), b = i.operands.size() > 2 ? in(i, 2, f) : 0,
           c = i.operands.size() > 3 ? in(i, 3, f) : 0;
  if (i.type == Type::kF64) {
    out(i, f, bits(with_rounding(i, op, as<double>(a), as<double>(b), as<double>(c))));
  } else if (is_half(i.type)) {
    uint64_t result = 0;
    for (int lane = 0; lane < (is_pair(i.type) ? 2 : 1); lane++) {
      auto value = [&](uint64_t v) { return number(v >> 16 * lane & 0xffff, element(i.type)); };
      double r = saturated(op(value(a), value(b), value(c)), i.saturate);
      result |= rounded(r, element(i.type)) << 16 * lane;
    }
    out(i, f, result);
  } else {
    float x = flushed(as<float>(a), i.flush), y = flushed(as<float>(b), i.flush),
          z = flushed(as<float>(c), i.flush);
    out(i, f, bits(saturated(flushed(with_rounding(i, op, x, y, z), i.flush), i.saturate)));
  }
}

// A function of the operands as 64-bit integers, which are extended by the type's sign.
template <class Op>
void integer(const Instruction& i, Frame& f, Op op) {
  uint64_t a = in(i, 1, f), b = i.operands.size() > 2 ? in(i, 2, f) : 0;
  if (is_signed(i.type)) {
    out(i, f,
        zero_extended(static_cast<uint64_t>(op(sign_extended(a, i.type), sign_extended(b, i.type))), i.type));
  } else {
    out(i, f, zero_extended(op(zero_extended(a, i.type), zero_extended(b, i.type)), i.type));
  }
}

__extension__ typedef unsigned __int128 Wide;
__extension__ typedef __int128 SignedWide;

uint64_t mask_of(Type t) { return bytes_of(t) == 8 ? ~uint64_t{0} : (uint64_t{1} << 8 * bytes_of(t)) - 1; }

// a + b + carry, and the carry out of the type's width.
void add_carrying(const Instruction& i, Frame& f, uint64_t a, uint64_t b, bool carry) {
  Wide sum = Wide{a & mask_of(i.type)} + (b & mask_of(i.type)) + carry;
  out(i, f, static_cast<uint64_t>(sum) & mask_of(i.type));
  if (i.carry_out) f.carry = (sum >> 8 * bytes_of(i.type)) != 0;
}

// The low or high half of a product, or all of it (wide).
uint64_t product(const Instruction& i, const Frame& f) {
  uint64_t a = in(i, 1, f), b = in(i, 2, f);
  int width = 8 * bytes_of(i.type);
  Wide p = is_signed(i.type)
               ? static_cast<Wide>(SignedWide{sign_extended(a, i.type)} * sign_extended(b, i.type))
               : Wide{zero_extended(a, i.type)} * zero_extended(b, i.type);
  if (i.wide) return static_cast<uint64_t>(p) & (width == 32 ? ~uint64_t{0} : (uint64_t{1} << 2 * width) - 1);
  return static_cast<uint64_t>(i.high ? p >> width : p) & mask_of(i.type);
}

bool division_by_zero(const Instruction& i, Frame& f) {
  if (zero_extended(in(i, 2, f), i.type)) return false;
  report(Check::kDivisionByZero, {nullptr, i.line}, "%s", i.text.c_str());
  out(i, f, mask_of(i.type));
  return true;
}

// The smaller (or larger): -0 is smaller than +0; a NaN loses unless .NaN.
template <class T>
T extremum(T a, T b, bool least, bool keep_nan) {
  if (std::isnan(a) || std::isnan(b)) {
    if (keep_nan || (std::isnan(a) && std::isnan(b))) return std::numeric_limits<T>::quiet_NaN();
    return std::isnan(a) ? b : a;
  }
  if (a == b) return std::signbit(a) == least ? a : b;
  return (a < b) == least ? a : b;
}

}  // namespace

void add(const Instruction& i, Frame& f) {
  if (is_floating(i.type)) return floating(i, f, [](auto a, auto b, auto) { return a + b; });
  add_carrying(i, f, in(i, 1, f), in(i, 2, f), false);
}
void add_with_carry(const Instruction& i, Frame& f) { add_carrying(i, f, in(i, 1, f), in(i, 2, f), f.carry); }

void subtract(const Instruction& i, Frame& f) {
  if (is_floating(i.type)) return floating(i, f, [](auto a, auto b, auto) { return a - b; });
  uint64_t a = in(i, 1, f) & mask_of(i.type), b = in(i, 2, f) & mask_of(i.type);
  out(i, f, (a - b) & mask_of(i.type));
  if (i.carry_out) f.carry = a < b;  // a borrow
}
void subtract_with_carry(const Instruction& i, Frame& f) {
  uint64_t a = in(i, 1, f) & mask_of(i.type), b = in(i, 2, f) & mask_of(i.type);
  bool borrow = f.carry;
  out(i, f, (a - b - borrow) & mask_of(i.type));
  if (i.carry_out) f.carry = a < b || (borrow && a == b);
}

void multiply(const Instruction& i, Frame& f) {
  if (is_floating(i.type)) return floating(i, f, [](auto a, auto b, auto) { return a * b; });
  out(i, f, product(i, f));
}
void multiply_add(const Instruction& i, Frame& f) {
  if (is_floating(i.type)) return floating(i, f, [](auto a, auto b, auto c) { return std::fma(a, b, c); });
  uint64_t p = product(i, f), c = in(i, 3, f);
  if (!i.wide) return add_carrying(i, f, p, c, false);
  out(i, f, bytes_of(i.type) == 4 ? p + c : (p + c) & ((uint64_t{1} << 16 * bytes_of(i.type)) - 1));
}
void multiply_add_with_carry(const Instruction& i, Frame& f) {
  add_carrying(i, f, product(i, f), in(i, 3, f), f.carry);
}

void divide(const Instruction& i, Frame& f) {
  if (is_floating(i.type)) return floating(i, f, [](auto a, auto b, auto) { return a / b; });
  if (division_by_zero(i, f)) return;
  // The least integer by -1 wraps.
  integer(i, f, [](auto a, auto b) {
    return b + 1 == 0 && b < 0 ? static_cast<decltype(a)>(0 - static_cast<uint64_t>(a)) : a / b;
  });
}
void remainder(const Instruction& i, Frame& f) {
  if (division_by_zero(i, f)) return;
  integer(i, f, [](auto a, auto b) { return b + 1 == 0 && b < 0 ? decltype(a){0} : a % b; });
}

void minimum(const Instruction& i, Frame& f) {
  bool nan = i.nan;
  if (is_floating(i.type))
    return floating(i, f, [nan](auto a, auto b, auto) { return extremum(a, b, true, nan); });
  integer(i, f, [](auto a, auto b) { return a < b ? a : b; });
}
void maximum(const Instruction& i, Frame& f) {
  bool nan = i.nan;
  if (is_floating(i.type))
    return floating(i, f, [nan](auto a, auto b, auto) { return extremum(a, b, false, nan); });
  integer(i, f, [](auto a, auto b) { return a < b ? b : a; });
}
void negate(const Instruction& i, Frame& f) {
  if (is_floating(i.type)) return floating(i, f, [](auto a, auto, auto) { return -a; });
  out(i, f, (0 - in(i, 1, f)) & mask_of(i.type));
}
void absolute(const Instruction& i, Frame& f) {
  if (is_floating(i.type)) return floating(i, f, [](auto a, auto, auto) { return std::fabs(a); });
  int64_t a = sign_extended(in(i, 1, f), i.type);
  out(i, f, (a < 0 ? 0 - static_cast<uint64_t>(a) : static_cast<uint64_t>(a)) & mask_of(i.type));
}
void absolute_difference(const Instruction& i, Frame& f) {
  uint64_t c = in(i, 3, f);
  integer(i, f, [c](auto a, auto b) {
    return static_cast<decltype(a)>((a < b ? b - a : a - b) + static_cast<decltype(a)>(c));
  });
}

// copysign d, a, b: the magnitude of b with the sign of a.
void copy_sign(const Instruction& i, Frame& f) {
  floating(i, f, [](auto a, auto b, auto) { return std::copysign(b, a); });
}

void reciprocal(const Instruction& i, Frame& f) {
  bool coarse = i.type == Type::kF64 && i.flush;  // rcp.approx.ftz.f64 gives the upper 32 bits
  floating(i, f, [](auto a, auto, auto) { return 1 / a; });
  if (coarse) out(i, f, operand_bits(i.operands[0], f) & ~uint64_t{0xffffffff});
}
void root(const Instruction& i, Frame& f) {
  floating(i, f, [](auto a, auto, auto) { return std::sqrt(a); });
}
void reciprocal_root(const Instruction& i, Frame& f) {
  bool coarse = i.type == Type::kF64 && i.flush;
  floating(i, f, [](auto a, auto, auto) { return 1 / std::sqrt(a); });
  if (coarse) out(i, f, operand_bits(i.operands[0], f) & ~uint64_t{0xffffffff});
}
void exponential(const Instruction& i, Frame& f) {
  floating(i, f, [](auto a, auto, auto) { return std::exp2(a); });
}
void logarithm(const Instruction& i, Frame& f) {
  floating(i, f, [](auto a, auto, auto) { return std::log2(a); });
}
void sine(const Instruction& i, Frame& f) {
  floating(i, f, [](auto a, auto, auto) { return std::sin(a); });
}
void cosine(const Instruction& i, Frame& f) {
  floating(i, f, [](auto a, auto, auto) { return std::cos(a); });
}
void hyperbolic_tangent(const Instruction& i, Frame& f) {
  floating(i, f, [](auto a, auto, auto) { return std::tanh(a); });
}

}  // namespace cuda_check::ptx
