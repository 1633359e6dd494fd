// share_repeats: a sequence of a `scan` that `broadcast` makes of one element is that element, which all
// steps share.
//
//   %ones = broadcast(1) {shape = [50,4]}                       scan(%xs, 1) {sequences = 1}
//   scan(%xs, %ones) {sequences = 2}                              body(%x: f64[4], %one: f64[]) {
//     body(%x: f64[4], %o: f64[4]) {...}                =>        %o = broadcast(%one) {shape = [4]}
//                                                                 ...
//                                                               }
//
// So the cotangents of a sum over all outputs are no array. The first sequence stays if there is no other,
// since it says how many steps there are.
#include <algorithm>

#include "compiler/pass.h"
#include "ir/ops/scan.h"
#include "ir/rewriter.h"

namespace cohort::passes {

namespace {

class RepeatSharer {
 public:
  RepeatSharer(ModuleBuilder& module, Rewriter& outer, const Node& node)
      : module_(module), outer_(outer), node_(node), parts_(ops::scan_parts(node)) {}

  // Whether a sequence went; then the loop has been emitted.
  bool run() {
    for (std::size_t i = 0; i < parts_.sequences; ++i)
      if (element_of(i) != kNoId) repeats_.push_back(i);
    if (repeats_.size() == parts_.sequences && find_attr(node_.attrs, "steps") == nullptr &&
        !repeats_.empty())
      repeats_.erase(repeats_.begin());
    if (repeats_.empty()) return false;
    emit();
    return true;
  }

 private:
  // What a sequence repeats for every step, or kNoId.
  ValueId element_of(std::size_t sequence) const {
    const Value& value = outer_.from().value(node_.inputs[sequence]);
    if (value.kind != ValueKind::kNode) return kNoId;
    const Node& node = outer_.from().node(value.index);
    if (node.op != find_op("broadcast")) return kNoId;
    const Type& element = outer_.from().type(node.inputs[0]);
    const bool repeats = element.rank() < value.type.rank() || element.shape[0].is_constant(1);
    return repeats ? node.inputs[0] : kNoId;
  }
  // The same, without an axis of steps.
  ValueId emit_element(std::size_t sequence) {
    const ValueId element = outer_(element_of(sequence));
    Shape shape = outer_.to().type(element).shape;
    if (shape.size() < outer_.from().type(node_.inputs[sequence]).shape.size()) return element;
    shape.erase(shape.begin());
    return outer_.to().make("reshape", {element}, {{"shape", shape}});
  }

  void emit() {
    const Function& body = *node_.regions[0];
    Function fewer = body;  // inputs
    fewer.inputs.clear();
    std::vector<ValueId> inputs;
    for (std::size_t i = 0; i < node_.inputs.size(); ++i) {
      if (std::find(repeats_.begin(), repeats_.end(), i) != repeats_.end()) continue;
      fewer.values[body.inputs[i]].index = static_cast<std::uint32_t>(fewer.inputs.size());
      fewer.inputs.push_back(body.inputs[i]);
      inputs.push_back(outer_(node_.inputs[i]));
    }
    Rewriter inner(module_, fewer);
    for (const std::size_t i : repeats_) {
      inputs.push_back(emit_element(i));
      const Value& element = body.value(body.inputs[i]);
      const ValueId given = inner.to().input(element.name, outer_.to().type(inputs.back()));
      inner.map(body.inputs[i], inner.to().make("broadcast", {given}, {{"shape", element.type.shape}}));
    }
    for (const Node& node : body.nodes) inner.copy(node);
    Attrs attrs = node_.attrs;
    set_attr(attrs, "sequences", static_cast<std::int64_t>(parts_.sequences - repeats_.size()));
    const ValueId first = outer_.to().node(*node_.op, inputs, std::move(attrs), {}, node_.loc,
                                           {std::make_shared<const Function>(inner.finish())});
    for (std::uint32_t r = 0; r < node_.result_count; ++r) outer_.map(node_.first_result + r, first + r);
  }

  ModuleBuilder& module_;
  Rewriter& outer_;
  const Node& node_;
  const ops::ScanParts parts_;
  std::vector<std::size_t> repeats_;  // sequences
};

}  // namespace

Function share_repeats(ModuleBuilder& module, const Function& function, const PassOptions&) {
  const OpDef* scan = find_op("scan");
  Rewriter rewriter(module, function);
  for (const Node& node : function.nodes)
    if (node.op != scan || !RepeatSharer(module, rewriter, node).run()) rewriter.copy(node);
  return rewriter.finish();
}

}  // namespace cohort::passes
