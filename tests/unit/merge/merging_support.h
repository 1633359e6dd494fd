// What the tests of merging share: models of many alike pieces, and runs of what becomes of them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/compiled.h"
#include "ir/builder.h"

namespace cohort::test {

// Compiles the module merged wherever that is legal and not at all, and calls every function in turn `calls`
// times, in both orders of the free loops: outputs and state must be bit for bit those of the interpreter on
// the module itself. Gives the merged one. Inputs are samples by `seed`.
CompiledModule check_merging(const Module& module, int calls = 3, std::uint64_t seed = 1);

// A module of one function `step` and what a test wants in it.
Module model(const std::function<void(ModuleBuilder&, FunctionBuilder&)>& write);
// State variable `name` of f64 that counts up from `first`, and its old value.
ValueId variable(ModuleBuilder& module, FunctionBuilder& step, const std::string& name,
                 const Extents& extents, double first = 1);
StateId find_state(const Module& module, const std::string& name);

std::size_t kernel_count(const CompiledModule& compiled, std::size_t function = 0);
std::size_t loop_count(const CompiledModule& compiled, std::size_t function = 0);  // nests, outermost only

// The first function of `source` k times in one function: state and constants of each copy are its own, with
// other values; inputs with an even index are shared, the others become state of each copy. Updates stay,
// outputs of copy j become outputs, too, if `outputs`, and updates of further state otherwise. If `ragged`,
// named dims are constants, other ones in each copy, and no input is shared.
Module replicated(const Module& source, int copies, bool outputs, bool ragged = false);

}  // namespace cohort::test
