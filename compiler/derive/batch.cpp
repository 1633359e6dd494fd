#include "compiler/derive/batch.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "compiler/effects.h"
#include "compiler/pass.h"
#include "ir/op_def.h"
#include "ir/ops/scan.h"

namespace cohort {
namespace {

// A value for the function: the same for all elements of the batch, or one for each along axis 0.
struct Batched {
  ValueId value = kNoId;
  bool each = false;
};

class Batcher {
 public:
  Batcher(ModuleBuilder& module, FunctionBuilder& to, const Function& function, const Dim& size, LocId loc)
      : module_(module),
        to_(to),
        function_(function),
        size_(size),
        loc_(loc),
        values_(function.values.size()),
        last_read_(function.values.size(), 0) {}

  std::vector<ValueId> run(const std::vector<Batched>& inputs) {
    for (std::size_t i = 0; i < inputs.size(); ++i) values_[function_.inputs[i]] = inputs[i];
    for (ValueId v = 0; v < values_.size(); ++v) {
      const Value& value = function_.value(v);
      if (value.kind == ValueKind::kConstant) values_[v].value = to_.constant(value.index);
      if (value.kind == ValueKind::kState) values_[v].value = to_.state(value.index);
    }
    const auto count = static_cast<NodeId>(function_.nodes.size());
    for (NodeId n = 0; n < count; ++n)
      for (const ValueId input : function_.node(n).inputs) last_read_[input] = n;
    for (const Output& output : function_.outputs) last_read_[output.value] = count;
    const bool in_parts = std::none_of(function_.nodes.begin(), function_.nodes.end(),
                                       [](const Node& n) { return has_effect(n); });
    NodeId begin = 0;
    for (NodeId n = 0; in_parts && n < count; ++n) {
      if (function_.node(n).op != scan_ || ops::scan_parts(function_.node(n)).until) continue;
      part(begin, n);
      loop(function_.node(n));
      begin = n + 1;
    }
    part(begin, count);
    std::vector<ValueId> outputs;
    for (const Output& output : function_.outputs) outputs.push_back(stacked(output.value));
    return outputs;
  }

 private:
  bool is_each(const Node& node) const {
    return std::any_of(node.inputs.begin(), node.inputs.end(), [&](ValueId v) { return values_[v].each; });
  }
  // A value for each element of the batch.
  ValueId stacked(ValueId v) {
    if (values_[v].each) return values_[v].value;
    return to_.make("broadcast", {values_[v].value},
                    {{"shape", ops::stacked_type(function_.type(v), size_).shape}});
  }
  // The same with another axis before that of the batch, or the two exchanged back.
  ValueId exchanged(ValueId value) {
    IntList axes(static_cast<std::size_t>(to_.type(value).rank()));
    std::iota(axes.begin(), axes.end(), 0);
    std::swap(axes[0], axes[1]);
    return to_.make("transpose", {value}, {{"axes", axes}});
  }
  void name(ValueId now, ValueId before) { to_.function().values[now].name = function_.value(before).name; }

