// hoist_from_loops: what a loop's body computes from what all steps share is computed once, before the loop;
// a product of the elements of a sequence with such a value is one product of the whole sequence.
//
//   scan(%xs, %h0, %w, %u) body(%x, %h, %w, %u) {       %xw = matmul(%xs, %w)
//     %xw = matmul(%x, %w)                         =>   scan(%xw, %h0, %u) body(%xw, %h, %u) {
//     %hu = matmul(%h, %u)                                %hu = matmul(%h, %u)
//     ...                                                 ...
//
// A matrix that a product reads transposed is transposed once. Cheap elementwise nodes and views stay unless
// a product reads them: they cost less than an array; so does what looks at an index where there may be no
// step. With `checkpoint = "step"` no array of all steps is made. Loops wanted on a device stay whole.
#include <array>
#include <map>

#include "compiler/effects.h"
#include "compiler/loop_hoister.h"
#include "compiler/pass.h"
#include "ir/ops/scan.h"
#include "ir/rewriter.h"

namespace cohort {

namespace {

using ops::ScanParts;

class LoopHoister {
 public:
  LoopHoister(ModuleBuilder& module, Rewriter& outer, const Node& node, Hoisted which)
      : outer_(outer),
        which_(which),
        node_(node),
        body_(*node.regions[0]),
        parts_(ops::scan_parts(node)),
        inner_(module, body_),
        shared_(body_.values.size(), false),
        operand_(body_.values.size(), false),
        outside_(body_.values.size(), kNoId),
        stacked_(body_.values.size(), kNoId) {}

  // Whether anything was hoisted; then the loop has been emitted.
  bool run() {
    if (outer_.to().module().module().locations[node_.loc].device != DeviceHint::kNone) return false;
    find_shared();
    for (std::size_t i = 0; i < parts_.sequences; ++i) stacked_[body_.inputs[i]] = outer_(node_.inputs[i]);
    for (const Node& n : body_.nodes) {
      if (is_shared(n) && is_worth(n))
        take_out(n, n.first_result, before_loop(n.first_result), others_);
      else if (which_ == Hoisted::kOperands)
        continue;
      else if (const ValueId all = all_steps(n); all != kNoId)
        take_out(n, n.first_result, stacked_[n.first_result] = all, sequences_);
      else if (is_transposing(n))
        product_with_transposed(n);
    }
    const bool any = !others_.empty() || !sequences_.empty();
    if (any) emit();
    return any;
  }

 private:
  // Whether a node looks at an index. One out of range must not be told where no step is taken.
  bool may_fail(const Node& n) const {
    const auto is_index = [&](ValueId v) { return is_integer(body_.type(v).dtype); };
    return n.op->op_class != OpClass::kElementwise && n.inputs.size() > 1 &&
           std::any_of(n.inputs.begin(), n.inputs.end(), is_index);
  }
  void find_shared() {
    const Dim steps = ops::scan_steps(outer_.from(), node_);
    for (std::size_t i = parts_.sequences + parts_.carries; i < body_.inputs.size(); ++i)
      shared_[body_.inputs[i]] = true;
    for (ValueId v = 0; v < body_.values.size(); ++v)
      if (body_.value(v).kind == ValueKind::kConstant) shared_[v] = true;
    for (const Node& n : body_.nodes)
      for (const ValueId input : n.inputs) operand_[input] = operand_[input] || n.op == matmul_;
    for (const Node& n : body_.nodes) {
      const bool free = n.result_count == 1 && !n.inputs.empty() && n.regions.empty() && !has_effect(n);
      shared_[n.first_result] =
          free && ((steps.is_constant() && steps.offset > 0) || !may_fail(n)) &&
          std::all_of(n.inputs.begin(), n.inputs.end(), [&](ValueId input) { return shared_[input]; });
    }
  }
  bool is_shared(const Node& n) const { return shared_[n.first_result]; }
  bool is_worth(const Node& n) const {
    if (operand_[n.first_result]) return true;
    if (which_ == Hoisted::kOperands) return false;
    if (n.op->op_class == OpClass::kElementwise) return (element_traits(*n.op) & kTranscendental) != 0;
    return n.op->op_class == OpClass::kReduction || n.op->op_class == OpClass::kOpaque;
  }

