#include "ir/verify.h"

#include <algorithm>
#include <set>

#include "ir/diagnostics.h"
#include "ir/op_def.h"

namespace cohort {

namespace {

class Verifier {
 public:
  Verifier(const Module& module, const Function& function) : module_(module), function_(function) {}

  std::vector<std::string> run() {
    check_values();
    if (!violations_.empty()) return std::move(violations_);   // what follows indexes by what was checked
    for (NodeId id = 0; id < function_.nodes.size(); ++id) check_node(id);
    check_outputs();
    check_updates();
    return std::move(violations_);
  }

 private:
  template <typename... Args>
  void violated(const char* invariant, fmt::format_string<Args...> text, Args&&... args) {
    violations_.push_back(fmt::format("{}: `{}`: {}", invariant, function_.name,
                                      fmt::format(text, std::forward<Args>(args)...)));
  }
  std::string name_of(ValueId id) const { return display_name(function_, id); }

  void check_values() {
    for (ValueId id = 0; id < function_.values.size(); ++id)
      if (!points_back(id)) violated("I2", "value {} is not what defines it", id);
    for (NodeId id = 0; id < function_.nodes.size(); ++id) {
      const Node& node = function_.node(id);
      if (!node.op) violated("I1", "node {} has no operator", id);
      for (const ValueId input : node.inputs)
        if (input >= function_.values.size()) violated("I1", "node {} reads value {}, which does not exist", id, input);
    }
  }

  bool points_back(ValueId id) const {
    const Value& value = function_.value(id);
    switch (value.kind) {
      case ValueKind::kInput: return value.index < function_.inputs.size() && function_.inputs[value.index] == id;
      case ValueKind::kState:
        return value.index < module_.states.size() && value.type == module_.states[value.index].type;
      case ValueKind::kConstant:
        return value.index < module_.constants.size() && value.type == module_.constants[value.index].type;
      case ValueKind::kNode: break;
    }
    if (value.index >= function_.nodes.size()) return false;
    const Node& node = function_.node(value.index);
    return value.result < node.result_count && node.first_result + value.result == id;
  }

  void check_node(NodeId id) {
    const Node& node = function_.node(id);
    if (node.first_result + node.result_count > function_.values.size()) {
      violated("I1", "node {} has results that do not exist", id);
      return;
    }
    for (const ValueId input : node.inputs) {
      const Value& value = function_.value(input);
      if (value.kind == ValueKind::kNode && value.index >= id)
        violated("I1", "node {} (`{}`) reads `{}`, which is defined later", id, node.op->name, name_of(input));
    }
    for (std::uint32_t r = 0; r < node.result_count; ++r) {
      const Value& value = function_.value(node.first_result + r);
      if (value.kind != ValueKind::kNode || value.index != id || value.result != r)
        violated("I2", "result {} of node {} belongs to something else", r, id);
    }
    if (check_attrs(node)) check_types(node);
  }

  bool check_attrs(const Node& node) {
    const std::size_t before = violations_.size();
    for (std::size_t i = 0; i + 1 < node.attrs.size(); ++i)
      if (node.attrs[i].name >= node.attrs[i + 1].name)
        violated("I4", "the attributes of `{}` are not sorted", node.op->name);
    for (const NamedAttr& a : node.attrs) {
      const auto& specs = node.op->attrs;
      const auto spec = std::find_if(specs.begin(), specs.end(), [&](const AttrSpec& s) { return s.name == a.name; });
      if (spec == specs.end() || a.value.index() != static_cast<std::size_t>(spec->kind))
        violated("I4", "`{}` is no attribute of `{}`, or of another kind", a.name, node.op->name);
    }
    for (const AttrSpec& spec : node.op->attrs)
      if (spec.required && !find_attr(node.attrs, spec.name))
        violated("I4", "`{}` lacks the attribute `{}`", node.op->name, spec.name);
    return violations_.size() == before;
  }

