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

#include "compiler/derive/derivatives.h"
#include "compiler/pass.h"
#include "ir/inline.h"
#include "ir/ops/applied.h"
#include "ir/reverse.h"
#include "ir/rewriter.h"

namespace cohort {
namespace {

using Derive = Function (*)(ModuleBuilder&, const Function&, const Derivative&);

struct Applied {
  std::string_view op;
  Derive derive;
  std::size_t first_output;  // of the derived function: `grad` leaves the value out
};
constexpr Applied kApplied[] = {{"call", nullptr, 0},     {"grad", value_and_grad_function, 1},
                                {"hvp", hvp_function, 0}, {"jvp", jvp_function, 0},
                                {"vjp", vjp_function, 0}, {"value_and_grad", value_and_grad_function, 0}};

const Applied* find_applied(const Node& node) {
  for (const Applied& applied : kApplied)
    if (node.op->name == applied.op) return &applied;
  return nullptr;
}

void expand(ModuleBuilder& module, Rewriter& rewriter, const Node& node, const Applied& applied) {
  const Function& function = *node.regions[0];
  std::vector<ValueId> arguments;
  for (const ValueId input : node.inputs) arguments.push_back(rewriter(input));
  FunctionBuilder& to = rewriter.to();
  std::vector<ValueId> outputs;
  if (applied.derive) {
    const InferContext context{*node.op, {}, node.attrs, module.module().dims, node.regions};
    const std::string disconnected = attr_or<std::string>(node.attrs, "disconnected", "error");
    const Function derived =
        applied.derive(module, function, {ops::wrt_values(context), disconnected == "zero", node.op->name});
    outputs = inlined_outputs(derived, inline_function(to, derived, arguments));
  } else {
    outputs = inlined_outputs(function, inline_function(to, function, arguments));
  }
  for (std::uint32_t r = 0; r < node.result_count; ++r)
    rewriter.map(node.first_result + r, outputs[applied.first_output + r]);
}

// vmap is a loop without carries; hoist_from_loops makes operators on whole batches of it, where there are
// some.
void expand_vmap(Rewriter& rewriter, const Node& node) {
  auto body = std::make_shared<Function>(*node.regions[0]);
  const Strings& batched = attr<Strings>(node.attrs, "batched");
  const std::vector<ValueId> old = body->inputs;
  std::vector<ValueId> inputs;
  body->inputs.clear();
  const auto take = [&](ValueId inside, ValueId outside) {
    body->values[inside].kind = ValueKind::kInput;
    body->values[inside].index = static_cast<std::uint32_t>(body->inputs.size());
    body->inputs.push_back(inside);
    inputs.push_back(outside);
  };
  for (const bool wanted : {true, false})
    for (std::size_t i = 0; i < old.size(); ++i) {
      const bool is_batched =
          std::find(batched.begin(), batched.end(), body->value(old[i]).name) != batched.end();
      if (is_batched == wanted) take(old[i], rewriter(node.inputs[i]));
    }
  for (ValueId v = 0; v < body->values.size(); ++v)
    if (body->value(v).kind == ValueKind::kState) take(v, rewriter.to().state(body->value(v).index));
  const Attrs attrs{{"sequences", static_cast<std::int64_t>(batched.size())}};
  const ValueId first = rewriter.to().make("scan", inputs, attrs, {}, node.loc, {std::move(body)});
  for (std::uint32_t r = 0; r < node.result_count; ++r) rewriter.map(node.first_result + r, first + r);
}

}  // namespace

Function passes::expand_functions(ModuleBuilder& module, const Function& function, const PassOptions&) {
  Rewriter rewriter(module, function);
  for (const Node& node : function.nodes) {
    const Applied* applied = find_applied(node);
    if (node.op->name == "vmap") {
      expand_vmap(rewriter, node);
      continue;
    }
    if (!applied) {
      rewriter.copy(node);
      continue;
    }
    try {
      expand(module, rewriter, node, *applied);
    } catch (UserError& error) {
      locate(error, module.module(), node.loc);
      throw;
    }
  }
  return rewriter.finish();
}

}  // namespace cohort
