// gather_sums: a long chain of adds becomes one node, which adds in the same order.
//
//   %s1 = add(%a, %b)
//   %s2 = add(%s1, %c)       =>      %s7 = add_n(%a, %b, %c, ..., %h)
//   ...
//   %s7 = add(%s6, %h)
//
// Sums of many connections into one target come as such chains. As one node their operands are computed
// apart, so that alike ones can be merged, and summed in a loop (merge/roll.h). Only links that nobody else
// reads and that do not broadcast; a + b is b + a, so a chain may be either operand.
#include "compiler/pass.h"
#include "ir/op_def.h"
#include "ir/rewriter.h"
#include "ir/uses.h"

namespace cohort::passes {

namespace {

constexpr std::size_t kMinTerms = 4;  // shorter sums are better computed inside what reads them

class SumGatherer {
 public:
  SumGatherer(ModuleBuilder& module, const Function& function)
      : module_(module.module()),
        function_(function),
        uses_(count_uses(function)),
        rewriter_(module, function),
        link_(function.nodes.size(), kNoId),
        terms_(function.nodes.size(), 0),
        absorbed_(function.nodes.size(), false) {}

  Function run() {
    find_chains();
    for (NodeId n = 0; n < function_.nodes.size(); ++n) {
      if (terms_[n] < kMinTerms && !absorbed_[n])
        rewriter_.copy(function_.node(n));
      else if (!absorbed_[n])
        emit(n);
    }
    return rewriter_.finish();
  }

 private:
  bool is_plain_add(const Node& node) const {
    if (node.op->scalar != ScalarOp::k_add || module_.locations[node.loc].device != DeviceHint::kNone)
      return false;
    const Shape& shape = function_.type(node.first_result).shape;
    return function_.type(node.inputs[0]).shape == shape && function_.type(node.inputs[1]).shape == shape;
  }

  void find_chains() {
    for (NodeId n = 0; n < function_.nodes.size(); ++n) {
      const Node& node = function_.node(n);
      if (!is_plain_add(node)) continue;
      for (std::uint32_t side = 0; side < 2 && link_[n] == kNoId; ++side) {
        const Value& value = function_.value(node.inputs[side]);
        const bool chain = value.kind == ValueKind::kNode && terms_[value.index] > 0 &&
                           uses_.count[node.inputs[side]] == 1 && !uses_.observed[node.inputs[side]];
        if (chain) link_[n] = side;
      }
      terms_[n] = link_[n] == kNoId ? 2 : terms_[function_.value(node.inputs[link_[n]]).index] + 1;
    }
    for (NodeId n = static_cast<NodeId>(function_.nodes.size()); n-- > 0;) {
      if (link_[n] == kNoId || (terms_[n] < kMinTerms && !absorbed_[n])) continue;
      absorbed_[function_.value(function_.node(n).inputs[link_[n]]).index] = true;
    }
  }

  void emit(NodeId last) {
    std::vector<ValueId> terms;
    NodeId n = last;
    for (; link_[n] != kNoId; n = function_.value(function_.node(n).inputs[link_[n]]).index)
      terms.push_back(function_.node(n).inputs[1 - link_[n]]);
    terms.push_back(function_.node(n).inputs[1]);
    terms.push_back(function_.node(n).inputs[0]);
    std::vector<ValueId> inputs;
    for (std::size_t i = terms.size(); i-- > 0;) inputs.push_back(rewriter_(terms[i]));
    const Node& node = function_.node(last);
    rewriter_.map(node.first_result, rewriter_.to().node(*find_op("add_n"), inputs, {}, {}, node.loc));
  }

  const Module& module_;
  const Function& function_;
  const Uses uses_;
  Rewriter rewriter_;
  std::vector<std::uint32_t> link_;   // by node: the input that is the chain before it, or kNoId
  std::vector<std::uint32_t> terms_;  // by node: of the chain that ends here; 0: no add
  std::vector<bool> absorbed_;        // by node: part of a longer chain that is gathered
};

}  // namespace

Function gather_sums(ModuleBuilder& module, const Function& function, const PassOptions&) {
  return SumGatherer(module, function).run();
}

}  // namespace cohort::passes
