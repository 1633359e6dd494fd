// Types: their sizes and values, and cvt.
#include <cmath>
#include <map>

#include "../include/cuda_check/half_bits.h"
#include "../src/report.h"
#include "frame.h"
#include "parser.h"

namespace cuda_check::ptx {
namespace {

double whole(double x, Rounding r) {
  switch (r) {
    case Rounding::kZero:
      return std::trunc(x);
    case Rounding::kDown:
      return std::floor(x);
    case Rounding::kUp:
      return std::ceil(x);
    default:
      return std::nearbyint(x);
  }
}

// To the nearest whole number as the rounding says, clamped to the type; NaN gives 0.
uint64_t to_integer(double x, Type t, Rounding r) {
  if (std::isnan(x)) return 0;
  x = whole(x, r);
  int bits = 8 * bytes_of(t);
  double least = is_signed(t) ? -std::ldexp(1.0, bits - 1) : 0, end = std::ldexp(1.0, bits - is_signed(t));
  if (x < least) x = least;
  uint64_t most = ~uint64_t{0} >> (64 - bits + is_signed(t));
  if (x >= end) return most;
  return is_signed(t) ? static_cast<uint64_t>(static_cast<int64_t>(x)) : static_cast<uint64_t>(x);
}

// Rounds a double to f32 as asked; a sum of rounding modes that only narrowing needs.
float narrowed(double x, Rounding r) {
  float y = static_cast<float>(x);
  if (r == Rounding::kNearest || std::isnan(x) || y == x) return y;
  bool down = r == Rounding::kDown || (r == Rounding::kZero && x > 0);
  if (down && y > x) return std::nextafter(y, -INFINITY);
  if (!down && y < x) return std::nextafter(y, INFINITY);
  return y;
}

uint64_t to_floating(double x, const Instruction& i) {
  if (i.saturate) x = x > 0 ? (x < 1 ? x : 1.0) : 0.0;
  if (i.type == Type::kF32) return bits(flushed(narrowed(x, i.rounding), i.flush));
  return rounded(x, i.type);
}

// Integers to f32 round once: 64 bits do not fit a double.
uint64_t from_integer(uint64_t v, const Instruction& i) {
  if (i.type == Type::kF32 && i.rounding == Rounding::kNearest) {
    return is_signed(i.source) ? bits(static_cast<float>(sign_extended(v, i.source)))
                               : bits(static_cast<float>(zero_extended(v, i.source)));
  }
  double x = is_signed(i.source) ? static_cast<double>(sign_extended(v, i.source))
                                 : static_cast<double>(zero_extended(v, i.source));
  return to_floating(x, i);
}

// cvt.rn.f16x2.f32 d, a, b: a in the upper half.
void convert_pair(const Instruction& i, Frame& f) {
  Type half = i.type == Type::kF16x2 ? Type::kF16 : Type::kBf16;
  out(i, f,
      rounded(number(in(i, 1, f), Type::kF32), half) << 16 | rounded(number(in(i, 2, f), Type::kF32), half));
}

uint64_t between_integers(uint64_t v, const Instruction& i) {
  int64_t x =
      is_signed(i.source) ? sign_extended(v, i.source) : static_cast<int64_t>(zero_extended(v, i.source));
  if (!i.saturate) return static_cast<uint64_t>(x);
  if (bytes_of(i.type) == 8 || bytes_of(i.source) == 8) unsupported("PTX instruction: %s", i.text.c_str());
  return to_integer(static_cast<double>(x), i.type, Rounding::kZero);
}

}  // namespace

int bytes_of(Type t) {
  static const int sizes[] = {0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 4, 4, 8};
  return sizes[static_cast<int>(t)];
}
bool is_signed(Type t) { return t >= Type::kS8 && t <= Type::kS64; }
bool is_floating(Type t) { return t >= Type::kF16; }

Type parse_type(const std::string& name) {
  static const std::map<std::string, Type> types{
      {"pred", Type::kPred},     {"b8", Type::kB8},   {"b16", Type::kB16},   {"b32", Type::kB32},
      {"b64", Type::kB64},       {"u8", Type::kU8},   {"u16", Type::kU16},   {"u32", Type::kU32},
      {"u64", Type::kU64},       {"s8", Type::kS8},   {"s16", Type::kS16},   {"s32", Type::kS32},
      {"s64", Type::kS64},       {"f16", Type::kF16}, {"bf16", Type::kBf16}, {"f16x2", Type::kF16x2},
      {"bf16x2", Type::kBf16x2}, {"f32", Type::kF32}, {"f64", Type::kF64}};
  auto found = types.find(name);
  return found == types.end() ? Type::kNone : found->second;
}

int64_t sign_extended(uint64_t b, Type t) {
  switch (bytes_of(t)) {
    case 1:
      return static_cast<int8_t>(b);
    case 2:
      return static_cast<int16_t>(b);
    case 4:
      return static_cast<int32_t>(b);
    default:
      return static_cast<int64_t>(b);
  }
}
uint64_t zero_extended(uint64_t b, Type t) {
  switch (bytes_of(t)) {
    case 1:
      return static_cast<uint8_t>(b);
    case 2:
      return static_cast<uint16_t>(b);
    case 4:
      return static_cast<uint32_t>(b);
    default:
      return b;
  }
}
double number(uint64_t b, Type t) {
  switch (t) {
    case Type::kF16:
      return f16_to_float(static_cast<uint16_t>(b));
    case Type::kBf16:
      return bf16_to_float(static_cast<uint16_t>(b));
    case Type::kF32:
      return as<float>(b);
    default:
      return as<double>(b);
  }
}
uint64_t rounded(double value, Type t) {
  switch (t) {
    // By way of f32: exact but for values that lie within half an ulp of f32 of a tie of the half type.
    case Type::kF16:
      return float_to_f16(static_cast<float>(value));
    case Type::kBf16:
      return float_to_bf16(static_cast<float>(value));
    case Type::kF32:
      return bits(static_cast<float>(value));
    default:
      return bits(value);
  }
}
float flushed(float x, bool flush) {
  return flush && std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x;
}

void convert(const Instruction& i, Frame& f) {
  if (i.type == Type::kF16x2 || i.type == Type::kBf16x2) return convert_pair(i, f);
  uint64_t v = in(i, 1, f);
  bool to = is_floating(i.type), from = is_floating(i.source);
  if (from && i.source == Type::kF32 && i.flush) v = bits(flushed(as<float>(v), true));
  if (to && from) {
    double x = number(v, i.source);
    return out(i, f, to_floating(i.integral ? whole(x, i.rounding) : x, i));
  }
  uint64_t r = to     ? from_integer(v, i)
               : from ? to_integer(number(v, i.source), i.type, i.integral ? i.rounding : Rounding::kZero)
                      : between_integers(v, i);
  // A register may be wider than the type it is given: signed results fill it with their sign.
  out(i, f,
      to                  ? r
      : is_signed(i.type) ? static_cast<uint64_t>(sign_extended(r, i.type))
                          : zero_extended(r, i.type));
}

}  // namespace cuda_check::ptx
