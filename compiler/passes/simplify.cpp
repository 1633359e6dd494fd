// simplify: applies the rules marked exact (rules/*.rules), which keep every bit of every value.
//
//   %a = neg(%x)                      output y = %x
//   %b = neg(%a)              =>
//   output y = %b
//
// What a rule leaves unread stays for remove_dead.
#include "compiler/pass.h"
#include "compiler/rules/rewrite.h"

namespace cohort::passes {

Function simplify(ModuleBuilder& module, const Function& function, const PassOptions&) {
  return rewrite(module, function, rules_marked(Exactness::kExact));
}

}  // namespace cohort::passes
