// The code around kernels: parts that call them, entry points with their checks, the tables of a module.
#pragma once

#include <string>
#include <vector>

#include "codegen/emit_files.h"
#include "codegen/emit_kernel.h"

namespace cohort {

struct PartCall {
  EmittedKernel kernel;
  kernel::KernelCall call;
};
struct PartInfo {
  std::string name;
  std::size_t function = 0;
  bool fails = false;  // gives a status
};

// A C++ function that runs some kernels in order; says in `info` whether it can fail.
std::string emit_part(const EmitContext& context, const std::vector<PartCall>& calls, PartInfo& info);
std::string part_declaration(const EmitContext& context, const PartInfo& info);
// prefix_f: checks, in a function named `check`, then the parts.
std::string emit_entry(const EmitContext& context, std::size_t function, const std::vector<PartInfo>& parts,
                       const std::string& check);
std::string emit_state_table(const EmitContext& context);
std::string emit_module_record(const EmitContext& context);
// prefix_init, prefix_get, ...
std::string emit_fixed_entries(const EmitContext& context);

}  // namespace cohort
