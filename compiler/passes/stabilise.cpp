// stabilise: applies the rules marked accuracy, whose results are nearer to the true value. Runs before the
// gradient is taken, so that gradients are stable too.
//
//   %a = exp(%x)                      output y = softplus(%x)
//   %b = add(1, %a)           =>
//   output y = log(%b)
#include "compiler/pass.h"
#include "compiler/rules/rewrite.h"

namespace cohort::passes {

Function stabilise(ModuleBuilder& module, const Function& function, const PassOptions&) {
  return rewrite(module, function, rules_marked(Exactness::kAccuracy));
}

}  // namespace cohort::passes
