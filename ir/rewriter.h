// How a pass walks one function and re-emits another: values of the old function map to values of the new
// one.
#pragma once

#include "ir/builder.h"

namespace cohort {

class Rewriter {
 public:
  // Starts an empty copy of `from`: same name, same inputs. `module` receives new constants.
  Rewriter(ModuleBuilder& module, const Function& from);

  const Function& from() const { return from_; }
  FunctionBuilder& to() { return to_; }
  // The new value for an old one. States and constants are copied on first use; a node's result must be
  // mapped already.
  ValueId operator()(ValueId old);
  void map(ValueId old, ValueId now);
  bool is_mapped(ValueId old) const { return map_[old] != kNoId; }
  // Emits `node` with mapped inputs, keeping names and source positions, and maps its results.
  void copy(const Node& node);
  // Copies outputs and updates and hands the new function over.
  Function finish();

 private:
  const Function& from_;
  FunctionBuilder to_;
  std::vector<ValueId> map_;
};

}  // namespace cohort
