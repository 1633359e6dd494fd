// expand_functions: what applies a function is written out; derivatives are taken.
//
//   func f(%x: f64[]) {                    func g(%x: f64[]) {
//     %y = sin(%x)                           %y = sin(%x)
//     output y = %y                =>        %d = cos(%x)
//   }                                        output d = %d
//   func g(%x: f64[]) {                    }
//     %d = grad(%x) {wrt = ["x"]} function = f
//     output d = %d
//   }
//
// The functions applied have been expanded before (run_passes does regions first), so a derivative of a
// derivative is a derivative of plain nodes.
#include <algorithm>

#include "compiler/derive/batch.h"
#include "compiler/derive/derivatives.h"
#include "compiler/pass.h"
#include "ir/diagnostics.h"
#include "ir/inline.h"
#include "ir/ops/applied.h"
#include "ir/reverse.h"
#include "ir/rewriter.h"

namespace cohort {
namespace {

using Derive = Function (*)(ModuleBuilder&, const Function&, const Derivative&);

struct Applied {
  std::string_view op;
  void (*expand)(ModuleBuilder& module, Rewriter& rewriter, const Node& node, const Applied& applied);
  Derive derive = nullptr;
  std::size_t first_output = 0;  // of the derived function: `grad` leaves the value out
};

void map_results(Rewriter& rewriter, const Node& node, std::span<const ValueId> values) {
  for (std::uint32_t r = 0; r < node.result_count; ++r) rewriter.map(node.first_result + r, values[r]);
}

void expand_call(ModuleBuilder&, Rewriter& rewriter, const Node& node, const Applied&) {
  const Function& function = *node.regions[0];
  std::vector<ValueId> arguments;
  for (const ValueId input : node.inputs) arguments.push_back(rewriter(input));
  map_results(rewriter, node, inlined_outputs(function, inline_function(rewriter.to(), function, arguments)));
}

void expand_derivative(ModuleBuilder& module, Rewriter& rewriter, const Node& node, const Applied& applied) {
  std::vector<ValueId> arguments;
  for (const ValueId input : node.inputs) arguments.push_back(rewriter(input));
  const InferContext context{*node.op, {}, node.attrs, module.module().dims, node.regions};
  const bool zeros = attr_or<std::string>(node.attrs, "disconnected", "error") == "zero";
  const Function derived =
      applied.derive(module, *node.regions[0], {ops::wrt_values(context), zeros, node.op->name});
  const std::vector<ValueId> outputs =
      inlined_outputs(derived, inline_function(rewriter.to(), derived, arguments));
  map_results(rewriter, node, std::span(outputs).subspan(applied.first_output));
}

void expand_vmap(ModuleBuilder& module, Rewriter& rewriter, const Node& node, const Applied&) {
  const Function& function = *node.regions[0];
  const Strings& batched = attr<Strings>(node.attrs, "batched");
  std::vector<ValueId> inputs;
  std::vector<bool> each;
  Dim size = 1;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const std::string& name = function.value(function.inputs[i]).name;
    inputs.push_back(rewriter(node.inputs[i]));
    each.push_back(std::find(batched.begin(), batched.end(), name) != batched.end());
    if (each.back()) size = rewriter.to().type(inputs.back()).shape[0];
  }
  const Function batch = batch_function(module, function, each, size, node.loc);
  map_results(rewriter, node, inlined_outputs(batch, inline_function(rewriter.to(), batch, inputs)));
}

// A `while` is a `scan` that stops, in the branch of a `cond` that is taken if there is a first step.
void expand_while(ModuleBuilder& module, Rewriter& rewriter, const Node& node, const Applied&) {
  const Function &condition = *node.regions[0], &body = *node.regions[1];
  const auto carries = static_cast<std::size_t>(attr<std::int64_t>(node.attrs, "carries"));
  std::vector<ValueId> inputs;
  for (const ValueId input : node.inputs) inputs.push_back(rewriter(input));
  const auto with_inputs = [&](FunctionBuilder& to) {
    std::vector<ValueId> own;
    for (const ValueId input : body.inputs) own.push_back(to.input(body.value(input).name, body.type(input)));
    return own;
  };
  const auto output = [&](FunctionBuilder& to, std::span<const ValueId> values) {
    for (std::size_t c = 0; c < carries; ++c) to.output(body.outputs[c].name, values[c]);
  };

  FunctionBuilder step(module, body.name);
  std::vector<ValueId> values = with_inputs(step);
  const std::vector<ValueId> next = inlined_outputs(body, inline_function(step, body, values));
  std::copy(next.begin(), next.end(), values.begin());
  const ValueId goes_on = inlined_outputs(condition, inline_function(step, condition, values))[0];
  output(step, next);
  step.output("stop", step.make("not", {goes_on}));

  FunctionBuilder loop(module, "then"), none(module, "else");
  const std::vector<ValueId> first = with_inputs(loop);
  const Attrs attrs{{"carries", static_cast<std::int64_t>(carries)},
                    {"steps", Shape{attr<std::int64_t>(node.attrs, "max_steps")}},
                    {"until", true}};
  const ValueId last =
      loop.make("scan", first, attrs, {}, node.loc, {std::make_shared<const Function>(step.finish())});
  std::vector<ValueId> lasts;
  for (std::size_t c = 0; c < carries; ++c) lasts.push_back(last + static_cast<ValueId>(c));
  output(loop, lasts);
  output(none, with_inputs(none));

  std::vector<ValueId> operands{
      inlined_outputs(condition, inline_function(rewriter.to(), condition, inputs))[0]};
  operands.insert(operands.end(), inputs.begin(), inputs.end());
  const ValueId result = rewriter.to().make(
      "cond", operands, {}, {}, node.loc,
      {std::make_shared<const Function>(loop.finish()), std::make_shared<const Function>(none.finish())});
  for (std::uint32_t r = 0; r < node.result_count; ++r) rewriter.map(node.first_result + r, result + r);
}

constexpr Applied kApplied[] = {{"call", expand_call},
                                {"grad", expand_derivative, value_and_grad_function, 1},
                                {"hvp", expand_derivative, hvp_function},
                                {"jvp", expand_derivative, jvp_function},
                                {"vjp", expand_derivative, vjp_function},
                                {"value_and_grad", expand_derivative, value_and_grad_function},
                                {"vmap", expand_vmap},
                                {"while", expand_while}};

// Functions that apply others twice, thirty deep, would have 2^30 nodes.
constexpr std::size_t kMostNodes = std::size_t{1} << 19;

void check_size(const FunctionBuilder& to, const Node& node) {
  if (to.function().nodes.size() > kMostNodes)
    fail(DiagId::kWrongAttribute, node.op->name, node.op->regions[0],
         fmt::format("is `{}`, which written out gives `{}` more than {} nodes", node.regions[0]->name,
                     to.function().name, kMostNodes));
}

const Applied* find_applied(const Node& node) {
  for (const Applied& applied : kApplied)
    if (node.op->name == applied.op) return &applied;
  return nullptr;
}

}  // namespace

Function passes::expand_functions(ModuleBuilder& module, const Function& function, const PassOptions&) {
  Rewriter rewriter(module, function);
  for (const Node& node : function.nodes) {
    const Applied* applied = find_applied(node);
    if (!applied) {
      rewriter.copy(node);
      continue;
    }
    try {
      applied->expand(module, rewriter, node, *applied);
      check_size(rewriter.to(), node);
    } catch (UserError& error) {
      locate(error, module.module(), node.loc);
      throw;
    }
  }
  return rewriter.finish();
}

}  // namespace cohort
