// C identifiers from names that may be any UTF-8 text: readable, unique, and the same whenever the names and
// their order are the same. The rules are in README.md.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/compiled.h"

namespace cohort {

// The readable identifier of one name, without regard to others: "layer1.weight" -> "layer1_weight".
std::string to_identifier(std::string_view name);

// One name space: gives each caller an identifier that nobody else has.
class Identifiers {
 public:
  Identifiers() = default;
  Identifiers(std::initializer_list<std::string_view> reserved);

  void reserve(std::string_view identifier) { taken_.emplace(identifier); }
  void release(const std::string& identifier) { taken_.erase(identifier); }  // its scope has ended
  bool is_free(const std::string& identifier) const { return !taken_.contains(identifier); }
  // to_identifier(name), or with the first of _2, _3, ... that is free.
  std::string unique(std::string_view name);
  // The first of `candidates` that is free, else the last of them with a number.
  std::string first_free(std::initializer_list<std::string> candidates);

 private:
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, int> next_;  // by base: the number to try next
};

// Identifiers of one function's interface; members of its argument struct.
struct FunctionNames {
  std::string identifier;            // "f": symbols are prefix_f, prefix_f_args
  std::vector<std::string> dims;     // by DimId; empty where the function does not use the dim
  std::vector<std::string> inputs;   // by input index
  std::vector<std::string> outputs;  // by output index
};
struct ModuleNames {
  std::string prefix;  // of symbols and file names
  std::string macro;   // of macros
  std::vector<FunctionNames> functions;
  std::vector<std::string> states;  // by StateId; P_OFFSET_<state>
};
// UserError where a state variable has a name that no C string (a zero byte) or no safetensors file
// (`__metadata__`) can hold.
void refuse_unusable_names(const Module& module);
// `prefix`: empty for the module's own name. Unusable names are refused. An instrumented module has one more
// function of its own.
ModuleNames name_module(const CompiledModule& compiled, std::string_view prefix, bool instrument = false);

}  // namespace cohort
