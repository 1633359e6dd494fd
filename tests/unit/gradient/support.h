// Gradients against finite differences: a function's gradient function is made by reverse(), interpreted with
// a random cotangent, and compared with what the function's interpreted outputs do when an input moves.
#pragma once

#include <string>
#include <vector>

#include "ir/builder.h"
#include "ir/interpreter.h"

namespace cohort::test {

// Generic points: no two alike, none at 0 or an integer; the same for the same arguments.
Tensor generic(const Extents& extents, int seed = 0, double low = -2, double high = 2);
Tensor tensor(DType dtype, const Extents& extents, const std::vector<double>& values);
inline Tensor f64(const Extents& extents, const std::vector<double>& values) {
  return tensor(DType::kF64, extents, values);
}
inline Tensor i64(const Extents& extents, const std::vector<double>& values) {
  return tensor(DType::kI64, extents, values);
}
std::string show(const Tensor& tensor);
Type type_of(const Tensor& tensor);

// One node and the inputs it is differentiated at. `types` as text where they name the dims `n` in 1..8 and
// `m` in 0..4; left out: those of the inputs.
struct Case {
  std::string op;
  std::vector<Tensor> inputs;
  Attrs attrs = {};
  std::vector<std::string> types = {};
};
std::string show(const Case& c);
// A module whose function "f" has the case's inputs and outputs all results of the node.
Module module_of(const Case& c);

// Adds "grad_<name>": the inputs of function `name`, then a cotangent for each of its float outputs; its
// outputs are the gradients of the sum of cotangent * output, one for each float input.
Module with_gradient(Module module, const std::string& name);
const Function& function_named(const Module& module, const std::string& name);
std::vector<Tensor> run(const Module& module, const std::string& name, const std::vector<Tensor>& inputs);
// The float outputs' cotangents, generic.
std::vector<Tensor> cotangents(const Module& module, const std::string& name,
                               const std::vector<Tensor>& inputs);

// Checks that function, whose float inputs and outputs are f64; gives the module with its gradient.
//
// Tolerance: central differences with step h = 2^-17 are off by h^2/6 times the third derivative and by about
// 2^-53 |f| / h. For both up to 1000 that is 1e-8 and 1.5e-8; 2e-7 times the largest of the gradient and 1
// leaves room for sums of 24 such terms.
Module check_gradient(Module module, const std::string& name, const std::vector<Tensor>& inputs);
// The case in f64, and its gradient in f32 and f16 against the one in f64 at the same points.
void check_case(const Case& c);
// The gradient function's own gradient, too.
void check_twice(const Case& c);

// The gradient of one f64 input of a node, with all cotangents 1.
Tensor gradient_of(const Case& c, int input = 0);

// Every structured operator with small inputs.
std::vector<Case> structured_cases();

}  // namespace cohort::test
