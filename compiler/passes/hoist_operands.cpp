// hoist_operands: before derivatives, what products in a loop's body read and all steps share is computed
// before the loop (see hoist_from_loops.cpp): slices of one matrix of weights, a mask on them.
//
//   scan(.., %u) body(.., %h, %u) {                   %u0 = slice(%u) {stops = [100]}
//     %u0 = slice(%u) {stops = [100]}          =>     scan(.., %u0) body(.., %h, %u0) {
//     %hu = matmul(%h, %u0)                             %hu = matmul(%h, %u0)
//
// So products are those of matrices that stand alone, which merge_narrow_products sees, and whose gradients
// are one product behind the loop and not sums over steps of parts of a matrix.
#include "compiler/loop_hoister.h"
#include "compiler/pass.h"

namespace cohort::passes {

Function hoist_operands(ModuleBuilder& module, const Function& function, const PassOptions&) {
  return with_hoisted(module, function, Hoisted::kOperands);
}

}  // namespace cohort::passes
