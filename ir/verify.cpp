#include "ir/verify.h"

#include <algorithm>
#include <unordered_set>

#include "ir/diagnostics.h"
#include "ir/op_def.h"

namespace cohort {
namespace {

class Verifier {
 public:
  Verifier(const Module& module, std::vector<std::string>& messages) : module_(module), messages_(messages) {}

  void module();
  void function(const Function& function);

 private:
  template <typename... Args>
  void add(int invariant, fmt::format_string<Args...> text, Args&&... args) {
    messages_.push_back(fmt::format("I{}: {}", invariant, fmt::format(text, std::forward<Args>(args)...)));
  }
  std::string where(const Function& function, NodeId id) const {
    const Node& node = function.node(id);
    return fmt::format("node {} (`{}`) of `{}`", id, node.op ? node.op->name : "none", function.name);
  }
  std::string shown(const Type& type) const { return to_string(type, module_.dims); }
  void unique(std::unordered_set<std::string_view>& names, std::string_view name, std::string_view what) {
    if (!names.insert(name).second) add(5, "the name `{}` of {} is used twice", name, what);
  }

  void tensor(const Type& type, const Tensor& data, std::string_view what, std::string_view name);
  bool value(const Function& function, ValueId id);
  bool inputs_before(const Function& function, NodeId id);
  bool attributes(const Function& function, NodeId id);
  bool operands(const Function& function, NodeId id);
  void types(const Function& function, NodeId id);
  void node(const Function& function, NodeId id);
  void outputs_and_updates(const Function& function);

