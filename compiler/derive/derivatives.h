// Derived functions: what `grad`, `vjp`, `jvp` and `hvp` of a function are, as functions.
#pragma once

#include "ir/builder.h"

namespace cohort {

struct Derivative {
  std::vector<ValueId> wrt;  // values of the function: inputs or states
  bool zeros = false;        // where nothing depends on one of them: zeros, not an error
  std::string_view op{};     // for messages
};

// Inputs: f's, then a cotangent for each output. Outputs: f's, then a gradient for each of wrt.
Function vjp_function(ModuleBuilder& module, const Function& f, const Derivative& d);
// Inputs: f's, then a tangent for each of wrt. Outputs: f's, then their tangents.
// Forward mode needs no rules of its own: vjp is linear in the cotangents u, and the gradient of <vjp(u), t>
// by u is J t. What computed the vjp itself is dead.
Function jvp_function(ModuleBuilder& module, const Function& f, const Derivative& d);
// f's only output, a scalar, and its gradients.
Function value_and_grad_function(ModuleBuilder& module, const Function& f, const Derivative& d);
// Inputs: f's, then a tangent for each of wrt. Outputs: the product of the Hessian with them, for each of
// wrt.
Function hvp_function(ModuleBuilder& module, const Function& f, const Derivative& d);

}  // namespace cohort
