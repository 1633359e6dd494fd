// merge_narrow_products: before derivatives, products of one operand with matrices of few columns that all
// steps of a loop share are one (see merge_products.cpp). So what is behind them is one product as well:
//
//   d%h = add(matmul(%du, %u^T), matmul(%dv, %v^T))    =>    d%h = matmul(concat(%du, %dv), %uv^T)
//   d%u = sum over steps of matmul(%h^T, %du)                d%uv = sum of matmul(%h^T, concat(%du, %dv))
//
// Matrices of many columns gain nothing there, and copies would cost. Each step is exact, but the order in
// which gradients are summed depends on it; so interpreters write out applied functions by the same passes.
#include "compiler/pass.h"
#include "compiler/product_merger.h"

namespace cohort::passes {

Function merge_narrow_products(ModuleBuilder& module, const Function& function, const PassOptions&) {
  return with_merged_products(module, function, MergedProducts::kNarrow);
}

}  // namespace cohort::passes
