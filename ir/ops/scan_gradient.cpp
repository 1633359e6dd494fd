// The gradient of `scan` is a scan in the other direction. It carries the cotangents of the carries and the
// sums of the gradients of what all steps read, and gives a gradient for each element of the sequences:
//
//   %h, %ys, %tape = scan(%xs, %h0, %w) ...                           the forward run, with a tape
//   %gh0, %gw, %gxs = scan(%xs, %tape, %gys, %gh, 0, %w) {reverse}    the backward run
//
// Steps that `until` left out are passed over: their cotangents go through unchanged.
#include "ir/ops/scan_gradient.h"
#include "ir/gradient.h"
#include "ir/ops/body_gradient.h"
#include "ir/ops/scan.h"

namespace cohort::ops {
namespace {

bool is_carry(const ScanParts& parts, std::size_t input) {
  return input >= parts.sequences && input < parts.sequences + parts.carries;
}

// The output whose stack holds a value of the body, or kNoId.
std::size_t stack_of(const Function& body, const ScanParts& parts, ValueId value) {
  for (std::size_t o = parts.carries; o < parts.carries + parts.outputs; ++o)
    if (body.outputs[o].value == value) return o;
  return SIZE_MAX;
}

bool is_there_again(const Function& body, const ScanParts& parts, ValueId value) {
  return body.value(value).kind == ValueKind::kInput && !is_carry(parts, body.value(value).index);
}

// The backward body while it is built. The order of its inputs is that of the new scan's.
class BackwardScan {
 public:
  BackwardScan(GradientContext& context)
      : context_(context),
        parts_(scan_parts(context.node())),
        body_(*context.node().regions[0]),
        to_(context.to().module(), "backward") {
    for (std::size_t i = 0; i < parts_.inputs(); ++i) {
      const bool is_float_input = is_float(body_.type(body_.inputs[i]).dtype);
      if (is_float_input && (is_carry(parts_, i) || context.wants(static_cast<int>(i)))) wrt_.push_back(i);
    }
  }

  void run() {
    const BodyGradient gradient(context_.to().module(), body_, wrt_);
    const auto at_hand = [&](ValueId v) {
      return is_there_again(body_, parts_, v) || stack_of(body_, parts_, v) != SIZE_MAX;
    };
    const std::vector<ValueId> reads = gradient.reads(at_hand);
    std::vector<ValueId> of_value(body_.values.size(), kNoId), of_cotangent(body_.outputs.size(), kNoId);
    // Sequences: the forward run's that are read, its tape, cotangents of the outputs, and which steps count.
    for (const ValueId v : reads) {
      const Value& value = body_.value(v);
      const bool is_other =
          value.kind == ValueKind::kInput && value.index >= parts_.sequences + parts_.carries;
      if (is_other) continue;
      const std::size_t stack = stack_of(body_, parts_, v);
      const bool is_sequence = value.kind == ValueKind::kInput && value.index < parts_.sequences;
      require(is_sequence || stack != SIZE_MAX, "what the backward run reads is on tape");
      of_value[v] = sequence(value.name, is_sequence ? context_.input(static_cast<int>(value.index))
                                                     : context_.result(static_cast<int>(stack)));
    }
    for (std::size_t o = parts_.carries; o < parts_.carries + parts_.outputs; ++o)
      if (context_.has_cotangent(static_cast<int>(o)))
        of_cotangent[o] =
            sequence("cotangent_" + body_.outputs[o].name, context_.cotangent(static_cast<int>(o)));
    if (parts_.until) valid_ = sequence("counts", steps_taken());
    // Carries: cotangents of carries, then sums for the others.
    std::vector<ValueId> carried(wrt_.size(), kNoId);
    for (std::size_t k = 0; k < wrt_.size(); ++k) {
      const std::size_t i = wrt_[k];
      const Type& type = body_.type(body_.inputs[i]);
      const std::string& name = body_.value(body_.inputs[i]).name;
      if (i < parts_.sequences) continue;
      const bool is_carried = is_carry(parts_, i);
      carried[k] = to_.input((is_carried ? "cotangent_" : "sum_") + name, type);
      if (is_carried) of_cotangent[i - parts_.sequences] = carried[k];
      carries_.push_back(is_carried ? context_.cotangent(static_cast<int>(i - parts_.sequences))
                                    : context_.zeros(type));
    }
    for (const ValueId v : reads) {
      const Value& value = body_.value(v);
      if (value.kind != ValueKind::kInput || value.index < parts_.sequences + parts_.carries) continue;
      of_value[v] = to_.input(value.name, value.type);
      others_.push_back(context_.input(static_cast<int>(value.index)));
    }
    const std::vector<ValueId> found = gradient.emit(
        to_, [&](ValueId v) { return of_value[v]; }, [&](std::size_t o) { return of_cotangent[o]; });
    outputs(found, carried);
    emit();
  }

