// The gradient of `scan` is a scan in the other direction. It carries the cotangents of the carries and the
// sums of the gradients of what all steps read, and gives a gradient for each element of the sequences:
//
//   %h, %ys, %tape = scan(%xs, %h0, %w) ...                           the forward run, with a tape
//   %gh0, %gw, %gxs = scan(%xs, %tape, %gys, %gh, 0, %w) {reverse}    the backward run
//
// Steps that `until` left out are passed over: their cotangents go through unchanged. Where the gradient of
// what all steps read is a product of matrices in each step, the factors are stacked and multiplied once,
// behind the loop:
//
//   sum over t of x[t]^T dz[t]   =   x^T dz   with the rows of all steps below each other
//
// Sums over axes of such a factor, or of a part of it if it is a concat, wait for its stack, too.
//
// With `checkpoint = "step"` the tape holds the carried values only, the backward body runs the body again,
// and nothing is stacked for the sake of one product.
#include "ir/ops/scan_gradient.h"
#include <map>
#include <set>

#include "ir/equal_names.h"
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
    const auto is_reached = [&](std::size_t o) {
      return o < parts_.carries ||
             (o < parts_.carries + parts_.outputs && context_.has_cotangent(static_cast<int>(o)));
    };
    BodyGradientOptions options{keeps_carries_only(context_.node()), {}};
    for (const std::size_t i : wrt_) options.summed.push_back(i >= parts_.sequences && !is_carry(parts_, i));
    const BodyGradient gradient(context_.to().module(), body_, wrt_, is_reached, options);
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
    std::vector<ValueId> found = gradient.emit(
        to_, [&](ValueId v) { return of_value[v]; }, [&](std::size_t o) { return of_cotangent[o]; }, carried);
    if (!options.recompute) take_terms(found);
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
    const Type first = context_.input_type(0);
    return scan_steps(context_.attrs(), {&first, 1});
  }

  // For each element of the sequences, whether its step was taken.
  Symbol steps_taken() {
    using symbols::operator<;
    const Symbol order = context_.emit("iota", {}, {{"shape", Shape{steps()}}});
    const Symbol taken = order < context_.result(static_cast<int>(parts_.results() - 1));
    return parts_.reverse ? context_.emit("flip", {taken}) : taken;
  }

  // A term of a gradient that is x^T y in each step: x and y are matrices, or vectors for their outer
  // product.
  struct Product {
    std::size_t input = 0;  // of the body
    ValueId x = 0, y = 0;
  };
  // A term that is a sum over axes of a value whose elements in all steps are stacked.
  struct Sum {
    std::size_t input = 0;  // of the body
    ValueId of = 0;
    IntList axes{};  // of the stack
  };
  // Where the elements in all steps of a value are: in the stack of a factor, or in a part of it along an
  // axis of the factor, which is a concat.
  struct Stacked {
    ValueId factor = 0;
    int axis = -1;  // -1: all of it
    std::int64_t start = 0, stop = 0;
  };

  // Takes the terms that `taken` wants out of a sum; gives what is left, kNoId if nothing is.
  ValueId without(ValueId sum, const std::function<bool(const Node&)>& taken) {
    const Value& value = to_.function().value(sum);
    if (value.kind != ValueKind::kNode) return sum;
    const Node node = to_.function().node(value.index);
    if (node.op->scalar == ScalarOp::k_add && to_.type(node.inputs[0]) == to_.type(node.inputs[1])) {
      const ValueId a = without(node.inputs[0], taken), b = without(node.inputs[1], taken);
      if (a == kNoId || b == kNoId) return a == kNoId ? b : a;
      return a == node.inputs[0] && b == node.inputs[1] ? sum : to_.make("add", {a, b});
    }
    return taken(node) ? kNoId : sum;
  }

  // What is multiplied or summed behind the loop leaves the gradients of what all steps read.
  void take_terms(std::vector<ValueId>& found) {
    const auto for_each_other = [&](const std::function<bool(std::size_t, const Node&)>& taken) {
      for (std::size_t k = 0; k < wrt_.size(); ++k)
        if (wrt_[k] >= parts_.sequences && !is_carry(parts_, wrt_[k]) && found[k] != kNoId)
          found[k] = without(found[k], [&](const Node& node) { return taken(wrt_[k], node); });
    };
    for_each_other([&](std::size_t input, const Node& node) {
      if (!is_product(node)) return false;
      products_.push_back({input, node.inputs[0], node.inputs[1]});
      return true;
    });
    find_stacked();
    for_each_other([&](std::size_t input, const Node& node) {
      if (node.op->name != "reduce_sum" || attr_or(node.attrs, "keepdims", false) ||
          !stacked_.contains(node.inputs[0]))
        return false;
      IntList axes{0};
      for (const int axis : normalized_axes(node.attrs, "axes", to_.type(node.inputs[0]).rank()))
        axes.push_back(axis + 1);
      sums_.push_back({input, node.inputs[0], std::move(axes)});
      return true;
    });
  }

  // The factors of all products. What is a part of another factor has no stack of its own.
  void find_stacked() {
    const auto concat_of = [&](ValueId factor) -> const Node* {
      const Value& value = to_.function().value(factor);
      if (value.kind != ValueKind::kNode) return nullptr;
      const Node& node = to_.function().node(value.index);
      return node.op->name == "concat" ? &node : nullptr;
    };
    std::set<ValueId> factors, parts;
    for (const Product& product : products_) factors.insert({product.x, product.y});
    for (const ValueId factor : factors)
      if (const Node* concat = concat_of(factor)) parts.insert(concat->inputs.begin(), concat->inputs.end());
    for (const ValueId factor : factors) {
      const Node* concat = parts.contains(factor) ? nullptr : concat_of(factor);
      if (!concat) continue;
      const int axis = axis_attr(concat->attrs, 0, to_.type(factor).rank());
      std::int64_t start = 0;
      for (const ValueId part : concat->inputs) {
        const Dim extent = to_.type(part).shape[static_cast<std::size_t>(axis)];
        if (!extent.is_constant()) break;
        const std::int64_t stop = start + extent.offset;
        if (!is_stacked(part)) stacked_.try_emplace(part, Stacked{factor, axis, start, stop});
        start = stop;
      }
    }
    for (const ValueId factor : factors) stacked_.try_emplace(factor, Stacked{.factor = factor});
  }

  bool is_product(const Node& node) const {
    const auto rank_of = [&](std::size_t i) { return to_.type(node.inputs[i]).rank(); };
    if (node.op->name == "outer") return rank_of(0) == 1 && rank_of(1) == 1;
    return node.op->name == "matmul" && rank_of(0) == 2 && rank_of(1) == 2 &&
           attr_or(node.attrs, "transpose_a", false) && !attr_or(node.attrs, "transpose_b", false) &&
           multiply(steps(), to_.type(node.inputs[0]).shape[0]).has_value();
  }

  // The body's outputs: new carries, the gradients of the sequences' elements, the factors of products.
  void outputs(std::span<const ValueId> found, std::span<const ValueId> carried) {
    for (const bool of_sequences : {false, true})
      for (std::size_t k = 0; k < wrt_.size(); ++k) {
        const std::size_t i = wrt_[k];
        if ((i < parts_.sequences) != of_sequences) continue;
        const Type& type = body_.type(body_.inputs[i]);
        ValueId value = found[k];
        ValueId left_out = of_sequences ? kNoId : carried[k];  // what a step that was not taken gives
        if (!of_sequences && !is_carry(parts_, i) && value != carried[k]) summed_.insert(i);
        if (value == kNoId) value = to_.zeros(type);
        if (valid_ != kNoId && left_out == kNoId) left_out = to_.zeros(type);
        if (valid_ != kNoId && value != left_out) value = to_.make("where", {valid_, value, left_out});
        to_.output("grad_" + body_.value(body_.inputs[i]).name, value);
      }
    first_factor_ = to_.function().outputs.size();
    for (const Product& product : products_) {
      factor(stacked_.at(product.x).factor);
      factor(stacked_.at(product.y).factor);
    }
  }

  // Stacks a factor, unless it is an element of a sequence and so stacked already.
  void factor(ValueId value) {
    if (is_stacked(value) || factors_.contains(value)) return;
    factors_[value] = to_.function().outputs.size() - first_factor_;
    const ValueId counted =
        valid_ == kNoId ? value : to_.make("where", {valid_, value, to_.zeros(Type(to_.type(value)))});
    to_.output(fmt::format("factor {}", factors_.size()), counted);
  }
  bool is_stacked(ValueId value) const {
    const Value& v = to_.function().value(value);
    return valid_ == kNoId && v.kind == ValueKind::kInput && v.index < sequences_.size();
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
    if (keeps_carries_only(node)) attrs.push_back({"checkpoint", std::string("step")});
    // By factor; those that are sequences are known before the body is handed over.
    std::map<ValueId, Symbol> stacks;
    for (const auto& [value, stacked] : stacked_)
      if (is_stacked(stacked.factor))
        stacks[stacked.factor] = sequences_[to_.function().value(stacked.factor).index];
    ValueId result = context_.to().make("scan", inputs, std::move(attrs), {}, node.loc,
                                        {std::make_shared<const Function>(to_.finish())});
    for (const bool of_sequences : {false, true})
      for (const std::size_t i : wrt_)
        if ((i < parts_.sequences) == of_sequences) {
          const Symbol gradient{&context_.to(), result++};
          const bool is_given = of_sequences || is_carry(parts_, i) || summed_.contains(i);
          if (is_given) context_.add(static_cast<int>(i), gradient);
        }
    for (const auto& [factor, index] : factors_)
      stacks[factor] = {&context_.to(), result + static_cast<ValueId>(index)};
    const auto all_steps = [&](ValueId value) {
      const Stacked& stacked = stacked_.at(value);
      return part_of(stacks.at(stacked.factor), stacked);
    };
    for (const Product& product : products_)
      context_.add(static_cast<int>(product.input),
                   context_.emit("matmul", {rows(all_steps(product.x)), rows(all_steps(product.y))},
                                 {{"transpose_a", true}}));
    for (const Sum& sum : sums_) {
      const Symbol stack = all_steps(sum.of);
      context_.add(static_cast<int>(sum.input),
                   context_.emit("reduce_sum", {stack}, {{"axes", sum.axes}, {"dtype", stack.type().dtype}}));
    }
  }

  Symbol part_of(const Symbol& stack, const Stacked& stacked) {
    if (stacked.axis < 0) return stack;
    return context_.emit("slice", {stack},
                         {{"axes", IntList{stacked.axis + 1}},
                          {"starts", IntList{stacked.start}},
                          {"stops", IntList{stacked.stop}}});
  }

  // The rows of the matrices of all steps below each other.
  Symbol rows(const Symbol& stack) {
    const Shape shape = stack.type().shape;
    if (shape.size() == 2) return stack;
    return context_.reshaped(stack, {*multiply(shape[0], shape[1]), shape[2]});
  }

  GradientContext& context_;
  const ScanParts parts_;
  const Function& body_;
  FunctionBuilder to_;
  std::vector<std::size_t> wrt_;  // inputs of the body that are differentiated by
  std::vector<Symbol> sequences_, carries_, others_;
  ValueId valid_ = kNoId;
  std::set<std::size_t> summed_;  // inputs of the body whose gradients are summed step by step
  std::vector<Product> products_;
  std::vector<Sum> sums_;
  std::map<ValueId, Stacked> stacked_;      // the factors of products, and the parts of those
  std::map<ValueId, std::size_t> factors_;  // which of the outputs that are factors
  std::size_t first_factor_ = 0;
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
  const BodyGradient gradient(module, *body, wrt, [](std::size_t) { return true; },
                              {keeps_carries_only(node), {}});
  for (const ValueId v : gradient.wants(at_hand)) tape.push_back({fmt::format("tape {}", tape.size()), v});
  body->outputs.insert(body->outputs.end() - (parts.until ? 1 : 0), tape.begin(), tape.end());
  number_equal_names(*body);
  if (parts.until) taped.results.back() += static_cast<std::uint32_t>(tape.size());
  taped.node.regions = {std::move(body)};
  return taped;
}

}  // namespace cohort::ops
