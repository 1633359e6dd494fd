#include "same_module.h"

#include <fmt/format.h>

#include "ir/op_def.h"

namespace cohort {
namespace {

std::vector<const Constant*> tensors(const Module& module) {
  std::vector<const Constant*> constants;
  for (const Constant& constant : module.constants) {
    if (!constant.name.empty() || constant.data.rank() > 0) constants.push_back(&constant);
  }
  return constants;
}

std::string function_difference(const Module& ma, const Function& a, const Module& mb, const Function& b) {
  std::vector<ValueId> to_b(a.values.size(), kNoId);
  auto same_value = [&](ValueId x, ValueId y) {
    const Value& u = a.value(x);
    const Value& v = b.value(y);
    if (u.kind != v.kind || u.name != v.name || !(u.type == v.type) || u.result != v.result) return false;
    if (to_b[x] != kNoId) return to_b[x] == y;
    if (u.kind == ValueKind::kNode) return false;  // nodes are mapped where they are defined
    to_b[x] = y;
    if (u.kind != ValueKind::kConstant) return u.index == v.index;
    return ma.constants[u.index].data == mb.constants[v.index].data;
  };
  if (a.name != b.name) return "function names";
  if (a.inputs.size() != b.inputs.size() || a.nodes.size() != b.nodes.size() ||
      a.outputs.size() != b.outputs.size() || a.updates.size() != b.updates.size()) {
    return "numbers of inputs, nodes, outputs or updates";
  }
  for (std::size_t i = 0; i < a.inputs.size(); ++i) {
    if (!same_value(a.inputs[i], b.inputs[i])) return fmt::format("input {}", i);
  }
  for (std::size_t i = 0; i < a.nodes.size(); ++i) {
    const Node& x = a.nodes[i];
    const Node& y = b.nodes[i];
    if (x.op != y.op || x.inputs.size() != y.inputs.size() || x.attrs != y.attrs ||
        x.result_count != y.result_count || ma.locations[x.loc].user != mb.locations[y.loc].user ||
        ma.locations[x.loc].device != mb.locations[y.loc].device) {
      return fmt::format("node {}", i);
    }
    for (std::size_t k = 0; k < x.inputs.size(); ++k) {
      if (!same_value(x.inputs[k], y.inputs[k])) return fmt::format("input {} of node {}", k, i);
    }
    for (std::uint32_t r = 0; r < x.result_count; ++r) {
      to_b[x.first_result + r] = y.first_result + r;
      if (!same_value(x.first_result + r, y.first_result + r))
        return fmt::format("result {} of node {}", r, i);
    }
  }
  for (std::size_t i = 0; i < a.outputs.size(); ++i) {
    if (a.outputs[i].name != b.outputs[i].name || !same_value(a.outputs[i].value, b.outputs[i].value)) {
      return fmt::format("output {}", i);
    }
  }
  for (std::size_t i = 0; i < a.updates.size(); ++i) {
    if (a.updates[i].state != b.updates[i].state || !same_value(a.updates[i].value, b.updates[i].value)) {
      return fmt::format("update {}", i);
    }
  }
  return "";
}

}  // namespace

std::string difference(const Module& a, const Module& b) {
  if (a.name != b.name || a.dims != b.dims) return "name or dims";
  auto ca = tensors(a), cb = tensors(b);
  if (ca.size() != cb.size() || a.states.size() != b.states.size() ||
      a.functions.size() != b.functions.size()) {
    return "numbers of constants, states or functions";
  }
  for (std::size_t i = 0; i < ca.size(); ++i) {
    if (ca[i]->name != cb[i]->name || !(ca[i]->type == cb[i]->type) || !(ca[i]->data == cb[i]->data)) {
      return fmt::format("constant {}", i);
    }
  }
  for (std::size_t i = 0; i < a.states.size(); ++i) {
    const State& x = a.states[i];
    const State& y = b.states[i];
    if (x.name != y.name || !(x.type == y.type) || !(x.init == y.init) || x.is_settable != y.is_settable ||
        x.device != y.device)
      return fmt::format("state {}", i);
  }
  for (std::size_t i = 0; i < a.functions.size(); ++i) {
    std::string found = function_difference(a, *a.functions[i], b, *b.functions[i]);
    if (!found.empty()) return found;
  }
  return "";
}

}  // namespace cohort
