// What the tests of structured operators share: tensors from lists, one operator run on its own, and its
// loops compared with its meaning.
#pragma once

#include <string>
#include <vector>

#include "ir/builder.h"
#include "ir/diagnostics.h"
#include "ir/interpreter.h"
#include "tests/support/same_bits.h"

namespace cohort::test {

inline constexpr DType kAllDTypes[] = {DType::kBool, DType::kI8,  DType::kI16, DType::kI32, DType::kI64,
                                       DType::kU8,   DType::kU16, DType::kU32, DType::kU64, DType::kF16,
                                       DType::kBF16, DType::kF32, DType::kF64};
inline constexpr DType kFloats[] = {DType::kF16, DType::kBF16, DType::kF32, DType::kF64};

// The tensor with elements `values`, converted.
Tensor tensor(DType dtype, const Extents& extents, const std::vector<double>& values);
inline Tensor f64(const Extents& extents, const std::vector<double>& values) {
  return tensor(DType::kF64, extents, values);
}
inline Tensor i64(const Extents& extents, const std::vector<double>& values) {
  return tensor(DType::kI64, extents, values);
}
// Elements that differ in sign and size, some equal; the same for the same arguments. Not negative for
// unsigned dtypes.
Tensor varied(DType dtype, const Extents& extents, int seed = 0);

// The type that a module without dims gives the tensor.
Type type_of(const Tensor& tensor);

// Runs one operator on inputs of constant shape; its loops, lowered and after every kernel pass, must give
// the same bits (any NaN equals any other), output and errors.
std::vector<Tensor> run(const std::string& op, const std::vector<Tensor>& inputs, Attrs attrs = {});
Tensor run1(const std::string& op, const std::vector<Tensor>& inputs, Attrs attrs = {});
// The same for a whole module's first function: its outputs, and then its state after two calls, must be
// `expected`.
void check_module(const Module& module, const std::vector<Tensor>& inputs,
                  const std::vector<Tensor>& expected);
// The first diagnostic when the operator is built or run, or kUnknownOperator with an empty message if there
// is none.
Diagnostic error_of(const std::string& op, const std::vector<Tensor>& inputs, Attrs attrs = {});

// For messages of failing checks: "f64[2] [1, 2]".
std::string show(const Tensor& tensor);
// Compares and shows both if they differ.
#define CHECK_SAME(a, b)                          \
  do {                                            \
    const Tensor left = (a), right = (b);         \
    INFO(cohort::test::show(left));               \
    INFO("expected ", cohort::test::show(right)); \
    CHECK(cohort::test::same(left, right));       \
  } while (false)

}  // namespace cohort::test
