// The code around kernels: parts that call them, entry points with their checks, the tables of a module.
#pragma once

#include <string>
#include <vector>

#include "codegen/emit_aside.h"
#include "codegen/emit_files.h"
#include "codegen/emit_kernel.h"

namespace cohort {

struct PartCall {
  EmittedKernel kernel;
  kernel::KernelCall call;
  std::uint64_t counters = 0;  // of an instrumented module: where those of the kernel lie in the workspace
  const kernel::Stmt* transfer = nullptr;  // instead of a kernel
  bool on_gpu = false;
  AsideRole aside = {};
};
struct PartInfo {
  std::string name;
  std::size_t function = 0;
  const CompiledFunction* code = nullptr;  // what of the function the kernels are from
  bool fails = false;                      // gives a status
};

// A C++ function that runs some kernels in order; says in `info` whether it can fail.
std::string emit_part(const EmitContext& context, const std::vector<PartCall>& calls, PartInfo& info);
std::string part_declaration(const EmitContext& context, const PartInfo& info);
// prefix_f: checks, in a function named `check`, then the parts: those of the copy, if there is one and the
// dims have its values.
struct EntryPlan {
  std::size_t function = 0;
  std::string check;
  std::string aside;  // of one with transfers beside kernels: a name for what runs the parts
  std::string count;  // statements that count the call
  std::vector<PartInfo> parts;
  const SpecialisedFunction* copy = nullptr;
  std::vector<PartInfo> copy_parts = {};
};
std::string emit_entry(const EmitContext& context, const EntryPlan& plan);
std::string emit_state_table(const EmitContext& context);
std::string emit_module_record(const EmitContext& context);
// prefix_init, prefix_get, ...
std::string emit_fixed_entries(const EmitContext& context);

}  // namespace cohort