  const Module& module_;
  std::vector<std::string>& messages_;
  std::unordered_set<const Function*> seen_;  // bodies and functions that are applied
};

void Verifier::tensor(const Type& type, const Tensor& data, std::string_view what, std::string_view name) {
  if (!is_constant(type.shape)) {
    add(8, "{} `{}` has the shape {}, which is not constant", what, name,
        to_string(type.shape, module_.dims));
  } else if (data.dtype() != type.dtype || data.extents() != evaluate(type.shape, {})) {
    Type held{data.dtype(), Shape(data.extents().begin(), data.extents().end())};
    add(8, "{} `{}` has type {} and holds {}", what, name, shown(type), shown(held));
  }
}

void Verifier::module() {
  std::unordered_set<std::string_view> globals, dims, functions;
  for (const NamedDim& dim : module_.dims) unique(dims, dim.name, "a dim");
  for (const Constant& constant : module_.constants) {
    if (!constant.name.empty()) unique(globals, constant.name, "a constant");
    tensor(constant.type, constant.data, "constant", constant.name);
  }
  for (const State& state : module_.states) {
    unique(globals, state.name, "a state variable");
    tensor(state.type, state.init, "state variable", state.name);
  }
  for (const auto& each : module_.functions) {
    unique(functions, each->name, "a function");
    if (seen_.insert(each.get()).second) function(*each);
  }
}

bool Verifier::value(const Function& function, ValueId id) {
  const Value& value = function.value(id);
  bool is_right = false;
  const Type* type = &value.type;
  switch (value.kind) {
    case ValueKind::kInput:
      is_right = value.index < function.inputs.size() && function.inputs[value.index] == id;
      break;
    case ValueKind::kState:
      is_right = value.index < module_.states.size();
      if (is_right) type = &module_.states[value.index].type;
      break;
    case ValueKind::kConstant:
      is_right = value.index < module_.constants.size();
      if (is_right) type = &module_.constants[value.index].type;
      break;
    case ValueKind::kNode:
      is_right = value.index < function.nodes.size() &&
                 value.result < function.node(value.index).result_count &&
                 function.node(value.index).first_result + value.result == id;
      break;
  }
  if (!is_right) add(2, "value {} of `{}` does not point back at what defines it", id, function.name);
  if (!(*type == value.type)) {
    add(2, "value {} of `{}` has type {} and what defines it {}", id, function.name, shown(value.type),
        shown(*type));
  }
  return is_right;
}

bool Verifier::inputs_before(const Function& function, NodeId id) {
  const Node& node = function.node(id);
  bool is_right = true;
  for (ValueId input : node.inputs) {
    const bool exists = input < function.values.size();
    const bool is_late =
        exists && function.value(input).kind == ValueKind::kNode && function.value(input).index >= id;
    if (exists && !is_late) continue;
    add(1, "{} reads value {}, which {}", where(function, id), input,
        exists ? "is defined later" : "does not exist");
    is_right = false;
  }
  if (node.result_count == 0 ||
      node.first_result + std::uint64_t{node.result_count} > function.values.size()) {
    add(1, "{} has results that do not exist", where(function, id));
    return false;
  }
  for (ValueId result = node.first_result; result < node.first_result + node.result_count; ++result) {
    const Value& value = function.value(result);
    if (value.kind == ValueKind::kNode && value.index == id) continue;
    add(1, "{} claims value {}, which is not its result", where(function, id), result);
    is_right = false;
  }
  return is_right;
}

bool Verifier::attributes(const Function& function, NodeId id) {
  const Node& node = function.node(id);
  const std::size_t before = messages_.size();
  const int count = static_cast<int>(node.inputs.size());
  if (count < node.op->min_inputs || count > node.op->max_inputs) {
    add(4, "{} has {} inputs", where(function, id), count);
  }
  for (std::size_t i = 0; i < node.attrs.size(); ++i) {
    const NamedAttr& attr = node.attrs[i];
    if (i > 0 && node.attrs[i - 1].name >= attr.name) {
      add(4, "{} has the attribute `{}` out of order", where(function, id), attr.name);
    }
    auto spec = std::find_if(node.op->attrs.begin(), node.op->attrs.end(),
                             [&](const AttrSpec& s) { return s.name == attr.name; });
    if (spec == node.op->attrs.end()) {
      add(4, "{} has the unknown attribute `{}`", where(function, id), attr.name);
    } else if (attr.value.index() != static_cast<std::size_t>(spec->kind)) {
      add(4, "{} has a value of the wrong kind in `{}`", where(function, id), attr.name);
    }
  }
  for (const AttrSpec& spec : node.op->attrs) {
    if (spec.required && !find_attr(node.attrs, spec.name)) {
      add(4, "{} lacks the attribute `{}`", where(function, id), spec.name);
    }
  }
  return messages_.size() == before;
}

bool Verifier::operands(const Function& function, NodeId id) {
  const Node& node = function.node(id);
  if (!is_scalar(node)) return true;
  const Operands row = scalar_op_info(node.op->scalar).operands;
  bool is_right = true;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const DType dtype = function.type(node.inputs[i]).dtype;
    const bool is_condition = row == Operands::kSelect && i == 0;
    const bool fits = is_condition ? dtype == DType::kBool
                                   : accepts(row, dtype) && dtype == function.type(node.inputs.back()).dtype;
    if (fits) continue;
    add(7, "{} has {} as input {}", where(function, id), dtype_name(dtype), i);
    is_right = false;
  }
  return is_right;
}

void Verifier::types(const Function& function, NodeId id) {
  const Node& node = function.node(id);
  std::vector<Type> inputs;
  for (ValueId input : node.inputs) inputs.push_back(function.type(input));
  std::vector<Type> inferred;
  try {
    inferred = node.op->infer({*node.op, inputs, node.attrs, module_.dims, node.regions});
  } catch (const UserError& error) {
    add(3, "{} is refused: {}", where(function, id), error.diagnostics().front().message);
    return;
  }
  if (inferred.size() != node.result_count) {
    add(3, "{} has {} results and infers {}", where(function, id), node.result_count, inferred.size());
    return;
  }
  for (std::size_t i = 0; i < inferred.size(); ++i) {
    const Type& type = function.type(node.first_result + static_cast<ValueId>(i));
    if (type == inferred[i]) continue;
    add(3, "{} has {} as result {} and infers {}", where(function, id), shown(type), i, shown(inferred[i]));
  }
}

void Verifier::node(const Function& function, NodeId id) {
  const Node& node = function.node(id);
  if (!node.op || !node.op->infer) {
    add(4, "{} has no operator", where(function, id));
    return;
  }
  // Each check presumes the one before it.
  if (inputs_before(function, id) && attributes(function, id) && operands(function, id)) types(function, id);
  for (const auto& region : node.regions)
    if (seen_.insert(region.get()).second) this->function(*region);
}

void Verifier::outputs_and_updates(const Function& function) {
  std::unordered_set<std::string_view> names;
  for (const Output& output : function.outputs) {
    unique(names, output.name, "an output");
    if (output.value >= function.values.size()) {
      add(1, "the output `{}` of `{}` does not exist", output.name, function.name);
    }
  }
  std::unordered_set<StateId> updated;
  for (const Update& update : function.updates) {
    if (update.state >= module_.states.size() || update.value >= function.values.size()) {
      add(6, "an update of `{}` names what does not exist", function.name);
      continue;
    }
    const State& state = module_.states[update.state];
    if (!updated.insert(update.state).second) add(6, "`{}` updates `{}` twice", function.name, state.name);
    if (function.type(update.value) == state.type) continue;
    add(6, "`{}` updates `{}` of type {} with {}", function.name, state.name, shown(state.type),
        shown(function.type(update.value)));
  }
}

void Verifier::function(const Function& function) {
  const std::size_t before = messages_.size();
  std::unordered_set<std::string_view> names;
  for (ValueId input : function.inputs) {
    if (input >= function.values.size() || function.value(input).kind != ValueKind::kInput) {
      add(2, "an input of `{}` is no input value", function.name);
    } else {
      unique(names, function.value(input).name, "an input");
    }
  }
  for (ValueId id = 0; id < function.values.size(); ++id) value(function, id);
  outputs_and_updates(function);
  if (messages_.size() != before &&
      std::any_of(messages_.begin() + static_cast<std::ptrdiff_t>(before), messages_.end(),
                  [](const std::string& m) { return m.starts_with("I2"); })) {
    // With values that point astray the nodes are checked only for their order.
    for (NodeId id = 0; id < function.nodes.size(); ++id) inputs_before(function, id);
    return;
  }
  for (NodeId id = 0; id < function.nodes.size(); ++id) node(function, id);
}

}  // namespace

std::vector<std::string> verify(const Module& module) {
  std::vector<std::string> messages;
  Verifier(module, messages).module();
  return messages;
}

std::vector<std::string> verify(const Module& module, const Function& function) {
  std::vector<std::string> messages;
  Verifier(module, messages).function(function);
  return messages;
}

}  // namespace cohort
