// A loop over n steps becomes
//
//   %main, %rest = split(%xs)                       # if n is no product of the number and length of segments
//   %segments = reshape(%main)                      # [n,...] to [S,L,...]
//   %h1, %ys = scan(%segments, %h0, %w) {checkpoint = "step"} body(%xs, %h, %w) {
//     %h1, %ys = scan(%xs, %h, %w) body...          # the steps of one segment
//   }
//   %h2, %zs = scan(%rest, %h1, %w) body...
//
// and what is stacked is put together again. With `reverse` the first steps are the last elements.
#include "compiler/derive/split_loops.h"

#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "ir/ops/scan.h"
#include "ir/rewriter.h"

namespace cohort {
namespace {

using ops::ScanParts;

// What a loop reads, and its results without the number of steps: carries, then stacked outputs.
struct LoopInputs {
  std::vector<ValueId> sequences, carries, others;
};
struct LoopResults {
  std::vector<ValueId> carries, outputs;
};

class LoopSplitter {
 public:
  LoopSplitter(FunctionBuilder& to, const Node& node, std::shared_ptr<const Function> body)
      : to_(&to), node_(node), parts_(ops::scan_parts(node)), body_(std::move(body)) {}

  LoopResults run(const LoopInputs& inputs, std::int64_t steps) {
    const Attr* truncate = find_attr(node_.attrs, "truncate_gradient");
    const std::int64_t last = truncate ? std::get<std::int64_t>(*truncate) : steps;
    if (last >= steps) return checkpointed(inputs, steps);
    return in_two(
        inputs, steps, steps - last, [&](const LoopInputs& first) { return constant(first, steps - last); },
        [&](const LoopInputs& second) { return checkpointed(second, last); });
  }

 private:
  using Emit = std::function<LoopResults(const LoopInputs&)>;

  // Steps of which nothing is differentiated.
  LoopResults constant(LoopInputs inputs, std::int64_t steps) {
    for (auto* list : {&inputs.sequences, &inputs.carries, &inputs.others})
      for (ValueId& input : *list)
        if (is_float(to_->type(input).dtype)) input = to_->make("stop_gradient", {input});
    return loop(inputs, steps, body_, "none");
  }

  LoopResults checkpointed(const LoopInputs& inputs, std::int64_t steps) {
    constexpr std::int64_t kFewSteps = 4;
    const std::string checkpoint = attr_or<std::string>(node_.attrs, "checkpoint", "none");
    if (checkpoint != "sqrt" || steps < kFewSteps)
      return loop(inputs, steps, body_, checkpoint == "step" ? "step" : "none");
    const std::int64_t length = segment_length(steps), whole = steps / length * length;
    if (whole == steps) return segments(inputs, steps, length);
    return in_two(
        inputs, steps, whole, [&](const LoopInputs& first) { return segments(first, whole, length); },
        [&](const LoopInputs& rest) { return loop(rest, steps - whole, body_, "none"); });
  }

  // About the square root: a divisor, if there is one of that size, so that nothing is left over.
  static std::int64_t segment_length(std::int64_t steps) {
    const auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(steps)));
    for (std::int64_t distance = 0; distance <= root / 2; ++distance)
      for (const std::int64_t length : {root + distance, root - distance})
        if (length > 1 && steps % length == 0) return length;
    return root;
  }

  LoopResults segments(const LoopInputs& inputs, std::int64_t steps, std::int64_t length) {
    const std::int64_t count = steps / length;
    LoopInputs cut = inputs;
    for (ValueId& sequence : cut.sequences) {
      Shape shape = to_->type(sequence).shape;
      shape[0] = Dim(length);
      shape.insert(shape.begin(), Dim(count));
      sequence = to_->make("reshape", {sequence}, {{"shape", shape}});
    }
    FunctionBuilder segment(to_->module(), body_->name);
    LoopInputs own;
    for (std::size_t i = 0; i < body_->inputs.size(); ++i) {
      const Value& input = body_->value(body_->inputs[i]);
      const bool is_sequence = i < parts_.sequences;
      const Type type = is_sequence ? ops::stacked_type(input.type, Dim(length)) : input.type;
      auto& list = is_sequence                             ? own.sequences
                   : i < parts_.sequences + parts_.carries ? own.carries
                                                           : own.others;
      list.push_back(segment.input(input.name, type));
    }
    FunctionBuilder* const outer = std::exchange(to_, &segment);
    const LoopResults inner = loop(own, length, body_, "none");
    to_ = outer;
    std::size_t o = 0;
    for (const auto* list : {&inner.carries, &inner.outputs})
      for (const ValueId value : *list) segment.output(body_->outputs[o++].name, value);
    LoopResults results = loop(cut, count, std::make_shared<const Function>(segment.finish()), "step");
    for (ValueId& output : results.outputs) {
      Shape shape = to_->type(output).shape;
      shape.erase(shape.begin());
      shape[0] = Dim(steps);
      output = to_->make("reshape", {output}, {{"shape", shape}});
    }
    return results;
  }

