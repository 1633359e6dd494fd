// What the tests of lowering share: graphs made in one line each, and runs that must equal the graph's
// meaning.
#pragma once

#include <string>
#include <vector>

#include "compiler/kernel_passes/kernel_pass.h"
#include "compiler/lower.h"
#include "ir/builder.h"
#include "ir/interpreter.h"
#include "ir/kernel_interpreter.h"

namespace cohort::test {

// The tensor with elements `values` (converted), or counting up from 1 if none are given.
Tensor tensor(DType dtype, const Extents& extents, const std::vector<double>& values = {});
Type type(DType dtype, const Shape& shape);
inline Type f64(const Shape& shape) { return type(DType::kF64, shape); }
inline Type f32(const Shape& shape) { return type(DType::kF32, shape); }

// Adds the function, and gives the module.
Module finish(ModuleBuilder& module, FunctionBuilder& function);

// Lowers the module's first function, runs every kernel pass, and after each interprets the program for
// `calls` calls in both loop orders: outputs and state must be bit for bit those of interpret(). Gives the
// last program.
kernel::Program check_lowering(const Module& module, const std::vector<Tensor>& inputs, int calls = 2);
// The same from a given state and with given values of the dims.
kernel::Program check_lowering(const Module& module, const std::vector<Tensor>& inputs,
                               const std::vector<Tensor>& state, const DimValues& dims, int calls);

}  // namespace cohort::test
