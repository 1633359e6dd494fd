// One kernel of the loop IR as one C function.
//
//   // y = tanh(add(mul(a, x), b))   model.py:12
//   RT_KERNEL void f_y(double* __restrict y, const double* __restrict a, const double* __restrict x, double
//   b) {
//     rt_simd_for<rt_width<double>>(50, [&](auto i) {
//       rt_store(y, i, rt_tanh(rt_load(a, i) * rt_load(x, i) + rt_load(b, i)));
//     });
//   }
//
// A kernel of many buffers takes the workspace and finds them there. A kernel with rows becomes a table of
// offsets and a function over a range of them: see Note [rows] in ir/kernel.h.
#pragma once

#include <string>
#include <vector>

#include "codegen/dialect.h"
#include "codegen/emit_custom.h"
#include "codegen/names.h"
#include "compiler/compiled.h"

namespace cohort {

struct EmittedKernel {
  std::string name;  // of the C function, unique in the module
  std::string text;  // comment, table and function
  // Parameters: those the body names and neither rows nor locals replace, written ones first.
  std::vector<kernel::BufferId> buffers;
  std::vector<DimId> dims;  // parameters: named dims that the body reads
  bool bases = false;       // first come workspace and weights
  bool rows = false;        // then first row and row count
  bool fails = false;       // gives a status
  bool header = false;      // takes the workspace's header (checks, prints)
  // Of a kernel on the GPU `name` is the function that launches it, `text` is device code, and this declares
  // the function to the host code.
  std::string declaration = {};
  bool checks = false;  // on the GPU
};

// A check or assert of a kernel on the GPU: its row of the table that device code ends with.
struct DeviceCheck {
  std::string function, op, message;  // `op` is empty of an assert
};

struct KernelEnvironment {
  const CompiledModule& compiled;
  std::size_t function = 0;  // which
  const Dialect& dialect;
  Identifiers& file_names;                     // functions and tables of the module's sources
  const CompiledFunction& code;                // the function's, or its copy for some values of dims
  const CustomNames& customs;                  // functions of the user's
  std::string suffix = {};                     // of the function's name, for the kernels of a copy
  std::string prefix = {};                     // of the module's symbols
  std::vector<DeviceCheck>* checks = nullptr;  // those of the module so far; null on the CPU
  bool after_checks = false;  // of the function, a kernel before this one may fail on the GPU
};

// Of a kernel on the GPU the dialect is its own, and it takes pointers into the GPU's memory:
//
//   RT_DEVICE_KERNEL void f_y(float* __restrict y, const float* __restrict x, int64_t batch) {
//     for (int64_t i = rt_thread(); i < batch; i += rt_threads()) { ...
//   }
//   int32_t m_f_y(rt_workspace* header, float* y, const float* x, int64_t batch) {
//     return rt_launch(header, "f", f_y, batch, y, x, batch);
//   }
//
// One that checks, or comes after one, takes the record of errors and does nothing if there is an error.
EmittedKernel emit_kernel(const KernelEnvironment& environment, const kernel::Kernel& kernel);
// Of a loop around launches: what is launched, each with the step as its last parameter, and
//
//   int32_t m_f_h(rt_workspace* header, float* h, const float* w) {
//     for (int64_t step = 0; step < 50; ++step) {
//       if (const int32_t status = m_f_h_1(header, h, w, step)) return status;
//       ...
EmittedKernel emit_steps(const KernelEnvironment& environment, const kernel::Kernel& kernel);

// "// y = tanh(x)   model.py:12" for each value that the nodes `sources` of a function give to others, each
// with a newline; "// for each of 1000 alike: y = tanh(x)" if a merged loop computes it.
std::string source_notes(const CompiledModule& compiled, std::size_t function,
                         const std::vector<NodeId>& sources);
// What sources the statements name, in order, each once.
std::vector<NodeId> collect_sources(const std::vector<kernel::Stmt>& body);

}  // namespace cohort
