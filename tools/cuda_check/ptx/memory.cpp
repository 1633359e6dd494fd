// Loads, stores, atomics, addresses. Each access goes through the same checks as one of compiled C++.
#include "../src/access.h"
#include "../src/block.h"
#include "../src/report.h"
#include "../src/shared_memory.h"
#include "frame.h"

namespace cuda_check::ptx {
namespace {

// The start of a space on the host; generic and global addresses are the host's own.
uintptr_t start_of(Space space, const Frame& f) {
  switch (space) {
    case Space::kShared:
      return reinterpret_cast<uintptr_t>(dynamic_shared());
    case Space::kLocal:
      return reinterpret_cast<uintptr_t>(f.local);
    case Space::kParam:
      return reinterpret_cast<uintptr_t>(f.parameters);
    default:
      return 0;
  }
}

uintptr_t address(const Operand& o, const Instruction& i, const Frame& f) {
  uint64_t a = (o.index >= 0 ? f.registers[o.index] : 0) + o.value;
  if (i.space == Space::kShared) a = static_cast<uint32_t>(a);
  return start_of(i.space, f) + a;
}

void check(const Instruction& i, uintptr_t a, size_t bytes, Use use) {
  if (i.space == Space::kParam || i.space == Space::kLocal) return;
  thread_access(a, bytes, use, {nullptr, i.line});
}

const Operand& lane(const Operand& o, int k) { return o.kind == Operand::Kind::kVector ? o.lanes[k] : o; }

uint64_t combined(const Instruction& i, uint64_t old, uint64_t v, const Frame& f, size_t value_at) {
  const std::string& m = i.mode;
  if (m == "exch") return v;
  if (m == "and") return old & v;
  if (m == "or") return old | v;
  if (m == "xor") return old ^ v;
  if (m == "inc") return old >= v ? 0 : old + 1;
  if (m == "dec") return old == 0 || old > v ? v : old - 1;
  if (m == "cas") return old == v ? zero_extended(in(i, value_at + 1, f), i.type) : old;
  if (m == "min" || m == "max") {
    bool less = is_signed(i.type) ? sign_extended(old, i.type) < sign_extended(v, i.type) : old < v;
    return less == (m == "min") ? old : v;
  }
  if (i.type == Type::kF32) return bits(as<float>(old) + as<float>(v));
  return is_floating(i.type) ? rounded(number(old, i.type) + number(v, i.type), i.type) : old + v;
}

}  // namespace

void load(const Instruction& i, Frame& f) {
  uintptr_t a = address(i.operands[1], i, f);
  size_t each = static_cast<size_t>(bytes_of(i.type));
  check(i, a, each * i.lanes, Use::kRead);
  for (int k = 0; k < i.lanes; k++) {
    uint64_t v = 0;
    std::memcpy(&v, reinterpret_cast<void*>(a + k * each), each);
    const Operand& to = lane(i.operands[0], k);
    if (to.index >= 0)
      f.registers[to.index] = is_signed(i.type) ? static_cast<uint64_t>(sign_extended(v, i.type)) : v;
  }
}

void store(const Instruction& i, Frame& f) {
  uintptr_t a = address(i.operands[0], i, f);
  size_t each = static_cast<size_t>(bytes_of(i.type));
  int reports = number_of_reports();
  check(i, a, each * i.lanes, Use::kWrite);
  // What a report says is not writable may be memory that the host would fault on.
  if (number_of_reports() != reports && !is_device(a) && !is_shared(a)) return;
  for (int k = 0; k < i.lanes; k++) {
    uint64_t v = operand_bits(lane(i.operands[1], k), f);
    std::memcpy(reinterpret_cast<void*>(a + k * each), &v, each);
  }
}

// atom d, [a], b (, c) and red [a], b.
void atomic(const Instruction& i, Frame& f) {
  size_t at = i.reduction ? 0 : 1;
  uintptr_t a = address(i.operands[at], i, f);
  size_t bytes = static_cast<size_t>(bytes_of(i.type));
  atomic_access(a, bytes, {nullptr, i.line});
  uint64_t old = 0;
  std::memcpy(&old, reinterpret_cast<void*>(a), bytes);
  uint64_t now = combined(i, old, zero_extended(in(i, at + 1, f), i.type), f, at + 1);
  std::memcpy(reinterpret_cast<void*>(a), &now, bytes);
  if (!i.reduction) out(i, f, old);
}

// cvta makes a generic address of one in a space; cvta.to the reverse.
void convert_address(const Instruction& i, Frame& f) {
  uint64_t start = start_of(i.space, f);
  out(i, f, i.to ? in(i, 1, f) - start : in(i, 1, f) + start);
}

void is_space(const Instruction& i, Frame& f) {
  uintptr_t a = in(i, 1, f), stack = current_thread()->stack;
  bool shared = is_shared(a), local = a - stack < kStackBytes;
  out(i, f, i.space == Space::kShared ? shared : i.space == Space::kLocal ? local : !shared && !local);
}

}  // namespace cuda_check::ptx