  // Inference refuses operands of dtypes the operator does not take, too.
  void check_types(const Node& node) {
    const int count = static_cast<int>(node.inputs.size());
    if (count < node.op->min_inputs || count > node.op->max_inputs) {
      violated("I3", "`{}` is given {} inputs", node.op->name, count);
      return;
    }
    std::vector<Type> types;
    for (const ValueId input : node.inputs) types.push_back(function_.type(input));
    std::vector<Type> inferred;
    try {
      inferred = node.op->infer({*node.op, types, node.attrs, module_.dims});
    } catch (const UserError& error) {
      violated("I7", "{}", error.what());
      return;
    }
    if (inferred.size() != node.result_count) {
      violated("I3", "`{}` has {} results", node.op->name, node.result_count);
      return;
    }
    for (std::uint32_t r = 0; r < node.result_count; ++r)
      if (const Type& type = function_.type(node.first_result + r); type != inferred[r])
        violated("I3", "`{}` is {} and should be {}", name_of(node.first_result + r), to_string(type, module_.dims),
                 to_string(inferred[r], module_.dims));
  }

  void check_outputs() {
    std::set<std::string_view> names;
    for (const ValueId input : function_.inputs)
      if (!names.insert(function_.value(input).name).second)
        violated("I5", "two inputs are called `{}`", function_.value(input).name);
    names.clear();
    for (const Output& output : function_.outputs) {
      if (output.value >= function_.values.size()) violated("I1", "output `{}` does not exist", output.name);
      if (!names.insert(output.name).second) violated("I5", "two outputs are called `{}`", output.name);
    }
  }

  void check_updates() {
    std::set<StateId> states;
    for (const Update& update : function_.updates) {
      if (update.state >= module_.states.size() || update.value >= function_.values.size()) {
        violated("I6", "an update names what does not exist");
        continue;
      }
      const State& state = module_.states[update.state];
      if (!states.insert(update.state).second) violated("I6", "`{}` is updated twice", state.name);
      if (function_.type(update.value) != state.type)
        violated("I6", "`{}` is {} and is updated with {}", state.name, to_string(state.type, module_.dims),
                 to_string(function_.type(update.value), module_.dims));
    }
  }

  const Module& module_;
  const Function& function_;
  std::vector<std::string> violations_;
};

template <typename List>
void check_unique(const List& list, const char* what, std::vector<std::string>& violations) {
  std::set<std::string_view> names;
  for (const auto& entry : list)
    if (!entry.name.empty() && !names.insert(entry.name).second)
      violations.push_back(fmt::format("I5: two {} are called `{}`", what, entry.name));
}

void check_tensor(const std::string& name, const Type& type, const Tensor& tensor, std::vector<std::string>& violations) {
  if (!is_constant(type.shape) || tensor.dtype() != type.dtype || tensor.extents() != evaluate(type.shape, DimValues()))
    violations.push_back(fmt::format("I8: `{}` does not have the shape of its type", name));
}

}  // namespace

std::vector<std::string> verify(const Module& module, const Function& function) {
  return Verifier(module, function).run();
}

std::vector<std::string> verify(const Module& module) {
  std::vector<std::string> violations;
  check_unique(module.states, "states", violations);
  check_unique(module.constants, "constants", violations);
  check_unique(module.dims, "dims", violations);
  for (const State& state : module.states) check_tensor(state.name, state.type, state.init, violations);
  for (const Constant& constant : module.constants) check_tensor(constant.name, constant.type, constant.data, violations);
  std::set<std::string_view> names;
  for (const auto& function : module.functions) {
    if (!names.insert(function->name).second)
      violations.push_back(fmt::format("I5: two functions are called `{}`", function->name));
    const std::vector<std::string> found = verify(module, *function);
    violations.insert(violations.end(), found.begin(), found.end());
  }
  return violations;
}

}  // namespace cohort
