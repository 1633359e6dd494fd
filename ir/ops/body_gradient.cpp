#include "ir/ops/body_gradient.h"

#include <algorithm>
#include <array>

#include "ir/inline.h"
#include "ir/op_def.h"
#include "ir/reverse.h"

namespace cohort::ops {

BodyGradient::BodyGradient(ModuleBuilder& module, const Function& body, std::span<const std::size_t> wrt,
                           const std::function<bool(std::size_t)>& is_reached, BodyGradientOptions options)
    : body_(body), options_(std::move(options)) {
  FunctionBuilder to(module, body.name);
  std::vector<ValueId> inputs;
  for (const ValueId input : body.inputs)
    inputs.push_back(to.input(body.value(input).name, body.type(input)));
  const std::vector<ValueId> copies = inline_function(to, body, inputs);
  // Sums come first, so that each step adds its terms to what the steps before it have summed.
  std::vector<Seed> seeds;
  for (std::size_t k = 0; k < wrt.size(); ++k) {
    sums_.push_back(kNoId);
    if (options_.summed.empty() || !options_.summed[k]) continue;
    const ValueId input = body.inputs[wrt[k]];
    sums_.back() = to.input("sum_" + body.value(input).name, body.type(input));
    seeds.push_back({input, sums_.back()});
  }
  for (std::size_t o = 0; o < body.outputs.size(); ++o) {
    const Output& output = body.outputs[o];
    cotangents_.push_back(kNoId);
    if (!is_float(body.type(output.value).dtype) || !is_reached(o)) continue;
    cotangents_.back() = to.input("cotangent_" + output.name, body.type(output.value));
    seeds.push_back({output.value, cotangents_.back()});
  }
  std::vector<ValueId> by;
  for (const std::size_t input : wrt) by.push_back(body.inputs[input]);
  gradients_ = reverse(to, body, copies, seeds, by);
  joint_ = to.finish();

  originals_.assign(joint_.values.size(), kNoId);
  for (ValueId v = 0; v < copies.size(); ++v)
    if (copies[v] != kNoId) originals_[copies[v]] = v;
  backward_.assign(joint_.values.size(), false);
  for (const auto* given : {&cotangents_, &sums_})
    for (const ValueId value : *given)
      if (value != kNoId) backward_[value] = true;
  for (const Node& node : joint_.nodes) {
    bool depends = false;
    for (const ValueId input : node.inputs) depends = depends || backward_[input];
    for (std::uint32_t r = 0; r < node.result_count; ++r) backward_[node.first_result + r] = depends;
  }
}

namespace {

bool has_effect(const Node& node) {
  if (node.op->name == "print" || node.op->name == "assert") return true;
  return std::any_of(node.regions.begin(), node.regions.end(), [](const auto& region) {
    return std::any_of(region->nodes.begin(), region->nodes.end(), has_effect);
  });
}

}  // namespace

// Views of inputs and of what is at hand are there for nothing.
bool BodyGradient::is_there(ValueId original, const std::function<bool(ValueId)>& is_at_hand) const {
  const Value* value = &body_.value(original);
  while (value->kind == ValueKind::kNode && !is_at_hand(original)) {
    const Node& node = body_.node(value->index);
    if (node.op->op_class != OpClass::kIndexMap || node.inputs.size() != 1) return false;
    original = node.inputs[0];
    value = &body_.value(original);
  }
  return true;
}

// A part of a larger value is not, if nothing else would put that on tape.
bool BodyGradient::is_computed_again(const Node& node, const std::function<bool(ValueId)>& is_at_hand) const {
  if (options_.recompute && !has_effect(node)) return true;
  if (node.op->op_class != OpClass::kIndexMap) return false;
  const auto is_larger = [&](ValueId input) {
    const std::optional<Dim> whole = element_count(body_.type(input).shape),
                             part = element_count(body_.type(node.first_result).shape);
    return whole && part && whole->is_constant() && part->is_constant() && whole->offset > part->offset &&
           !is_there(input, is_at_hand);
  };
  return std::none_of(node.inputs.begin(), node.inputs.end(), is_larger);
}

// One addition or multiplication of what the backward run reads in any case costs less than an array on tape.
bool BodyGradient::is_cheap(ValueId original, const std::vector<bool>& read) const {
  const Value& value = body_.value(original);
  if (value.kind != ValueKind::kNode) return false;
  const Node& node = body_.node(value.index);
  constexpr std::array kCheap{ScalarOp::k_add, ScalarOp::k_sub, ScalarOp::k_mul, ScalarOp::k_neg};
  return std::find(kCheap.begin(), kCheap.end(), node.op->scalar) != kCheap.end() &&
         std::all_of(node.inputs.begin(), node.inputs.end(), [&](ValueId input) {
           return read[input] || body_.value(input).kind == ValueKind::kConstant;
         });
}

// Marks a value of the joint function and everything it is computed from in the backward run.
void BodyGradient::need(ValueId joint, const std::function<bool(ValueId)>& is_at_hand,
                        std::vector<bool>& needed) const {
  std::vector<ValueId> open{joint};
  while (!open.empty()) {
    const ValueId id = open.back();
    open.pop_back();
    if (needed[id]) continue;
    needed[id] = true;
    const Value& value = joint_.value(id);
    if (value.kind != ValueKind::kNode) continue;
    if (!backward_[id] && original(id) != kNoId && is_at_hand(original(id))) continue;
    for (const ValueId input : joint_.node(value.index).inputs) open.push_back(input);
  }
}

// By value of the body: whether the backward run reads it, if it looks behind none for which `stops` says so.
std::vector<bool> BodyGradient::read_until(const std::function<bool(ValueId)>& stops) const {
  std::vector<bool> needed(joint_.values.size(), false);
  for (const ValueId gradient : gradients_)
    if (gradient != kNoId) need(gradient, stops, needed);
  std::vector<bool> read(body_.values.size(), false);
  for (ValueId id = 0; id < needed.size(); ++id) {
    const ValueId value = original(id);
    if (needed[id] && !backward_[id] && value != kNoId && stops(value))
      read[value] = body_.value(value).kind != ValueKind::kConstant;
  }
  return read;
}

std::vector<ValueId> BodyGradient::wants(const std::function<bool(ValueId)>& is_at_hand) const {
  const std::vector<bool> read = read_until([&](ValueId original) {
    const Value& value = body_.value(original);
    return is_at_hand(original) || value.kind != ValueKind::kNode ||
           !is_computed_again(body_.node(value.index), is_at_hand);
  });
  std::vector<ValueId> wants;
  for (ValueId id = 0; id < read.size(); ++id)
    if (read[id] && !is_at_hand(id) && !is_cheap(id, read)) wants.push_back(id);
  return wants;
}

std::vector<ValueId> BodyGradient::reads(const std::function<bool(ValueId)>& is_at_hand) const {
  const std::vector<bool> read = read_until([&](ValueId original) {
    return is_at_hand(original) || body_.value(original).kind != ValueKind::kNode;
  });
  std::vector<ValueId> reads;
  for (ValueId id = 0; id < read.size(); ++id)
    if (read[id]) reads.push_back(id);
  return reads;
}

std::vector<ValueId> BodyGradient::emit(FunctionBuilder& to, const std::function<ValueId(ValueId)>& at_hand,
                                        const std::function<ValueId(std::size_t)>& cotangent,
                                        std::span<const ValueId> sums) const {
  std::vector<ValueId> now(joint_.values.size(), kNoId);
  for (std::size_t o = 0; o < cotangents_.size(); ++o) {
    if (cotangents_[o] == kNoId) continue;
    now[cotangents_[o]] = cotangent(o);
  }
  for (std::size_t k = 0; k < sums.size(); ++k)
    if (sums_[k] != kNoId) now[sums_[k]] = sums[k];
  std::vector<bool> needed(joint_.values.size(), false);
  const auto is_at_hand = [&](ValueId original) { return at_hand(original) != kNoId; };
  for (const ValueId gradient : gradients_)
    if (gradient != kNoId) need(gradient, is_at_hand, needed);
  for (ValueId id = 0; id < needed.size(); ++id) {
    if (!needed[id] || now[id] != kNoId) continue;
    const Value& value = joint_.value(id);
    if (value.kind == ValueKind::kConstant) now[id] = to.constant(value.index);
    if (value.kind == ValueKind::kState) now[id] = to.state(value.index);
    if (!backward_[id] && original(id) != kNoId && now[id] == kNoId) now[id] = at_hand(original(id));
    if (value.kind != ValueKind::kNode || now[id] != kNoId) continue;
    const Node& node = joint_.node(value.index);
    std::vector<ValueId> inputs;
    for (const ValueId input : node.inputs) inputs.push_back(now[input]);
    const ValueId first = to.node(*node.op, inputs, node.attrs, {}, node.loc, node.regions);
    for (std::uint32_t r = 0; r < node.result_count; ++r) {
      now[node.first_result + r] = first + r;
      to.function().values[first + r].name = joint_.value(node.first_result + r).name;
    }
  }
  std::vector<ValueId> gradients;
  for (const ValueId gradient : gradients_) gradients.push_back(gradient == kNoId ? kNoId : now[gradient]);
  return gradients;
}

}  // namespace cohort::ops
