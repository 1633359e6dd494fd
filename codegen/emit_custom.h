// Functions of the user's in emitted code: their text stands before the kernels, once in each source that has
// any, under names of our own, so that neither the runtime, nor another header, nor the graph can mean them.
//
//   // softclip of ops.h:12
//   static inline float custom_softclip(float x, float limit) {
//     return limit * std::tanh(x / limit);
//   }
#pragma once

#include <map>

#include "codegen/dialect.h"
#include "codegen/names.h"
#include "ir/custom_function.h"

namespace cohort {

class CustomNames {
 public:
  // Takes a name for each function that any kernel calls, in the order of the calls.
  CustomNames(const CompiledModule& compiled, Identifiers& file_names);

  const std::string& name(const CustomFunction& function) const;
  const std::vector<std::string>& names() const { return names_; }
  // The definitions that kernels of the device need, what is called first; empty if there are none.
  std::string text(const Dialect& dialect, kernel::Device device) const;

 private:
  struct Entry {
    const CustomDefinition* definition = nullptr;
    std::vector<std::size_t> callees;  // entries, by definition of its function
    bool on[2] = {false, false};       // by device
  };
  void add(const CustomFunction& function, kernel::Device device, Identifiers& file_names);

  std::vector<Entry> entries_;
  std::vector<std::string> names_;              // by entry
  std::map<std::string, std::size_t> by_text_;  // equal definitions are one
  std::map<const CustomFunction*, std::size_t> of_function_;
};

// Declarations of all functions of the user's on whole arrays that the module calls (ir/ops/extern_call.h);
// empty if there are none.
std::string extern_declarations(const CompiledModule& compiled, const Dialect& dialect);

}  // namespace cohort
