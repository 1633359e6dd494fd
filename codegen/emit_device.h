// What a module has more of if some of its kernels run on a GPU: NAME_kernels.cu, the functions that attach a
// workspace to a GPU, and state that is at home there. See README.md, "The GPU".
#pragma once

#include <string>

#include "codegen/emit_files.h"
#include "codegen/emit_kernel.h"

namespace cohort {

// NAME_kernels.cu around the kernels and the functions that launch them.
std::string emit_device_source(const EmitContext& context, const std::string& kernels,
                               const std::vector<DeviceCheck>& checks);
// The tables in NAME.cpp: after the module's record.
std::string emit_device_record(const EmitContext& context);
// prefix_init, prefix_get, ...: as emit_fixed_entries, with the GPU's state in mind, and prefix_attach, ...
std::string emit_device_entries(const EmitContext& context, const std::string& init);
// Whether calls of any function may leave transfers from or to the workspace under way.
bool transfers_workspace(const EmitContext& context);
// Before a function with nothing on the GPU: calls asked for before may still transfer what it uses.
std::string settle_text(const EmitContext& context, std::size_t function);
// Their declarations in NAME.h.
std::string device_declarations(const EmitContext& context);

}  // namespace cohort
