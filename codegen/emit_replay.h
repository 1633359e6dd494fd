// Functions whose calls are captured once and replayed (--cuda-graph): which, and where the workspace keeps
// what was captured. See cohort/replay.h.
#pragma once

#include <string>

#include "codegen/emit_files.h"

namespace cohort {

// The bytes of a function's argument struct.
std::uint64_t args_bytes(const EmitContext& context, std::size_t function);
// Gives each function that runs on the GPU alone a place behind the workspace. What the CPU computes would
// not run again, and an instrumented module counts its kernels.
void plan_replays(EmitContext& context);
// The function that runs `parts`, and the statements that capture it or replay what was captured.
std::string emit_replayed(const EmitContext& context, std::size_t function, const std::string& parts);
std::string emit_replay(const EmitContext& context, std::size_t function);

}  // namespace cohort
