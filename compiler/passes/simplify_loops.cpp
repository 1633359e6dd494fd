// simplify_loops: of a `scan`, only what somebody needs.
//
//   %h, %ys, %zs = scan(%xs, %h0, %a) {...}         %ys = scan(%xs, %h0) {...}
//   output y = %ys                            =>    output y = %ys
//
//  - an output that nothing reads goes, and a carry that only feeds itself;
//  - a carry that never changes is an input like any other, and its last value is its first;
//  - an output that is an element of a sequence is that sequence, and of outputs of one value one stays;
//  - an input that the body does not read goes, and a constant one, which the body reads by itself.
#include <set>

#include "compiler/effects.h"
#include "compiler/pass.h"
#include "ir/ops/scan.h"
#include "ir/rewriter.h"
#include "ir/uses.h"

namespace cohort::passes {

namespace {

using ops::ScanParts;

class ScanSimplifier {
 public:
  ScanSimplifier(ModuleBuilder& module, Rewriter& rewriter, const Node& node, const Uses& uses)
      : module_(module),
        rewriter_(rewriter),
        node_(node),
        uses_(uses),
        body_(*node.regions[0]),
        parts_(ops::scan_parts(node)) {}

  // Whether something went; then the node has been emitted.
  bool run() {
    find_fixed();
    find_equal();
    find_live();
    std::size_t inputs = 0, outputs = 0;
    for (const bool keep : keep_input_) inputs += keep ? 1 : 0;
    for (const bool keep : keep_output_) outputs += keep ? 1 : 0;
    const bool all = inputs == keep_input_.size() && outputs == keep_output_.size();
    if (all || (outputs == 0 && !all_results_known())) return false;
    emit(outputs > 0);
    return true;
  }

 private:
  ValueId carry_input(std::size_t c) const { return body_.inputs[parts_.sequences + c]; }
  ValueId result(std::size_t output) const { return node_.first_result + static_cast<ValueId>(output); }
  bool is_used(std::size_t output) const { return uses_.count[result(output)] > 0; }

  // The constant that an input is all the time, or kNoId.
  ConstantId constant_of(std::size_t input) const {
    const Value& value = rewriter_.from().value(node_.inputs[input]);
    return value.kind == ValueKind::kConstant ? value.index : kNoId;
  }

  // The sequence whose elements an output gives; SIZE_MAX: none.
  std::size_t sequence_of(std::size_t output) const {
    if (parts_.until || output < parts_.carries) return SIZE_MAX;
    const Value& value = body_.value(body_.outputs[output].value);
    return value.kind == ValueKind::kInput && value.index < parts_.sequences ? value.index : SIZE_MAX;
  }
  bool is_known(std::size_t output) const {
    if (output < parts_.carries) return fixed_[output];
    return sequence_of(output) != SIZE_MAX || equal_[output] != output;
  }
  bool all_results_known() const {
    for (std::size_t o = 0; o < body_.outputs.size(); ++o)
      if (is_used(o) && !is_known(o)) return false;
    return true;
  }

  void find_fixed() {
    for (std::size_t c = 0; c < parts_.carries; ++c)
      fixed_.push_back(body_.outputs[c].value == carry_input(c));
  }

  // The first of the stacked outputs of the same value stands for the others.
  void find_equal() {
    for (std::size_t o = 0; o < body_.outputs.size(); ++o) {
      std::size_t first = o;
      if (o >= parts_.carries && o < parts_.carries + parts_.outputs) {
        first = parts_.carries;
        while (body_.outputs[first].value != body_.outputs[o].value) ++first;
      }
      equal_.push_back(first);
      if (first != o && is_used(o)) stands_for_others_.insert(first);
    }
  }

  // From the outputs that are read, backwards through the body and around its carries.
  void find_live() {
    keep_output_.assign(body_.outputs.size(), false);
    std::vector<bool> live(body_.values.size(), false);
    for (const Node& node : body_.nodes)
      if (has_effect(node))
        for (const ValueId input : node.inputs) live[input] = true;
    for (std::size_t o = 0; o < body_.outputs.size(); ++o) {
      const bool is_stop = o == parts_.carries + parts_.outputs;
      keep_output_[o] = is_stop || ((is_used(o) || stands_for_others_.contains(o)) && !is_known(o));
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t o = 0; o < body_.outputs.size(); ++o)
        if (keep_output_[o]) live[body_.outputs[o].value] = true;
      for (std::size_t n = body_.nodes.size(); n-- > 0;) {
        const Node& node = body_.nodes[n];
        bool is_live = has_effect(node);
        for (std::uint32_t r = 0; r < node.result_count; ++r)
          is_live = is_live || live[node.first_result + r];
        if (!is_live) continue;
        for (const ValueId input : node.inputs) live[input] = true;
      }
      for (std::size_t c = 0; c < parts_.carries; ++c) {
        if (keep_output_[c] || fixed_[c] || !live[carry_input(c)]) continue;
        keep_output_[c] = changed = true;
      }
    }
    for (std::size_t i = 0; i < body_.inputs.size(); ++i) {
      const bool is_carry = i >= parts_.sequences && i < parts_.sequences + parts_.carries;
      const bool is_carried = is_carry && !fixed_[i - parts_.sequences];
      const bool is_read = live[body_.inputs[i]] && (i < parts_.sequences || constant_of(i) == kNoId);
      keep_input_.push_back(is_carried ? keep_output_[i - parts_.sequences] : is_read);
    }
    // The first sequence also says how many steps there are.
    bool any_sequence = find_attr(node_.attrs, "steps") != nullptr;
    for (std::size_t i = 0; i < parts_.sequences; ++i) any_sequence = any_sequence || keep_input_[i];
    if (!any_sequence && parts_.sequences > 0) keep_input_[0] = true;
  }

