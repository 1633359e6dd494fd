// merge_duplicates: nodes that compute the same from the same are computed once; constants of equal type and
// bits are stored once.
//
//   %a = mul(%x, %y)                  %a = mul(%x, %y)
//   %b = mul(%y, %x)          =>      output p = %a
//   output p = %a                     output q = %a
//   output q = %b
//
// Two nodes are the same if operator, attributes and operands agree; the operands of a commutative operator
// in any order, and if they are wanted on the same device. The earlier node stays. Nodes with effects are
// each kept. See Note [sign of NaN].
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

bool commutes(const OpDef& op) {
  return op.scalar != ScalarOp::kNone && (scalar_op_info(op.scalar).traits & kCommutative);
}

// A node of the new function, or one that would be there. Operands of a commutative operator count in
// ascending order.
std::uint64_t hash_node(const OpDef& op, const std::vector<ValueId>& inputs, const Attrs& attrs) {
  std::uint64_t hash = hash_combine(hash_bytes(op.name), hash_attrs(attrs));
  const bool swapped = commutes(op) && inputs[1] < inputs[0];
  if (swapped) return hash_combine(hash_combine(hash, inputs[1]), inputs[0]);
  for (const ValueId input : inputs) hash = hash_combine(hash, input);
  return hash;
}

bool same_node(const Node& a, const OpDef& op, const std::vector<ValueId>& inputs, const Attrs& attrs) {
  if (a.op != &op || a.attrs != attrs) return false;
  if (a.inputs == inputs) return true;
  return commutes(op) && a.inputs[0] == inputs[1] && a.inputs[1] == inputs[0];
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
  const auto wanted = [&](const Node& node) { return module.module().locations[node.loc].device; };
  // Nodes of the new function by hash; those of one hash are chained.
  std::unordered_map<std::uint64_t, NodeId> last_with;
  last_with.reserve(function.nodes.size());
  std::vector<NodeId> previous;
  std::vector<ValueId> inputs;
  for (const Node& node : function.nodes) {
    if (has_effect(node) || !node.regions.empty()) {
      rewriter.copy(node);
      continue;
    }
    inputs.clear();
    for (const ValueId input : node.inputs) inputs.push_back(rewriter(input));
    const auto last = last_with.try_emplace(hash_node(*node.op, inputs, node.attrs), kNoId).first;
    NodeId same = last->second;
    while (same != kNoId &&
           (wanted(emitted[same]) != wanted(node) || !same_node(emitted[same], *node.op, inputs, node.attrs)))
      same = previous[same];
    if (same != kNoId) {
      for (std::uint32_t r = 0; r < node.result_count; ++r)
        rewriter.map(node.first_result + r, emitted[same].first_result + r);
      continue;
    }
    rewriter.copy(node);
    previous.resize(emitted.size(), kNoId);
    previous.back() = last->second;
    last->second = static_cast<NodeId>(emitted.size() - 1);
  }
  return rewriter.finish();
}

}  // namespace cohort::passes
