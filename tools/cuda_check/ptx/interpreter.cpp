// The loop that runs a function, and where operands come from.
#include <alloca.h>

#include "../include/cuda_runtime.h"
#undef __shared__
#include "../src/block.h"
#include "../src/counts.h"
#include "../src/report.h"
#include "../src/settings.h"
#include "frame.h"

namespace cuda_check::ptx {

uint64_t special_register(uint64_t number) {
  unsigned lane = current_thread()->number % kLanes, thread = current_thread()->number;
  const unsigned values[] = {threadIdx.x,
                             threadIdx.y,
                             threadIdx.z,
                             blockDim.x,
                             blockDim.y,
                             blockDim.z,
                             blockIdx.x,
                             blockIdx.y,
                             blockIdx.z,
                             gridDim.x,
                             gridDim.y,
                             gridDim.z,
                             lane,
                             thread / kLanes,
                             (1u << lane) - 1,
                             1u << lane,
                             (2u << lane) - 1,
                             ~((2u << lane) - 1),
                             ~((1u << lane) - 1),
                             kLanes};
  return values[number];
}

uint64_t operand_bits(const Operand& o, const Frame& f) {
  switch (o.kind) {
    case Operand::Kind::kRegister:
      return o.index >= 0 ? f.registers[o.index] : 0;
    case Operand::Kind::kSpecial:
      return special_register(o.value);
    case Operand::Kind::kAddress:
      return (o.index >= 0 ? f.registers[o.index] : 0) + o.value;
    default:
      return o.value;
  }
}

void run(const Function& function, unsigned char* parameters) {
  size_t register_bytes = static_cast<size_t>(function.registers + 1) * sizeof(uint64_t);
  if (register_bytes + function.local_bytes > kStackBytes / 2) {
    unsupported("a PTX function with %zu bytes of registers and local memory",
                register_bytes + function.local_bytes);
  }
  // On the thread's own stack: what other threads reach of it through a pointer is reported.
  auto* registers = static_cast<uint64_t*>(alloca(register_bytes));
  auto* local = static_cast<unsigned char*>(alloca(function.local_bytes + 16));
  local += 16 - reinterpret_cast<uintptr_t>(local) % 16;
  std::memset(registers, 0, register_bytes);
  Frame f{function, registers, parameters, local};
  uint64_t executed = 0;
  for (size_t end = function.code.size(); f.next < end;) {
    const Instruction& i = function.code[f.next++];
    executed++;
    if (i.predicate >= 0 && (registers[i.predicate] != 0) == i.predicate_negated) continue;
    i.execute(i, f);
  }
  totals().instructions += executed;
  if (settings().counts) count_instructions(executed);
}

}  // namespace cuda_check::ptx
