// PTX in memory: a module's functions and variables as the parser leaves them and the interpreter runs them.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace cuda_check::ptx {

enum class Type : uint8_t {
  kNone,
  kPred,
  kB8,
  kB16,
  kB32,
  kB64,
  kU8,
  kU16,
  kU32,
  kU64,
  kS8,
  kS16,
  kS32,
  kS64,
  kF16,
  kBf16,
  kF16x2,
  kBf16x2,
  kF32,
  kF64
};
enum class Space : uint8_t { kGeneric, kGlobal, kShared, kLocal, kParam, kConst };
enum class Compare : uint8_t { kEq, kNe, kLt, kLe, kGt, kGe, kNumber, kNan };
enum class Logic : uint8_t { kNone, kAnd, kOr, kXor };
// To nearest even, towards zero, down, up. `integral` roundings give whole numbers.
enum class Rounding : uint8_t { kNearest, kZero, kDown, kUp };

int bytes_of(Type t);
bool is_signed(Type t);
bool is_floating(Type t);

struct Operand {
  enum class Kind : uint8_t { kNone, kRegister, kImmediate, kSpecial, kAddress, kVector };
  Kind kind = Kind::kNone;
  bool in_dynamic_shared = false;  // the value counts from the start of dynamic shared memory
  bool negated = false;            // !p
  int index = -1;                  // the register; of an address: the one it adds, or -1
  uint64_t value = 0;  // the immediate; of an address: what is added; the number of a special register
  std::vector<Operand> lanes;  // {a, b, c, d}
};

struct Instruction;
struct Frame;
using Handler = void (*)(const Instruction&, Frame&);

struct Instruction {
  Handler execute = nullptr;
  Type type = Type::kNone,
       source = Type::kNone;  // of the result; and, for cvt and set, of what it is made from
  Space space = Space::kGeneric;
  Compare compare = Compare::kEq;
  Logic logic = Logic::kNone;
  Rounding rounding = Rounding::kNearest;
  uint8_t lanes = 1;  // .v2, .v4
  bool integral = false, wide = false, high = false, flush = false, saturate = false, unordered = false;
  bool carry_out = false, to = false, nan = false, reduction = false;
  std::string mode;  // shuffles, votes, atomics, prmt, shf: which
  int predicate = -1;
  bool predicate_negated = false;
  int second = -1;           // p|q: the register after the bar
  std::vector<int> targets;  // of branches: numbers of instructions
  const struct Function* callee = nullptr;
  std::vector<Operand> operands;
  int line = 0;  // of the source, where nvcc ran with -lineinfo; else of the PTX
  std::string text;
};

struct Parameter {
  size_t offset, bytes;
};

struct Function {
  std::string name;
  std::vector<Instruction> code;
  std::vector<Parameter> parameters, results;  // places in the frame's parameter bytes
  size_t parameter_bytes = 0, local_bytes = 0, shared_bytes = 0;
  int registers = 0;
  unsigned most_threads = 0;
};

struct Variable {
  void* address = nullptr;
  size_t bytes = 0;
};

struct Module {
  std::map<std::string, std::unique_ptr<Function>> functions;
  std::map<std::string, Variable> variables;  // .global and .const
};

// Adds what the text defines; ends the program at what it does not know.
void parse(const std::string& text, Module& module);

}  // namespace cuda_check::ptx