 private:
  ValueId sequence(const std::string& name, const Symbol& whole) {
    sequences_.push_back(whole);
    return to_.input(name, element_type(whole.type()));
  }

  Dim steps() const {
    if (context_.input_count() == 0) return scan_steps(context_.attrs(), {});
    return scan_steps(context_.attrs(), {&context_.input_type(0), 1});
  }

  // For each element of the sequences, whether its step was taken.
  Symbol steps_taken() {
    using symbols::operator<;
    const Symbol order = context_.emit("iota", {}, {{"shape", Shape{steps()}}});
    const Symbol taken = order < context_.result(static_cast<int>(parts_.results() - 1));
    return parts_.reverse ? context_.emit("flip", {taken}) : taken;
  }

  // The body's outputs: new carries first, then the gradients of the sequences' elements.
  void outputs(std::span<const ValueId> found, std::span<const ValueId> carried) {
    for (const bool of_sequences : {false, true})
      for (std::size_t k = 0; k < wrt_.size(); ++k) {
        const std::size_t i = wrt_[k];
        if ((i < parts_.sequences) != of_sequences) continue;
        const Type& type = body_.type(body_.inputs[i]);
        ValueId value = found[k] == kNoId ? to_.zeros(type) : found[k];
        ValueId left_out = kNoId;  // what a step that was not taken gives
        if (of_sequences) {
          if (valid_ != kNoId) left_out = to_.zeros(type);
        } else {
          left_out = carried[k];
          if (!is_carry(parts_, i))
            value = found[k] == kNoId ? carried[k] : to_.make("add", {carried[k], value});
        }
        if (valid_ != kNoId) value = to_.make("where", {valid_, value, left_out});
        to_.output("grad_" + body_.value(body_.inputs[i]).name, value);
      }
  }

  void emit() {
    std::vector<ValueId> inputs;
    for (const auto* list : {&sequences_, &carries_, &others_})
      for (const Symbol& symbol : *list) inputs.push_back(symbol.value);
    Attrs attrs{{"sequences", static_cast<std::int64_t>(sequences_.size())},
                {"carries", static_cast<std::int64_t>(carries_.size())},
                {"reverse", !parts_.reverse}};
    if (sequences_.empty()) attrs.push_back({"steps", Shape{steps()}});
    const Node& node = context_.node();
    ValueId result = context_.to().make("scan", inputs, std::move(attrs), {}, node.loc,
                                        {std::make_shared<const Function>(to_.finish())});
    for (const bool of_sequences : {false, true})
      for (const std::size_t i : wrt_)
        if ((i < parts_.sequences) == of_sequences)
          context_.add(static_cast<int>(i), {&context_.to(), result++});
  }

  GradientContext& context_;
  const ScanParts parts_;
  const Function& body_;
  FunctionBuilder to_;
  std::vector<std::size_t> wrt_;  // inputs of the body that are differentiated by
  std::vector<Symbol> sequences_, carries_, others_;
  ValueId valid_ = kNoId;
};

}  // namespace

void scan_gradient(GradientContext& context) { BackwardScan(context).run(); }

TapedNode scan_with_tape(ModuleBuilder& module, const Node& node) {
  const ScanParts parts = scan_parts(node);
  auto body = std::make_shared<Function>(*node.regions[0]);
  std::vector<std::size_t> wrt;
  for (std::size_t i = 0; i < body->inputs.size(); ++i)
    if (is_float(body->type(body->inputs[i]).dtype)) wrt.push_back(i);
  TapedNode taped{node, {}};
  for (std::uint32_t r = 0; r < node.result_count; ++r) taped.results.push_back(r);
  if (wrt.empty()) return taped;
  const auto at_hand = [&](ValueId v) {
    return is_there_again(*body, parts, v) || stack_of(*body, parts, v) != SIZE_MAX;
  };
  std::vector<Output> tape;
  for (const ValueId v : BodyGradient(module, *body, wrt).reads(at_hand))
    if (!at_hand(v)) tape.push_back({fmt::format("tape {}", tape.size()), v});
  body->outputs.insert(body->outputs.end() - (parts.until ? 1 : 0), tape.begin(), tape.end());
  if (parts.until) taped.results.back() += static_cast<std::uint32_t>(tape.size());
  taped.node.regions = {std::move(body)};
  return taped;
}

}  // namespace cohort::ops
