// What the parts of the parser share: the names that are visible in the function being parsed.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "cursor.h"
#include "module.h"

namespace cuda_check::ptx {

// What a block declares. A name in it hides the same name of the blocks around it.
struct Block {
  int outer = -1;                            // the block around it
  std::map<std::string, int> registers;      // numbers in the frame
  std::map<std::string, uint64_t> families;  // `%r<10>`: %r and 10; members have numbers once used
  std::map<std::string, Operand> variables;  // .shared, .local, .param: offsets
  std::map<std::string, size_t> labels;      // numbers of instructions
  std::map<std::string, std::vector<std::string>> tables;  // .branchtargets

  bool has_member(const std::string& name) const;  // one of the families
};

// A label or table that an instruction wants, and the block it stands in.
struct Branch {
  int block;
  std::string target;
};

struct Scope {
  explicit Scope(Module& m) : module(m) {}

  Module& module;
  Function* function = nullptr;
  std::vector<Block> blocks{1};  // the first has the module's variables and the function's parameters
  int block = 0;                 // that is being parsed
  std::map<size_t, Branch> branches;
  std::map<size_t, std::string> calls;
  int line = 0;  // of the source

  Block& here() { return blocks[block]; }
  void open_block();
  void close_block() { block = here().outer; }
  int find_register(const std::string& name);  // -1: the name is none
  int register_of(const std::string& name);    // ends the program if the name is none
  const Operand* find_variable(const std::string& name) const;
};

// A variable's declaration: `.shared .align 4 .b8 name[128]`.
struct Declaration {
  std::string name, initial;
  Type type = Type::kNone;
  size_t align = 0, count = 1;
  bool external = false, unsized = false;
  size_t bytes() const { return count * static_cast<size_t>(bytes_of(type)); }
};
Declaration parse_declaration(const std::string& text);
Type parse_type(const std::string& name);  // without the dot; kNone: not a type

Operand parse_operand(const std::string& text, Scope& scope);
// Appends the instruction to the scope's function.
void parse_instruction(const std::string& text, Scope& scope);

}  // namespace cuda_check::ptx
