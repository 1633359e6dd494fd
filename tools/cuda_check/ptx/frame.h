// One function's activation by one thread: registers, parameters, local memory. Handlers read operands and
// write results through it.
#pragma once
#include <cstdint>
#include <cstring>

#include "module.h"

namespace cuda_check::ptx {

// Of a function, with those of the calls it makes.
constexpr size_t kMostParameterBytes = 4096;

struct Frame {
  const Function& function;
  uint64_t* registers;
  unsigned char* parameters;
  unsigned char* local;
  size_t next = 0;  // the instruction that runs next
  bool carry = false;
};

// Every handler of opcodes.def.
#define OPCODE(name, handler) void handler(const Instruction&, Frame&);
#include "opcodes.def"
#undef OPCODE

// Runs a function from its first instruction; its parameters have been placed.
void run(const Function& function, unsigned char* parameters);

uint64_t special_register(uint64_t number);
uint64_t operand_bits(const Operand& o, const Frame& f);
inline uint64_t in(const Instruction& i, size_t k, const Frame& f) { return operand_bits(i.operands[k], f); }
inline void out(const Instruction& i, Frame& f, uint64_t bits) {
  if (i.operands[0].index >= 0) f.registers[i.operands[0].index] = bits;
}
inline bool predicate(const Operand& o, const Frame& f) { return (operand_bits(o, f) != 0) != o.negated; }

template <class T>
T as(uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
template <class T>
uint64_t bits(T value) {
  uint64_t b = 0;
  std::memcpy(&b, &value, sizeof value);
  return b;
}

// Integers of the type's width, the rest filled with the sign or with zeros.
int64_t sign_extended(uint64_t b, Type t);
uint64_t zero_extended(uint64_t b, Type t);
// The value of a floating type, and its bits after rounding to it.
double number(uint64_t b, Type t);
uint64_t rounded(double value, Type t);
float flushed(float x, bool flush);

}  // namespace cuda_check::ptx