  // A shared value of the body, computed outside of it.
  ValueId before_loop(ValueId v) {
    if (outside_[v] != kNoId) return outside_[v];
    const Value& value = body_.value(v);
    if (value.kind == ValueKind::kInput) return outside_[v] = outer_(node_.inputs[value.index]);
    if (value.kind == ValueKind::kConstant) return outside_[v] = outer_.to().constant(value.index);
    const Node& n = body_.node(value.index);
    std::vector<ValueId> inputs;
    for (const ValueId input : n.inputs) inputs.push_back(before_loop(input));
    const ValueId made = outer_.to().node(*n.op, inputs, n.attrs, {}, n.loc);
    outer_.to().function().values[made].name = value.name;
    return outside_[v] = made;
  }

  // The results of a node in all steps, as one node; or kNoId.
  ValueId all_steps(const Node& n) {
    bool known = n.result_count == 1 && n.regions.empty(), moves = false;
    for (const ValueId input : n.inputs) {
      known = known && (stacked_[input] != kNoId || shared_[input]);
      moves = moves || stacked_[input] != kNoId;
    }
    if (!known || !moves || ops::keeps_carries_only(node_)) return kNoId;
    if (n.op == matmul_) return all_products(n);
    if (parts_.carries > 0 || n.op->op_class != OpClass::kElementwise) return kNoId;
    const std::size_t rank = body_.type(n.first_result).shape.size();
    std::vector<ValueId> inputs;
    for (const ValueId input : n.inputs) {
      if (stacked_[input] == kNoId) {
        inputs.push_back(before_loop(input));
        continue;
      }
      // Axes of extent 1 behind that of the steps, so that the elements' own axes are the last ones.
      Shape shape = outer_.to().type(stacked_[input]).shape;
      shape.insert(shape.begin() + 1, rank + 1 - shape.size(), Dim(1));
      const bool fits = shape.size() == outer_.to().type(stacked_[input]).shape.size();
      inputs.push_back(fits ? stacked_[input]
                            : outer_.to().make("reshape", {stacked_[input]}, {{"shape", shape}}));
    }
    return outer_.to().node(*n.op, inputs, n.attrs, {}, n.loc);
  }

  ValueId all_products(const Node& n) {
    const bool left = stacked_[n.inputs[0]] != kNoId, right = stacked_[n.inputs[1]] != kNoId;
    const auto rank_of = [&](std::size_t i) { return body_.type(n.inputs[i]).rank(); };
    if (left && right) {
      if (rank_of(0) < 2 || rank_of(0) != rank_of(1)) return kNoId;
      return outer_.to().node(*matmul_, std::array{stacked_[n.inputs[0]], stacked_[n.inputs[1]]}, n.attrs, {},
                              n.loc);
    }
    const int other_rank = rank_of(left ? 1 : 0);
    if (other_rank > 2) return kNoId;
    const ValueId sequence = stacked_[n.inputs[left ? 0 : 1]], with = before_loop(n.inputs[left ? 1 : 0]);
    if (left || rank_of(1) > 1) {
      const ValueId a = left ? sequence : with, b = left ? with : sequence;
      return outer_.to().node(*matmul_, std::array{a, b}, n.attrs, {}, n.loc);
    }
    // w x for each vector x is x w^T for the matrix of all of them.
    Attrs attrs;
    if (other_rank == 2) attrs = {{"transpose_b", !attr_or(n.attrs, "transpose_a", false)}};
    return outer_.to().node(*matmul_, std::array{sequence, with}, std::move(attrs), {}, n.loc);
  }

