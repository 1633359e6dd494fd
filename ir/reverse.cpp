#include "ir/reverse.h"

#include "ir/diagnostics.h"
#include "ir/number_text.h"
#include "ir/op_def.h"
#include "ir/ops/scan.h"
#include "ir/ops/scan_sums.h"
#include "ir/rewriter.h"

namespace cohort {
namespace {

class Reverse {
 public:
  Reverse(FunctionBuilder& to, const Function& from, std::span<const ValueId> copies)
      : to_(to),
        from_(from),
        copies_(copies),
        moves_(from.values.size()),
        received_(from.values.size()),
        parts_(from.values.size()) {}

  std::vector<ValueId> run(std::span<const Seed> seeds, std::span<const ValueId> wrt) {
    for (const ValueId value : wrt) moves_[value] = true;
    for (const Node& node : from_.nodes) find_moving(node);
    for (const Seed& seed : seeds) received_[seed.value].push_back({&to_, seed.cotangent});
    for (std::size_t n = from_.nodes.size(); n-- > 0;) step(from_.nodes[n]);
    std::vector<ValueId> gradients;
    for (const ValueId value : wrt) {
      const Symbol total = unmasked(sum_received(value));
      gradients.push_back(total.value);
    }
    return gradients;
  }

 private:
  void find_moving(const Node& node) {
    if (node.op->gradient == &no_gradient) return;
    bool moves = false;
    for (const ValueId input : node.inputs) moves = moves || moves_[input];
    for (ValueId r = node.first_result; r < node.first_result + node.result_count; ++r)
      moves_[r] = moves_[r] || (moves && is_float(from_.type(r).dtype));
  }

  Symbol unmasked(const Symbol& x) {
    if (x.mask == kNoId) return x;
    const Symbol plain{&to_, x.value};
    return symbols::where({&to_, x.mask}, plain, symbols::number_like(plain, 0));
  }

  // The gradient of a value as far as it has come; its value is kNoId if nothing has. What was summed is
  // kept.
  Symbol sum_received(ValueId value) {
    using symbols::operator+;
    std::vector<Symbol>& terms = received_[value];
    for (const Symbol& joined : joined_parts(to_, std::move(parts_[value]), from_.type(value)))
      terms.push_back(joined);
    parts_[value].clear();
    if (terms.empty()) return {&to_};
    Symbol sum = terms[0];
    if (terms.size() > 1) {
      sum = unmasked(sum);
      for (std::size_t i = 1; i < terms.size(); ++i) sum = sum + unmasked(terms[i]);
      terms = {sum};
    }
    return sum;
  }

  bool is_reached(ValueId value) const { return !received_[value].empty() || !parts_[value].empty(); }

  void step(const Node& node) {
    bool wanted_any = false, reached = false;
    std::vector<bool> wanted;
    for (const ValueId input : node.inputs) {
      wanted.push_back(moves_[input] && is_float(from_.type(input).dtype));
      wanted_any = wanted_any || wanted.back();
    }
    if (!wanted_any) return;
    for (std::uint32_t r = 0; r < node.result_count; ++r)
      reached = reached || (moves_[node.first_result + r] && is_reached(node.first_result + r));
    if (!reached) return;

    // A loop may go on from what has come so far, which must stand before it.
    if (!node.regions.empty())
      for (const ValueId input : node.inputs)
        if (moves_[input]) sum_received(input);
    const std::size_t first_emitted = to_.function().nodes.size();
    std::vector<ValueId> inputs, results, cotangents;
    for (const ValueId input : node.inputs) inputs.push_back(copies_[input]);
    ValueId mask = kNoId;
    for (ValueId r = node.first_result; r < node.first_result + node.result_count; ++r) {
      results.push_back(copies_[r]);
      Symbol total = sum_received(r);
      if (node.op->op_class == OpClass::kElementwise)
        mask = total.mask;
      else
        total = total.value == kNoId ? total : unmasked(total);
      cotangents.push_back(total.value);
      name_after(total, r);
    }
    GradientContext context(to_, node, std::move(inputs), std::move(results), std::move(cotangents),
                            std::move(wanted));
    apply_rule(node, context);
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      for (Symbol contribution : context.contributions()[i]) {
        if (mask != kNoId) contribution = symbols::when({&to_, mask}, contribution);
        if (!goes_on(first_emitted, node.inputs[i], contribution))
          receive(context, node.inputs[i], contribution);
      }
      for (const CotangentPart& part : context.parts()[i]) parts_[node.inputs[i]].push_back(part);
    }
    for (std::size_t n = first_emitted; n < to_.function().nodes.size(); ++n)
      if (to_.function().nodes[n].loc == 0) to_.function().nodes[n].loc = node.loc;
  }

