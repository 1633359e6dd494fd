#include "ir/inline.h"

#include "ir/diagnostics.h"

namespace cohort {

std::vector<ValueId> inline_function(FunctionBuilder& to, const Function& callee,
                                     std::span<const ValueId> arguments) {
  require(arguments.size() == callee.inputs.size(), "a call has one argument for each input");
  std::vector<ValueId> values(callee.values.size(), kNoId);
  for (std::size_t i = 0; i < arguments.size(); ++i) values[callee.inputs[i]] = arguments[i];
  for (ValueId id = 0; id < values.size(); ++id) {
    const Value& value = callee.value(id);
    if (value.kind == ValueKind::kState) values[id] = to.state(value.index);
    if (value.kind == ValueKind::kConstant) values[id] = to.constant(value.index);
  }
  std::vector<ValueId> inputs;
  for (const Node& node : callee.nodes) {
    inputs.clear();
    for (const ValueId input : node.inputs) inputs.push_back(values[input]);
    const ValueId first = to.node(*node.op, inputs, node.attrs, {}, node.loc, node.regions);
    for (std::uint32_t r = 0; r < node.result_count; ++r) {
      values[node.first_result + r] = first + r;
      to.function().values[first + r].name = callee.value(node.first_result + r).name;
    }
  }
  return values;
}

std::vector<ValueId> inlined_outputs(const Function& callee, std::span<const ValueId> values) {
  std::vector<ValueId> outputs;
  for (const Output& output : callee.outputs) outputs.push_back(values[output.value]);
  return outputs;
}

}  // namespace cohort