  bool is_transposing(const Node& n) const {
    return n.op == matmul_ && attr_or(n.attrs, "transpose_b", false) && shared_[n.inputs[1]] &&
           body_.type(n.inputs[1]).rank() == 2;
  }
  void product_with_transposed(const Node& n) {
    const ValueId matrix = n.inputs[1];
    if (!transposed_.contains(matrix)) {
      const ValueId outside = outer_.to().make("transpose", {before_loop(matrix)});
      const ValueId inside =
          inner_.to().input(body_.value(matrix).name + "_transposed", outer_.to().type(outside));
      others_.push_back({outside, inside});
      transposed_[matrix] = inside;
    }
    for (const Node* before = body_.nodes.data(); before != &n; ++before)
      if (!inner_.is_mapped(before->first_result)) inner_.copy(*before);
    Attrs attrs = n.attrs;
    set_attr(attrs, "transpose_b", false);
    inner_.map(n.first_result,
               inner_.to().node(*matmul_, std::array{inner_(n.inputs[0]), transposed_[matrix]},
                                std::move(attrs), {}, n.loc));
  }

  struct Input {
    ValueId outside, inside;
  };
  void take_out(const Node& n, ValueId result, ValueId outside, std::vector<Input>& list) {
    const std::string& name = body_.value(result).name;
    std::string& given = outer_.to().function().values[outside].name;
    if (given.empty()) given = name;
    const ValueId inside =
        inner_.to().input(name.empty() ? std::string(n.op->name) : name, body_.type(result));
    inner_.map(result, inside);
    list.push_back({outside, inside});
  }

  void emit() {
    for (const Node& n : body_.nodes)
      if (!inner_.is_mapped(n.first_result)) inner_.copy(n);
    Function body = inner_.finish();
    // Inputs in the order of a scan: sequences, carries, others, each with the new ones behind the old.
    std::vector<ValueId> inputs;
    std::vector<ValueId> order;
    const std::vector<ValueId> old = body.inputs;
    const auto take_old = [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        order.push_back(old[i]);
        inputs.push_back(outer_(node_.inputs[i]));
      }
    };
    const auto take_new = [&](const std::vector<Input>& list) {
      for (const Input& input : list) {
        order.push_back(input.inside);
        inputs.push_back(input.outside);
      }
    };
    take_old(0, parts_.sequences);
    take_new(sequences_);
    take_old(parts_.sequences, node_.inputs.size());
    take_new(others_);
    body.inputs = order;
    for (std::uint32_t i = 0; i < order.size(); ++i) body.values[order[i]].index = i;
    Attrs attrs = node_.attrs;
    set_attr(attrs, "sequences", static_cast<std::int64_t>(parts_.sequences + sequences_.size()));
    const ValueId first = outer_.to().node(*node_.op, inputs, std::move(attrs), {}, node_.loc,
                                           {std::make_shared<const Function>(std::move(body))});
    for (std::uint32_t r = 0; r < node_.result_count; ++r) outer_.map(node_.first_result + r, first + r);
  }

  Rewriter& outer_;
  const Hoisted which_;
  const Node& node_;
  const Function& body_;
  const ScanParts parts_;
  Rewriter inner_;
  const OpDef* matmul_ = find_op("matmul");
  std::vector<bool> shared_;      // by value of the body: the same in all steps
  std::vector<bool> operand_;     // by value of the body: a product reads it
  std::vector<ValueId> outside_;  // by value of the body: its copy before the loop
  std::vector<ValueId> stacked_;  // by value of the body: what it is in all steps, outside; or kNoId
  std::vector<Input> sequences_, others_;
  std::map<ValueId, ValueId> transposed_;  // the inputs that are the transposes of shared matrices
};

}  // namespace

Function with_hoisted(ModuleBuilder& module, const Function& function, Hoisted which) {
  const OpDef* scan = find_op("scan");
  Rewriter rewriter(module, function);
  for (const Node& node : function.nodes)
    if (node.op != scan || !LoopHoister(module, rewriter, node, which).run()) rewriter.copy(node);
  return rewriter.finish();
}

Function passes::hoist_from_loops(ModuleBuilder& module, const Function& function, const PassOptions&) {
  return with_hoisted(module, function, Hoisted::kAll);
}

}  // namespace cohort
