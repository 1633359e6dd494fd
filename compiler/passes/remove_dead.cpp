// remove_dead: drops nodes that no output, no update and no effect needs.
//
//   %a = exp(%x)                      %b = neg(%x)
//   %b = neg(%x)              =>      output y = %b
//   output y = %b
//
// A node whose operator has an effect the user can see (`print`, `assert`) stays, and what it reads stays
// with it.
#include "compiler/effects.h"
#include "compiler/pass.h"
#include "ir/rewriter.h"

namespace cohort::passes {

namespace {

// For each node, whether anything that leaves the function depends on it.
std::vector<bool> live_nodes(const Function& function) {
  std::vector<bool> live(function.nodes.size());
  const auto mark = [&](ValueId id) {
    const Value& value = function.value(id);
    if (value.kind == ValueKind::kNode) live[value.index] = true;
  };
  for (const Output& output : function.outputs) mark(output.value);
  for (const Update& update : function.updates) mark(update.value);
  for (std::size_t i = function.nodes.size(); i-- > 0;) {
    if (has_effect(function.nodes[i])) live[i] = true;
    if (!live[i]) continue;
    for (const ValueId input : function.nodes[i].inputs) mark(input);
  }
  return live;
}

}  // namespace

Function remove_dead(ModuleBuilder& module, const Function& function, const PassOptions&) {
  const std::vector<bool> live = live_nodes(function);
  Rewriter rewriter(module, function);
  for (std::size_t i = 0; i < function.nodes.size(); ++i)
    if (live[i]) rewriter.copy(function.nodes[i]);
  return rewriter.finish();
}

}  // namespace cohort::passes
