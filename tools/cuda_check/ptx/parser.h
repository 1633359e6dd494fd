// What the parts of the parser share: the names that are visible in the function being parsed.
#pragma once
#include <map>
#include <set>
#include <string>

#include "cursor.h"
#include "module.h"

namespace cuda_check::ptx {

struct Scope {
  explicit Scope(Module& m) : module(m) {}

  Module& module;
  Function* function = nullptr;
  std::map<std::string, int> registers;
  std::map<std::string, size_t> labels;                       // numbers of instructions
  std::map<std::string, std::vector<std::string>> tables;     // .branchtargets
  std::map<std::string, uint64_t> shared, local, parameters;  // offsets
  std::set<std::string> dynamic_shared;
  std::map<size_t, std::vector<std::string>> branches;  // labels that instructions want
  std::map<size_t, std::string> calls;
  int line = 0;  // of the source

  int register_of(const std::string& name);
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