  // `first` does `count` of the steps, `second` the others from there on.
  LoopResults in_two(const LoopInputs& inputs, std::int64_t steps, std::int64_t count, const Emit& first,
                     const Emit& second) {
    LoopInputs a = inputs, b = inputs;
    const std::int64_t low = parts_.reverse ? steps - count : count;
    for (std::size_t i = 0; i < inputs.sequences.size(); ++i) {
      const ValueId piece =
          to_->make("split", {inputs.sequences[i]}, {{"sizes", Shape{Dim(low), Dim(steps - low)}}});
      a.sequences[i] = piece + (parts_.reverse ? 1 : 0);
      b.sequences[i] = piece + (parts_.reverse ? 0 : 1);
    }
    const LoopResults before = first(a);
    b.carries = before.carries;
    LoopResults results = second(b);
    for (std::size_t o = 0; o < results.outputs.size(); ++o) {
      ValueId x = before.outputs[o], y = results.outputs[o];
      if (parts_.reverse) std::swap(x, y);
      results.outputs[o] = to_->make("concat", {x, y}, {{"axis", std::int64_t{0}}});
    }
    return results;
  }

  LoopResults loop(const LoopInputs& inputs, std::int64_t steps, std::shared_ptr<const Function> body,
                   std::string checkpoint) {
    std::vector<ValueId> operands;
    for (const auto* list : {&inputs.sequences, &inputs.carries, &inputs.others})
      operands.insert(operands.end(), list->begin(), list->end());
    Attrs attrs{{"sequences", static_cast<std::int64_t>(inputs.sequences.size())},
                {"carries", static_cast<std::int64_t>(inputs.carries.size())},
                {"reverse", parts_.reverse},
                {"checkpoint", std::move(checkpoint)}};
    if (inputs.sequences.empty()) attrs.push_back({"steps", Shape{Dim(steps)}});
    ValueId result = to_->make("scan", operands, std::move(attrs), {}, node_.loc, {std::move(body)});
    LoopResults results;
    for (std::size_t c = 0; c < parts_.carries; ++c) results.carries.push_back(result++);
    for (std::size_t o = 0; o < parts_.outputs; ++o) results.outputs.push_back(result++);
    return results;
  }

  FunctionBuilder* to_;
  const Node& node_;
  const ScanParts parts_;
  const std::shared_ptr<const Function> body_;
};

// The number of steps if the loop is one to split; a loop that may stop early, or whose number of steps is
// not known, keeps the carried values of each step instead.
std::optional<std::int64_t> splittable_steps(const Function& function, const Node& node) {
  if (node.op->name != "scan") return {};
  const bool wanted = find_attr(node.attrs, "truncate_gradient") ||
                      attr_or<std::string>(node.attrs, "checkpoint", "none") == "sqrt";
  const Dim steps = ops::scan_steps(function, node);
  if (!wanted || !steps.is_constant() || ops::scan_parts(node).until) return {};
  return steps.offset;
}

void split(Rewriter& rewriter, const Node& node, std::int64_t steps, std::shared_ptr<const Function> body) {
  const ScanParts parts = ops::scan_parts(node);
  LoopInputs inputs;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    auto& list = i < parts.sequences                   ? inputs.sequences
                 : i < parts.sequences + parts.carries ? inputs.carries
                                                       : inputs.others;
    list.push_back(rewriter(node.inputs[i]));
  }
  const LoopResults results = LoopSplitter(rewriter.to(), node, std::move(body)).run(inputs, steps);
  ValueId old = node.first_result;
  for (const auto* list : {&results.carries, &results.outputs})
    for (const ValueId result : *list) rewriter.map(old++, result);
}

}  // namespace

Function with_split_loops(ModuleBuilder& module, const Function& function) {
  Rewriter rewriter(module, function);
  for (ValueId id = 0; id < function.values.size(); ++id)
    if (function.value(id).kind == ValueKind::kState) rewriter(id);  // also those that nothing reads
  for (const Node& node : function.nodes) {
    if (node.regions.empty()) {
      rewriter.copy(node);
      continue;
    }
    Node changed = node;
    for (auto& region : changed.regions)
      region = std::make_shared<const Function>(with_split_loops(module, *region));
    if (const auto steps = splittable_steps(function, node)) {
      split(rewriter, node, *steps, changed.regions[0]);
      continue;
    }
    if (attr_or<std::string>(node.attrs, "checkpoint", "none") == "sqrt")
      set_attr(changed.attrs, "checkpoint", std::string("step"));
    rewriter.copy(changed);
  }
  return rewriter.finish();
}

namespace {

using Known = std::map<std::shared_ptr<const Function>, std::shared_ptr<const Function>>;

std::shared_ptr<const Function> with_attribute(const std::shared_ptr<const Function>& function,
                                               const std::string& checkpoint, Known& known) {
  const auto found = known.find(function);
  if (found != known.end()) return found->second;
  auto changed = std::make_shared<Function>(*function);
  for (Node& node : changed->nodes) {
    for (auto& region : node.regions) region = with_attribute(region, checkpoint, known);
    if (node.op->name == "scan" && !find_attr(node.attrs, "checkpoint"))
      set_attr(node.attrs, "checkpoint", checkpoint);
  }
  return known[function] = std::move(changed);
}

}  // namespace

Module with_checkpoints(Module module, const std::string& checkpoint) {
  Known known;
  for (auto& function : module.functions) function = with_attribute(function, checkpoint, known);
  return module;
}

}  // namespace cohort
