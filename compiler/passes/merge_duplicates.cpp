// merge_duplicates: nodes that compute the same from the same are computed once; constants of equal type and
// bits are stored once.
//
//   %a = mul(%x, %y)                  %a = mul(%x, %y)
//   %b = mul(%y, %x)          =>      output p = %a
//   output p = %a                     output q = %a
//   output q = %b
//
// Two nodes are the same if operator, attributes and operands agree; the operands of a commutative operator
// in any order. The earlier node stays. Nodes with effects are each kept. See Note [sign of NaN].
//
// Note [sign of NaN]: NaN + x and x + NaN may differ in the sign and payload of the NaN; no operator promises
// those.
#include <algorithm>
#include <unordered_map>

#include "compiler/effects.h"
#include "compiler/pass.h"
#include "compiler/structural_hash.h"
#include "ir/op_def.h"
#include "ir/rewriter.h"

namespace cohort::passes {

namespace {

// The operands in the order that stands for all orders.
std::vector<ValueId> canonical_inputs(const Node& node) {
  std::vector<ValueId> inputs = node.inputs;
  if (is_scalar(node) && scalar_op_info(node.op->scalar).traits & kCommutative)
    std::sort(inputs.begin(), inputs.end());
  return inputs;
}

std::uint64_t hash_node(const Node& node) {
  std::uint64_t hash = hash_combine(hash_bytes(node.op->name), hash_attrs(node.attrs));
  for (const ValueId input : canonical_inputs(node)) hash = hash_combine(hash, input);
  return hash;
}

bool same_node(const Node& a, const Node& b) {
  return a.op == b.op && a.attrs == b.attrs && canonical_inputs(a) == canonical_inputs(b);
}

std::uint64_t hash_constant(const Constant& constant) {
  const std::string_view bytes(reinterpret_cast<const char*>(constant.data.data()),
                               static_cast<std::size_t>(constant.data.bytes()));
  return hash_combine(
      hash_combine(static_cast<std::uint64_t>(constant.type.dtype), hash_shape(constant.type.shape)),
      hash_bytes(bytes));
}

// Maps every constant the function reads to the first one that equals it.
void merge_constants(const Module& module, const Function& function, Rewriter& rewriter) {
  std::unordered_map<std::uint64_t, std::vector<ValueId>> seen;
  for (ValueId id = 0; id < function.values.size(); ++id) {
    const Value& value = function.value(id);
    if (value.kind != ValueKind::kConstant) continue;
    const Constant& constant = module.constants[value.index];
    std::vector<ValueId>& alike = seen[hash_constant(constant)];
    const auto same = std::find_if(alike.begin(), alike.end(), [&](ValueId other) {
      return module.constants[function.value(other).index].data == constant.data;
    });
    if (same == alike.end())
      alike.push_back(id);
    else
      rewriter.map(id, rewriter(*same));
  }
}

}  // namespace

Function merge_duplicates(ModuleBuilder& module, const Function& function, const PassOptions&) {
  Rewriter rewriter(module, function);
  merge_constants(module.module(), function, rewriter);
  const std::vector<Node>& emitted = rewriter.to().function().nodes;
  std::unordered_map<std::uint64_t, std::vector<NodeId>> seen;  // nodes of the new function by hash
  for (const Node& node : function.nodes) {
    if (has_effect(node) || !node.regions.empty()) {
      rewriter.copy(node);
      continue;
    }
    Node moved{node.op, {}, node.attrs, 0, node.result_count, node.loc, {}};
    for (const ValueId input : node.inputs) moved.inputs.push_back(rewriter(input));
    std::vector<NodeId>& alike = seen[hash_node(moved)];
    const auto same = std::find_if(alike.begin(), alike.end(),
                                   [&](NodeId other) { return same_node(emitted[other], moved); });
    if (same == alike.end()) {
      rewriter.copy(node);
      alike.push_back(static_cast<NodeId>(emitted.size() - 1));
      continue;
    }
    for (std::uint32_t r = 0; r < node.result_count; ++r)
      rewriter.map(node.first_result + r, emitted[*same].first_result + r);
  }
  return rewriter.finish();
}

}  // namespace cohort::passes
