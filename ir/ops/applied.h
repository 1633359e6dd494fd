// What operators that take functions share: those that apply a function of the module, or its derivative
// (`call`, `grad`, `value_and_grad`, `vjp`, `jvp`, `hvp`, `vmap`, `while`), and loops and branches. The
// former have types and nothing else: the pass `expand_functions` writes them out before anything runs.
#pragma once

#include "ir/ops/support.h"

namespace cohort::ops {

// The attributes: what to differentiate by (names of inputs and states), and what to do about an input on
// which the outputs do not depend: "error" (default) or "zero".
std::vector<AttrSpec> derivative_attrs();

const Function& applied_function(const InferContext& context);
// Refuses inputs that are not the function's own followed by those of the types `more`.
void check_arguments(const InferContext& context, std::span<const Type> more);
// The same where the function's inputs have other types (a batch).
void check_types(const InferContext& context, std::span<const Type> expected);
// For a body of a loop or a branch: refuses one that updates or reads state, and inputs that are not of the
// types `given` by the node.
void check_body(const InferContext& context, const Function& body, std::span<const Type> given);
// Refuses `given` for the value `name` of `function` if it is not what is expected.
void check_same(const InferContext& context, std::string_view name, const Function& function,
                const Type& expected, const Type& given);
std::vector<Type> output_types(const Function& function);
// The types of what the attribute `wrt` names: inputs of the function, and state variables that it, or a
// function that it applies, reads. Refuses names of nothing that has a gradient.
std::vector<Type> wrt_types(const InferContext& context);
// The values themselves, of a function that applies no other.
std::vector<ValueId> wrt_values(const InferContext& context);
std::vector<Type> types_of(const Function& function, std::span<const ValueId> values);
// Refuses a function whose outputs are not one float scalar.
void check_scalar_output(const InferContext& context);
[[noreturn]] void evaluate_applied(EvalContext& context);

// An operator of this kind, without its `infer`.
OpDef applied_op(std::string_view name, std::string_view meaning, bool is_derivative);

}  // namespace cohort::ops
