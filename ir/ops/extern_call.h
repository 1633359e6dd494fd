// Calls of C functions on whole arrays, as `extern` makes them:
//
//   int32_t name(T* result, ..., const T* operand, ..., int64_t extent, ...);
//
// results first, then operands, then the extents of all results and operands, each in order. Truth values are
// bytes, halves their 16 bits. The status is 0 if all is well.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ir/tensor.h"

namespace cohort::ops {

// Arrays and extents of one function together.
inline constexpr std::size_t kMostExternWords = 40;

// What a `call` statement of the loop IR names: the function, and the library for the interpreter ("": none).
std::string extern_call_text(const std::string& function, const std::string& library);
// Nothing if the statement calls something else.
struct ExternCall {
  std::string function, library;
};
std::optional<ExternCall> extern_call(const std::string& text);

// Loads the library and calls the function; its status. Fails if there is no library or it lacks the
// function.
std::int32_t run_extern(const ExternCall& call, std::span<Tensor> results, std::span<const Tensor> operands,
                        std::span<const std::int64_t> extents);

}  // namespace cohort::ops
