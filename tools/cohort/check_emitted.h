// cohort compile --check and --format: emitted host and device code is parsed with clang, and what is wrong
// with it is told at the graph's own lines.
#pragma once

#include "ir/diagnostics.h"
#include "tools/cohort/build_graph.h"

namespace cohort {

// Throws UserError if anything is wrong, or if this cohort is built without LLVM.
void check_emitted(const CompiledModule& compiled, const std::vector<Artefact>& files,
                   const std::vector<EmittedPlace>& places);

// Lays C and C++ files out by the clang-format library; the text is the same but for white space.
void format_emitted(std::vector<Artefact>& files);

// An error in emitted text as one in the graph: at the first node that the kernel around its line computes,
// with the line itself as a note; at the line where no kernel is around it.
Diagnostic at_graph(const Diagnostic& fault, const Module& module, const std::vector<Artefact>& files,
                    const std::vector<EmittedPlace>& places);

}  // namespace cohort