  // The inputs that stay, in their new order: a carry that never changes stands with the others.
  std::vector<std::size_t> order() const {
    std::vector<std::size_t> order;
    for (const bool moved : {false, true})
      for (std::size_t i = 0; i < keep_input_.size(); ++i) {
        const bool is_carry = i >= parts_.sequences && i < parts_.sequences + parts_.carries;
        const bool is_moved = is_carry && fixed_[i - parts_.sequences];
        if (keep_input_[i] && is_moved == moved) order.push_back(i);
      }
    return order;
  }

  void emit(bool has_outputs) {
    if (has_outputs) emit_loop();
    for (std::size_t o = 0; o < keep_output_.size(); ++o) {
      if (keep_output_[o] || !is_known(o) || !is_used(o)) continue;
      if (equal_[o] != o && sequence_of(o) == SIZE_MAX) {
        rewriter_.map(result(o), rewriter_(result(equal_[o])));
        continue;
      }
      const std::size_t input = o < parts_.carries ? parts_.sequences + o : sequence_of(o);
      rewriter_.map(result(o), rewriter_(node_.inputs[input]));
    }
  }

  void emit_loop() {
    const std::vector<std::size_t> kept = order();
    auto body = std::make_shared<Function>(body_);
    body->inputs.clear();
    body->outputs.clear();
    std::vector<ValueId> inputs;
    std::int64_t sequences = 0, carries = 0;
    for (const std::size_t i : kept) {
      body->values[body_.inputs[i]].index = static_cast<std::uint32_t>(body->inputs.size());
      body->inputs.push_back(body_.inputs[i]);
      inputs.push_back(rewriter_(node_.inputs[i]));
      const bool is_carry = i >= parts_.sequences && i < parts_.sequences + parts_.carries;
      if (i < parts_.sequences) ++sequences;
      if (is_carry && !fixed_[i - parts_.sequences]) ++carries;
    }
    for (std::size_t o = 0; o < keep_output_.size(); ++o)
      if (keep_output_[o]) body->outputs.push_back(body_.outputs[o]);
    Attrs attrs = node_.attrs;
    set_attr(attrs, "sequences", sequences);
    set_attr(attrs, "carries", carries);
    ValueId made = rewriter_.to().node(*node_.op, inputs, std::move(attrs), {}, node_.loc,
                                       {std::make_shared<const Function>(without_dropped(*body))});
    for (std::size_t o = 0; o < keep_output_.size(); ++o)
      if (keep_output_[o]) rewriter_.map(result(o), made++);
  }

  // The body without nodes that read an input that has gone, and without the inputs themselves.
  Function without_dropped(const Function& body) {
    Rewriter copy(module_, body);
    for (std::size_t i = parts_.sequences; i < body_.inputs.size(); ++i) {
      const bool is_carried = i < parts_.sequences + parts_.carries && !fixed_[i - parts_.sequences];
      if (!is_carried && constant_of(i) != kNoId)
        copy.map(body_.inputs[i], copy.to().constant(constant_of(i)));
    }
    for (const Node& node : body.nodes) {
      bool is_whole = true;
      for (const ValueId input : node.inputs)
        is_whole = is_whole && (body.value(input).kind == ValueKind::kConstant || copy.is_mapped(input));
      if (is_whole) copy.copy(node);
    }
    return copy.finish();
  }

  ModuleBuilder& module_;
  Rewriter& rewriter_;
  const Node& node_;
  const Uses& uses_;
  const Function& body_;
  const ScanParts parts_;
  std::vector<bool> fixed_;         // by carry: it never changes
  std::vector<std::size_t> equal_;  // by output: the first of its value, itself for carries
  std::set<std::size_t> stands_for_others_;
  std::vector<bool> keep_input_, keep_output_;
};

}  // namespace

Function simplify_loops(ModuleBuilder& module, const Function& function, const PassOptions&) {
  const OpDef* scan = find_op("scan");
  const Uses uses = count_uses(function);
  Rewriter rewriter(module, function);
  for (const Node& node : function.nodes)
    if (node.op != scan || !ScanSimplifier(module, rewriter, node, uses).run()) rewriter.copy(node);
  return rewriter.finish();
}

}  // namespace cohort::passes
