// Transfers beside kernels (compiler/placement/aside.h, cohort/aside.h): what they add to the code of a
// module.
#pragma once

#include <string>

#include "codegen/emit_files.h"

namespace cohort {

// How a kernel takes part: by its number in the program.
struct AsideRole {
  bool crosses = false;   // it is a transfer beside kernels
  std::size_t waits = 0;  // as one of an output: for this event, from 1
  std::size_t marks = 0;  // the event behind it; 0: none
};
AsideRole aside_role(const CompiledFunction& code, std::uint32_t kernel);

// Whether a function, or its copy, has such transfers, or those of inputs.
bool crosses_aside(const EmitContext& context, std::size_t function);
bool sends_aside(const EmitContext& context, std::size_t function);
// Events that the module needs: one for whatever is waited for at once, and those behind kernels.
std::size_t aside_events(const CompiledModule& compiled);

// "  if (const int32_t status = rt_mark_event(...)) return status;\n"
std::string mark_text(const EmitContext& context, std::size_t function, std::size_t event);
// A function `name` that runs `parts`, and the statement that calls it and joins the streams.
std::string emit_aside(const EmitContext& context, std::size_t function, const std::string& name,
                       const std::string& parts);
std::string emit_join(const EmitContext& context, std::size_t function, const std::string& name);

}  // namespace cohort
