// Everything in which the C-family languages spell a kernel differently. Emitters ask the dialect and never
// which language it is; what is more than spelling belongs in the loop IR, a pass or a prelude.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "ir/scalar_op.h"

namespace cohort {

struct Dialect {
  std::string_view name;
  std::string_view prelude;                                 // file that defines rt_<operator> and the loops
  std::string_view kernel;                                  // before a kernel's result type
  std::string_view custom;                                  // before a function of the user's
  std::string_view restricted;                              // a pointer that overlaps no other
  std::string_view unroll;                                  // line before a loop to unroll
  std::array<std::string_view, kDTypeCount> value_types;    // what an expr of the dtype is held in
  std::array<std::string_view, kDTypeCount> storage_types;  // what a buffer of the dtype is an array of
  bool simd = false;                                        // the prelude has loops over vectors
  bool threads = false;                                     // loops over threads: emit_threads.cpp

  std::string_view value_type(DType dtype) const { return value_types[static_cast<std::size_t>(dtype)]; }
  std::string_view storage_type(DType dtype) const { return storage_types[static_cast<std::size_t>(dtype)]; }
};

const Dialect& cpp_dialect();
const Dialect& cuda_dialect();  // of kernels on a GPU

// A scalar as an expression of the dtype's value type, exact to the bit; halves as the float of the same
// value. `index`: an i64 that stands in index arithmetic, where plain digits do.
std::string literal(const Dialect& dialect, Scalar value, bool index = false);

constexpr bool is_half(DType dtype) { return dtype == DType::kF16 || dtype == DType::kBF16; }

}  // namespace cohort
