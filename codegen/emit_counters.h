// What an instrumented module counts: where each counter lies in the workspace, and the tables that
// prefix_profile tells them by. runtime/include/cohort/profile.h says how they are laid out.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "codegen/emit_files.h"

namespace cohort {

class Counters {
 public:
  explicit Counters(const EmitContext& context) : context_(context), end_(context.counters()) {}

  // The functions of the module, one after the other; kernels are those of the last.
  void begin_function(std::size_t function);
  // Bytes into the workspace of a kernel's counters; one kernel may be called several times.
  std::uint64_t kernel(const std::string& name);
  // Statements of the entry point that count the call.
  std::string count_call() const;

  std::uint64_t bytes() const { return end_ - context_.counters(); }
  // The tables, and prefix_profile.
  std::string text(Identifiers& file_names) const;

 private:
  struct Counted {
    std::size_t function = 0;
    std::uint64_t offset = 0;
    std::vector<DimId> dims;
    std::vector<std::string> kernels;
  };

  const EmitContext& context_;
  std::uint64_t end_;
  std::vector<Counted> functions_;
  std::map<std::string, std::uint64_t> kernels_;  // by name: offset
};

}  // namespace cohort