  void apply_rule(const Node& node, GradientContext& context) {
    try {
      if (node.op->gradient) return node.op->gradient(context);
      for (int i = 0; i < context.input_count(); ++i)
        if (context.wants(i)) context.undefined(i);
    } catch (UserError& error) {
      locate(error, to_.module().module(), node.loc);
      throw;
    }
  }

  void receive(GradientContext& context, ValueId input, Symbol contribution) {
    const Type& type = from_.type(input);
    require(contribution.type().dtype == type.dtype, "a contribution has the dtype of its input");
    if (contribution.type().shape != type.shape)
      contribution = context.summed_to(unmasked(contribution), type.shape);
    received_[input].push_back(contribution);
  }

  // Where the contribution is what a loop of the rule has summed, beginning with zeros, and something has
  // come before: the loop begins with that instead. Sums are in the order of the terms then, however many
  // loops they are spread over, and one array holds them.
  bool goes_on(std::size_t first_emitted, ValueId input, const Symbol& contribution) {
    std::vector<Symbol>& terms = received_[input];
    const Value& value = to_.function().value(contribution.value);
    if (terms.size() != 1 || terms[0].mask != kNoId || contribution.mask != kNoId) return false;
    if (value.kind != ValueKind::kNode || value.index < first_emitted) return false;
    Node& loop = to_.function().nodes[value.index];
    if (loop.op->name != "scan" || value.type != to_.type(terms[0].value)) return false;
    const ops::ScanParts parts = ops::scan_parts(loop);
    if (value.result >= parts.carries || terms[0].value >= loop.first_result) return false;
    ValueId& start = loop.inputs[parts.sequences + value.result];
    if (!is_zeros(start) || !ops::is_running_sum(loop, value.result)) return false;
    start = terms[0].value;
    terms[0] = contribution;
    return true;
  }
  bool is_zeros(ValueId id) const {
    const Value& value = to_.function().value(id);
    if (value.kind == ValueKind::kNode) {
      const Node& node = to_.function().node(value.index);
      return node.op->name == "full" && is_zeros(node.inputs[0]);
    }
    if (value.kind != ValueKind::kConstant) return false;
    const Tensor& data = to_.module().module().constants[value.index].data;
    return data.rank() == 0 && tensor_element(data, 0).bits == 0;
  }

  // The gradient of a value that has a name is named after it, for readers.
  void name_after(const Symbol& gradient, ValueId of) {
    if (gradient.value == kNoId || from_.value(of).name.empty()) return;
    Value& value = to_.function().values[gradient.value];
    if (value.kind == ValueKind::kNode && value.name.empty()) value.name = "grad_" + from_.value(of).name;
  }

  FunctionBuilder& to_;
  const Function& from_;
  std::span<const ValueId> copies_;
  std::vector<bool> moves_;                    // by value of `from`: whether it moves with one of `wrt`
  std::vector<std::vector<Symbol>> received_;  // by value of `from`
  std::vector<std::vector<CotangentPart>> parts_;
};

}  // namespace

void locate(UserError& error, const Module& module, LocId loc) {
  const SourceLoc& place = module.locations[loc];
  for (Diagnostic& d : error.diagnostics()) {
    if (d.location.line != 0) continue;
    d.location = {module.file, place.line, place.column};
    if (!place.user.empty()) d.notes.push_back("it comes from " + place.user);
  }
}

Function with_tapes(ModuleBuilder& module, const Function& function) {
  Rewriter rewriter(module, function);
  for (ValueId id = 0; id < function.values.size(); ++id)
    if (function.value(id).kind == ValueKind::kState) rewriter(id);  // also those that nothing reads
  for (const Node& node : function.nodes) {
    if (node.regions.empty()) {
      rewriter.copy(node);
      continue;
    }
    TapedNode taped{node, {}};
    for (auto& region : taped.node.regions)
      region = std::make_shared<const Function>(with_tapes(module, *region));
    if (node.op->with_tape) taped = node.op->with_tape(module, taped.node);
    std::vector<ValueId> inputs;
    for (const ValueId input : node.inputs) inputs.push_back(rewriter(input));
    const ValueId first =
        rewriter.to().node(*node.op, inputs, taped.node.attrs, {}, node.loc, taped.node.regions);
    for (std::uint32_t r = 0; r < node.result_count; ++r)
      rewriter.map(node.first_result + r, first + (taped.results.empty() ? r : taped.results[r]));
  }
  return rewriter.finish();
}

std::vector<ValueId> reverse(FunctionBuilder& to, const Function& from, std::span<const ValueId> copies,
                             std::span<const Seed> seeds, std::span<const ValueId> wrt) {
  return Reverse(to, from, copies).run(seeds, wrt);
}

}  // namespace cohort
