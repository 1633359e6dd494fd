#include "ir/interpreter.h"

#include "ir/diagnostics.h"
#include "ir/op_def.h"

namespace cohort {

std::vector<Tensor> initial_state(const Module& module) {
  std::vector<Tensor> state;
  state.reserve(module.states.size());
  for (const State& s : module.states) state.push_back(s.init);
  return state;
}

std::vector<Tensor> evaluate_node(const Module& module, const Function& function, const Node& node,
                                  std::span<const Tensor> inputs, const DimValues& dims, std::string* printed,
                                  const NodeObserver* after) {
  std::vector<Type> types;
  std::vector<Tensor> results;
  for (std::uint32_t r = 0; r < node.result_count; ++r) {
    types.push_back(function.type(node.first_result + r));
    results.emplace_back(types.back().dtype, evaluate(types.back().shape, dims));
  }
  EvalContext context{*node.op, inputs,  node.attrs, dims,         types,
                      results,  printed, &module,    node.regions, after};
  node.op->evaluate(context);
  if (after != nullptr) (*after)(node, results);
  return results;
}

CallResult interpret(const Module& module, const Function& function, std::span<const Tensor> inputs,
                     std::vector<Tensor>& state, const DimValues& dims, const NodeObserver* after) {
  std::vector<Tensor> values(function.values.size());
  for (std::size_t id = 0; id < values.size(); ++id) {
    const Value& value = function.values[id];
    if (value.kind == ValueKind::kInput) values[id] = inputs[value.index];
    if (value.kind == ValueKind::kState) values[id] = state[value.index];
    if (value.kind == ValueKind::kConstant) values[id] = module.constants[value.index].data;
  }
  CallResult result;
  std::vector<Tensor> operands;
  for (const Node& node : function.nodes) {
    operands.clear();
    for (const ValueId input : node.inputs) operands.push_back(values[input]);
    std::vector<Tensor> results =
        evaluate_node(module, function, node, operands, dims, &result.printed, after);
    for (std::uint32_t r = 0; r < node.result_count; ++r)
      values[node.first_result + r] = std::move(results[r]);
  }
  for (const Output& output : function.outputs) result.outputs.push_back(values[output.value]);
  for (const Update& update : function.updates) state[update.state] = values[update.value];
  return result;
}

namespace {

// Solves scale * value + offset = extent, and checks an already bound value.
void bind(const Module& module, const Value& input, std::size_t axis, std::int64_t extent,
          std::vector<bool>& bound, DimValues& values) {
  const Dim& dim = input.type.shape[axis];
  if (!dim.is_constant()) {
    const NamedDim& named = module.dims[dim.symbol];
    const std::int64_t value = (extent - dim.offset) / dim.scale;
    if (!bound[dim.symbol] && dim.scale * value + dim.offset == extent) {
      if (value < named.min || value > named.max)
        fail(DiagId::kDimOutOfRange, named.name, value, named.min, named.max, input.name, axis);
      bound[dim.symbol] = true;
      values[dim.symbol] = value;
    }
  }
  const std::int64_t expected = evaluate(dim, values);
  if (expected != extent)
    fail(DiagId::kInputExtent, input.name, extent, axis, to_string(dim, module.dims), expected);
}

}  // namespace

DimValues bind_dims(const Module& module, const Function& function, std::span<const Tensor> inputs) {
  if (inputs.size() != function.inputs.size())
    fail(DiagId::kInputCount, function.name, function.inputs.size(), inputs.size());
  DimValues values = maximum_values(module.dims);
  std::vector<bool> bound(values.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Value& input = function.value(function.inputs[i]);
    if (inputs[i].dtype() != input.type.dtype || inputs[i].rank() != input.type.rank()) {
      const Type given{inputs[i].dtype(), Shape(inputs[i].extents().begin(), inputs[i].extents().end())};
      fail(DiagId::kInputType, input.name, to_string(input.type, module.dims), to_string(given, module.dims));
    }
    for (std::size_t axis = 0; axis < input.type.shape.size(); ++axis)
      bind(module, input, axis, inputs[i].extents()[axis], bound, values);
  }
  return values;
}

}  // namespace cohort
