// Bits, comparisons, selections, moves.
#include <cmath>

#include "../src/report.h"
#include "frame.h"

namespace cuda_check::ptx {
namespace {

unsigned width(Type t) { return 8 * static_cast<unsigned>(bytes_of(t)); }

template <class T>
bool compare(Compare c, T a, T b) {
  switch (c) {
    case Compare::kEq:
      return a == b;
    case Compare::kNe:
      return a != b;
    case Compare::kLt:
      return a < b;
    case Compare::kLe:
      return a <= b;
    case Compare::kGt:
      return a > b;
    default:
      return a >= b;
  }
}

bool compare_floating(const Instruction& i, const Frame& f) {
  double a = number(in(i, 1, f), i.type), b = number(in(i, 2, f), i.type);
  if (i.flush && i.type == Type::kF32)
    a = flushed(static_cast<float>(a), true), b = flushed(static_cast<float>(b), true);
  bool nan = std::isnan(a) || std::isnan(b);
  if (i.compare == Compare::kNumber || i.compare == Compare::kNan) return nan == (i.compare == Compare::kNan);
  return nan ? i.unordered : compare(i.compare, a, b);
}

bool combine(Logic logic, bool a, bool b) {
  switch (logic) {
    case Logic::kAnd:
      return a && b;
    case Logic::kOr:
      return a || b;
    case Logic::kXor:
      return a != b;
    default:
      return a;
  }
}

// The bits of a vector operand, the first lane lowest.
uint64_t packed(const Operand& o, Type t, const Frame& f) {
  unsigned each = width(t) / static_cast<unsigned>(o.lanes.size());
  uint64_t all = 0;
  for (size_t k = 0; k < o.lanes.size(); k++) {
    all |= (operand_bits(o.lanes[k], f) & ((uint64_t{1} << each) - 1)) << k * each;
  }
  return all;
}

void unpack(const Operand& o, Type t, uint64_t all, Frame& f) {
  unsigned each = width(t) / static_cast<unsigned>(o.lanes.size());
  for (size_t k = 0; k < o.lanes.size(); k++) {
    if (o.lanes[k].index >= 0) f.registers[o.lanes[k].index] = all >> k * each & ((uint64_t{1} << each) - 1);
  }
}

}  // namespace

void move(const Instruction& i, Frame& f) {
  const Operand& from = i.operands[1];
  uint64_t v = from.kind == Operand::Kind::kVector ? packed(from, i.type, f) : operand_bits(from, f);
  if (i.operands[0].kind == Operand::Kind::kVector) return unpack(i.operands[0], i.type, v, f);
  out(i, f, i.type == Type::kPred ? v != 0 : zero_extended(v, i.type));
}

void set_predicate(const Instruction& i, Frame& f) {
  bool holds;
  if (is_floating(i.type)) {
    holds = compare_floating(i, f);
  } else if (is_signed(i.type)) {
    holds = compare(i.compare, sign_extended(in(i, 1, f), i.type), sign_extended(in(i, 2, f), i.type));
  } else {
    holds = compare(i.compare, zero_extended(in(i, 1, f), i.type), zero_extended(in(i, 2, f), i.type));
  }
  bool other = i.logic != Logic::kNone && predicate(i.operands[3], f);
  out(i, f, combine(i.logic, holds, other));
  if (i.second >= 0) f.registers[i.second] = combine(i.logic, !holds, other);
}

void select(const Instruction& i, Frame& f) { out(i, f, in(i, predicate(i.operands[3], f) ? 1 : 2, f)); }

void test_property(const Instruction& i, Frame& f) {
  double a = number(in(i, 1, f), i.type);
  int kind = i.type == Type::kF32 ? std::fpclassify(static_cast<float>(a)) : std::fpclassify(a);
  bool holds = i.mode == "finite"       ? kind != FP_INFINITE && kind != FP_NAN
               : i.mode == "infinite"   ? kind == FP_INFINITE
               : i.mode == "number"     ? kind != FP_NAN
               : i.mode == "notanumber" ? kind == FP_NAN
               : i.mode == "normal"     ? kind == FP_NORMAL
                                        : kind == FP_SUBNORMAL;
  out(i, f, holds);
}

void bitwise_and(const Instruction& i, Frame& f) {
  if (i.type == Type::kPred) return out(i, f, predicate(i.operands[1], f) && predicate(i.operands[2], f));
  out(i, f, in(i, 1, f) & in(i, 2, f));
}
void bitwise_or(const Instruction& i, Frame& f) {
  if (i.type == Type::kPred) return out(i, f, predicate(i.operands[1], f) || predicate(i.operands[2], f));
  out(i, f, in(i, 1, f) | in(i, 2, f));
}
void bitwise_xor(const Instruction& i, Frame& f) {
  if (i.type == Type::kPred) return out(i, f, predicate(i.operands[1], f) != predicate(i.operands[2], f));
  out(i, f, zero_extended(in(i, 1, f) ^ in(i, 2, f), i.type));
}
void bitwise_not(const Instruction& i, Frame& f) {
  if (i.type == Type::kPred) return out(i, f, !predicate(i.operands[1], f));
  out(i, f, zero_extended(~in(i, 1, f), i.type));
}

void shift_left(const Instruction& i, Frame& f) {
  uint32_t by = static_cast<uint32_t>(in(i, 2, f));
  out(i, f, by >= width(i.type) ? 0 : zero_extended(in(i, 1, f) << by, i.type));
}
void shift_right(const Instruction& i, Frame& f) {
  uint32_t by = static_cast<uint32_t>(in(i, 2, f));
  if (is_signed(i.type)) {
    int64_t v = sign_extended(in(i, 1, f), i.type) >> std::min(by, width(i.type) - 1);
    return out(i, f, zero_extended(static_cast<uint64_t>(v), i.type));
  }
  out(i, f, by >= width(i.type) ? 0 : zero_extended(in(i, 1, f), i.type) >> by);
}
void funnel_shift(const Instruction& i, Frame& f) {
  uint64_t both = zero_extended(in(i, 1, f), Type::kB32) | in(i, 2, f) << 32;
  uint32_t by = static_cast<uint32_t>(in(i, 3, f));
  bool clamp = i.mode.find("clamp") != std::string::npos, left = i.mode[0] == 'l';
  by = clamp ? std::min(by, 32u) : by & 31;
  uint64_t v = left ? (by == 32 ? both << 32 : both << by) >> 32 : both >> by;
  out(i, f, zero_extended(v, Type::kB32));
}

void logic_of_three(const Instruction& i, Frame& f) {
  uint64_t a = in(i, 1, f), b = in(i, 2, f), c = in(i, 3, f), table = in(i, 4, f), r = 0;
  for (unsigned k = 0; k < 8; k++) {
    if (table >> k & 1) r |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
  }
  out(i, f, zero_extended(r, Type::kB32));
}

// prmt in its generic form: each selector picks a byte, or copies of its sign.
void permute_bytes(const Instruction& i, Frame& f) {
  if (!i.mode.empty()) unsupported("PTX instruction: %s", i.text.c_str());
  uint64_t both = zero_extended(in(i, 1, f), Type::kB32) | in(i, 2, f) << 32, selectors = in(i, 3, f), r = 0;
  for (unsigned k = 0; k < 4; k++) {
    uint64_t selector = selectors >> 4 * k & 15, byte = both >> 8 * (selector & 7) & 0xff;
    if (selector & 8) byte = byte & 0x80 ? 0xff : 0;
    r |= byte << 8 * k;
  }
  out(i, f, r);
}

// bfe d, a, position, length: signed types fill with the field's highest bit.
void bit_field_extract(const Instruction& i, Frame& f) {
  unsigned position = in(i, 2, f) & 0xff, length = in(i, 3, f) & 0xff, most = width(i.type);
  uint64_t a = zero_extended(in(i, 1, f), i.type), r = 0;
  unsigned sign_at = std::min(position + length - 1, most - 1);
  bool fill = is_signed(i.type) && length && (a >> sign_at & 1);
  for (unsigned k = 0; k < most; k++) {
    bool bit = k < length && position + k < most ? (a >> (position + k) & 1) != 0 : fill;
    r |= uint64_t{bit} << k;
  }
  out(i, f, r);
}
// bfi d, a, b, position, length: the low bits of a, placed into b.
void bit_field_insert(const Instruction& i, Frame& f) {
  unsigned position = in(i, 3, f) & 0xff, length = in(i, 4, f) & 0xff;
  uint64_t a = in(i, 1, f), r = in(i, 2, f);
  for (unsigned k = 0; k < length && position + k < width(i.type); k++) {
    r = (r & ~(uint64_t{1} << (position + k))) | (a >> k & 1) << (position + k);
  }
  out(i, f, r);
}

void count_ones(const Instruction& i, Frame& f) {
  out(i, f, static_cast<uint64_t>(__builtin_popcountll(zero_extended(in(i, 1, f), i.type))));
}
void count_leading_zeros(const Instruction& i, Frame& f) {
  uint64_t a = zero_extended(in(i, 1, f), i.type);
  out(i, f, a ? static_cast<uint64_t>(__builtin_clzll(a)) - (64 - width(i.type)) : width(i.type));
}
void find_leading_bit(const Instruction& i, Frame& f) {
  uint64_t a = zero_extended(in(i, 1, f), i.type);
  if (is_signed(i.type) && sign_extended(a, i.type) < 0) a = zero_extended(~a, i.type);
  uint64_t position = a ? 63 - static_cast<uint64_t>(__builtin_clzll(a)) : 0xffffffff;
  out(i, f, a && i.mode == "shiftamt" ? width(i.type) - 1 - position : position);
}
void reverse_bits(const Instruction& i, Frame& f) {
  uint64_t a = in(i, 1, f), r = 0;
  for (unsigned k = 0; k < width(i.type); k++) r |= (a >> k & 1) << (width(i.type) - 1 - k);
  out(i, f, r);
}

}  // namespace cuda_check::ptx
