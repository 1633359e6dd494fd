// One function for each artefact, and what they share. emit.cpp calls them.
#pragma once

#include "codegen/emit.h"
#include "codegen/names.h"

namespace cohort {

struct EmitContext {
  const CompiledModule& compiled;
  const EmitOptions& options;
  ModuleNames names;
  std::string weights;                // the bytes: constants, initial values, perhaps the directory of state
  std::uint64_t state_directory = 0;  // where that begins in the weights, unless lists_states()
  bool external_weights = false;      // in NAME_weights.bin
  std::uint64_t hash = 0;             // of code, layout and weights
  std::vector<std::string> sources = {};  // file names of the C++ sources
  std::uint64_t counter_bytes = 0;        // at the end of the workspace; emit_sources says how many
  // By function, where the workspace keeps its captured calls; 0: they are not captured. plan_replays fills
  // them in.
  std::vector<std::uint64_t> replays = {};
  std::uint64_t replay_bytes = 0;

  const Module& module() const { return compiled.module; }
  // Whether each state variable has a line in the source and the headers.
  bool lists_states() const { return module().states.size() <= options.listed_states; }
  // Where the counters of an instrumented module begin, or captured calls, and all bytes of the workspace.
  std::uint64_t after_workspace() const {
    return (compiled.workspace_bytes + kAlignment - 1) / kAlignment * kAlignment;
  }
  std::uint64_t counters() const { return after_workspace(); }
  std::uint64_t workspace_bytes() const {
    if (options.instrument) return counters() + counter_bytes;
    return replay_bytes > 0 ? after_workspace() + replay_bytes : compiled.workspace_bytes;
  }
  // Whether a function has kernels on the GPU or values from there, or any has.
  bool uses_device(std::size_t function) const;
  bool uses_device() const { return compiled.device_bytes > 0; }
  std::string device_file() const { return names.prefix + "_kernels.cu"; }
  std::string weights_file() const { return names.prefix + "_weights.bin"; }
};

std::string emit_header(const EmitContext& context);
std::string emit_wrapper(const EmitContext& context);
std::string emit_manifest(const EmitContext& context);
std::string emit_cmake(const EmitContext& context);
std::string emit_pkg_config(const EmitContext& context);
// NAME.cpp, NAME_1.cpp, ...: fills in context.sources and context.hash.
std::vector<Artefact> emit_sources(EmitContext& context);
// The definition of the weights' symbol; `hidden` if several sources refer to it.
std::string emit_weights(const EmitContext& context, bool hidden);
// The bytes that the compiler laid out: constants and initial values at their offsets.
std::string weight_bytes(const CompiledModule& compiled);
// Puts the table of state by name behind them.
void append_state_directory(EmitContext& context);

// Whether a variable's elements lie in the workspace row-major without gaps.
bool is_contiguous(const StateLayout& layout, const Type& type);
// "f32[batch,4]" for a comment.
std::string type_comment(const Type& type, const Dims& dims);
// "float", "cohort_f16": the C type of an element in the interface.
std::string_view interface_type(DType dtype);
// Bytes of an array of the type as a C expression of type size_t over the argument struct's dims.
std::string bytes_expression(const Type& type, const std::vector<std::string>& dims, std::string_view from);

}  // namespace cohort
