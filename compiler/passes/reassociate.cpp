// reassociate: applies the rules marked fast. Only under --fp=fast.
//
//   %a = mul(%x, 3)                   output y = mul(%x, 21)
//   %b = mul(%a, 7)           =>
//   output y = %b
#include "compiler/pass.h"
#include "compiler/rules/rewrite.h"

namespace cohort::passes {

Function reassociate(ModuleBuilder& module, const Function& function, const PassOptions&) {
  return rewrite(module, function, rules_marked(Exactness::kFast));
}

}  // namespace cohort::passes