  // Nodes [begin, end): those that depend on the batch as a loop over it.
  void part(NodeId begin, NodeId end) {
    std::vector<NodeId> nodes;
    for (NodeId n = begin; n < end; ++n) {
      const Node& node = function_.node(n);
      if (has_effect(node) || is_each(node)) {
        nodes.push_back(n);
        for (std::uint32_t r = 0; r < node.result_count; ++r) values_[node.first_result + r].each = true;
      } else {
        copy(node);
      }
    }
    if (nodes.empty()) return;
    FunctionBuilder body(module_, function_.name);
    std::vector<ValueId> inside(values_.size(), kNoId), sequences, others;
    for (const bool each : {true, false})
      for (const NodeId n : nodes)
        for (const ValueId v : function_.node(n).inputs) {
          const Value& value = function_.value(v);
          const bool is_made = value.kind == ValueKind::kNode && value.index >= begin && values_[v].each;
          if (inside[v] != kNoId || is_made || values_[v].each != each) continue;
          if (value.kind == ValueKind::kConstant) {
            inside[v] = body.constant(value.index);
            continue;
          }
          inside[v] = body.input(value.name, function_.type(v));
          (each ? sequences : others).push_back(values_[v].value);
        }
    std::vector<ValueId> wanted;
    for (const NodeId n : nodes) {
      const Node& node = function_.node(n);
      std::vector<ValueId> inputs;
      for (const ValueId v : node.inputs) inputs.push_back(inside[v]);
      const ValueId first = body.node(*node.op, inputs, node.attrs, {}, node.loc, node.regions);
      for (std::uint32_t r = 0; r < node.result_count; ++r) {
        const ValueId v = node.first_result + r;
        inside[v] = first + r;
        body.function().values[first + r].name = function_.value(v).name;
        if (last_read_[v] >= end) wanted.push_back(v);
      }
    }
    if (wanted.empty()) {
      const auto acts = [&](NodeId n) { return has_effect(function_.node(n)); };
      const auto one = std::find_if(nodes.begin(), nodes.end(), acts);
      if (one == nodes.end()) return;
      wanted.push_back(function_.node(*one).first_result);  // a loop has a result
    }
    for (const ValueId v : wanted) body.output(function_.value(v).name, inside[v]);
    Attrs attrs{{"sequences", static_cast<std::int64_t>(sequences.size())}};
    if (sequences.empty()) attrs.push_back({"steps", Shape{size_}});
    std::vector<ValueId> inputs = sequences;
    inputs.insert(inputs.end(), others.begin(), others.end());
    const ValueId first =
        to_.make("scan", inputs, attrs, {}, loc_, {std::make_shared<const Function>(body.finish())});
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      values_[wanted[i]].value = first + static_cast<ValueId>(i);
      name(values_[wanted[i]].value, wanted[i]);
    }
  }

  // A node on which the batch has no influence.
  void copy(const Node& node) {
    std::vector<ValueId> inputs;
    for (const ValueId v : node.inputs) inputs.push_back(values_[v].value);
    const ValueId first = to_.node(*node.op, inputs, node.attrs, {}, node.loc, node.regions);
    for (std::uint32_t r = 0; r < node.result_count; ++r) {
      values_[node.first_result + r].value = first + r;
      name(first + r, node.first_result + r);
    }
  }

  // A loop that carries batches.
  void loop(const Node& node) {
    if (!is_each(node)) return copy(node);
    const ops::ScanParts parts = ops::scan_parts(node);
    std::vector<ValueId> inputs;
    std::vector<bool> each;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId v = node.inputs[i];
      const bool sequence = i < parts.sequences, carry = !sequence && i < parts.sequences + parts.carries;
      each.push_back(carry || values_[v].each);
      const ValueId given = carry ? stacked(v) : values_[v].value;
      inputs.push_back(sequence && each.back() ? exchanged(given) : given);
    }
    Function step = batch_function(module_, *node.regions[0], each, size_, node.loc);
    const ValueId first = to_.make("scan", inputs, node.attrs, {}, node.loc,
                                   {std::make_shared<const Function>(std::move(step))});
    for (std::size_t r = 0; r < parts.results(); ++r) {
      const auto result = static_cast<ValueId>(r);
      values_[node.first_result + result] = {first + result, true};
      if (r >= parts.carries) values_[node.first_result + result].value = exchanged(first + result);
      name(values_[node.first_result + result].value, node.first_result + result);
    }
  }

  ModuleBuilder& module_;
  FunctionBuilder& to_;
  const Function& function_;
  const Dim size_;
  const LocId loc_;
  const OpDef* scan_ = find_op("scan");
  std::vector<Batched> values_;    // by value of the function
  std::vector<NodeId> last_read_;  // by value of the function; the number of nodes: it is an output
};

}  // namespace

Function batch_function(ModuleBuilder& module, const Function& function, const std::vector<bool>& each,
                        const Dim& size, LocId loc) {
  FunctionBuilder to(module, function.name);
  std::vector<Batched> inputs;
  for (std::size_t i = 0; i < each.size(); ++i) {
    const Value& input = function.value(function.inputs[i]);
    const Type type = each[i] ? ops::stacked_type(input.type, size) : input.type;
    inputs.push_back({to.input(input.name, type), each[i]});
  }
  const std::vector<ValueId> outputs = Batcher(module, to, function, size, loc).run(inputs);
  for (std::size_t o = 0; o < outputs.size(); ++o) to.output(function.outputs[o].name, outputs[o]);
  // Operators on whole batches now, so that derivatives are those of whole batches, too.
  return passes::simplify_loops(module, passes::hoist_from_loops(module, to.finish(), {}), {});
}

}  // namespace cohort
