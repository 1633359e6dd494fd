// cond: one of two functions of the same inputs, chosen by a scalar; the other one is not run.
//
//   %y = cond(%p, %x) then(%x: f64[3]) {...} else(%x: f64[3]) {...}
#include "ir/gradient.h"
#include "ir/interpreter.h"
#include "ir/number_text.h"
#include "ir/ops/applied.h"
#include "ir/ops/body_gradient.h"
#include "ir/ops/list.h"

namespace cohort {

using namespace kernel;
using namespace ops;

namespace {

std::vector<Type> infer(const InferContext& context) {
  if (!(context.inputs[0] == Type{DType::kBool, {}}))
    fail(DiagId::kArgumentType, context.op.name, "the condition", context.op.name, "bool[]",
         to_string(context.inputs[0], context.dims));
  std::vector<Type> types;
  for (std::size_t r = 0; r < 2; ++r) {
    const Function& branch = *context.regions[r];
    check_body(context, branch, context.inputs.subspan(1));
    std::vector<Type> own = output_types(branch);
    if (r == 1 && own != types) fail(DiagId::kBranchTypes, context.op.name);
    types = std::move(own);
  }
  if (types.empty()) fail(DiagId::kBranchTypes, context.op.name);
  return types;
}

void evaluate_cond(EvalContext& context) {
  const bool taken = scalar_as_int(tensor_element(context.inputs[0], 0)) != 0;
  std::vector<Tensor> no_state;
  CallResult result = interpret(*context.module, *context.regions[taken ? 0 : 1], context.inputs.subspan(1),
                                no_state, context.dims, context.after);
  if (context.printed) *context.printed += result.printed;
  context.results = std::move(result.outputs);
}

void loops(LoopContext& context) {
  RegionPlaces places;
  for (int i = 1; i < context.input_count(); ++i)
    places.inputs.push_back({static_cast<std::size_t>(i - 1), {context.input_buffer(i), nullptr}});
  for (std::uint32_t r = 0; r < context.node().result_count; ++r)
    places.outputs.push_back({r, {context.result_buffer(static_cast<int>(r)), nullptr}});
  context.if_then(
      context.load(0, {}), [&] { context.region(0, places); }, [&] { context.region(1, places); });
}

// Each branch is run again, with its gradient behind it, if it is the one that was taken.
void gradient(GradientContext& context) {
  std::vector<std::size_t> wrt;
  std::vector<Symbol> inputs;
  for (int i = 0; i < context.input_count(); ++i) {
    inputs.push_back(context.input(i));
    if (i > 0 && context.wants(i)) wrt.push_back(static_cast<std::size_t>(i - 1));
  }
  std::vector<int> reached;
  for (std::uint32_t r = 0; r < context.node().result_count; ++r)
    if (context.has_cotangent(static_cast<int>(r))) reached.push_back(static_cast<int>(r));
  for (const int r : reached) inputs.push_back(context.cotangent(r));
  Regions branches;
  for (const auto& branch : context.node().regions) {
    FunctionBuilder to(context.to().module(), branch->name);
    std::vector<ValueId> at_hand(branch->values.size(), kNoId), cotangents(branch->outputs.size(), kNoId);
    for (const ValueId input : branch->inputs)
      at_hand[input] = to.input(branch->value(input).name, branch->type(input));
    for (const int r : reached) {
      const Output& output = branch->outputs[static_cast<std::size_t>(r)];
      cotangents[static_cast<std::size_t>(r)] =
          to.input("cotangent_" + output.name, branch->type(output.value));
    }
    const std::vector<ValueId> found =
        BodyGradient(context.to().module(), *branch, wrt,
                     [&](std::size_t o) { return context.has_cotangent(static_cast<int>(o)); })
            .emit(
                to, [&](ValueId v) { return at_hand[v]; }, [&](std::size_t o) { return cotangents[o]; });
    for (std::size_t k = 0; k < wrt.size(); ++k) {
      const Value& input = branch->value(branch->inputs[wrt[k]]);
      to.output("grad_" + input.name, found[k] == kNoId ? to.zeros(input.type) : found[k]);
    }
    branches.push_back(std::make_shared<const Function>(to.finish()));
  }
  std::vector<ValueId> values;
  for (const Symbol& input : inputs) values.push_back(input.value);
  ValueId result = context.to().make("cond", values, {}, {}, context.node().loc, std::move(branches));
  for (const std::size_t i : wrt) context.add(static_cast<int>(i + 1), {&context.to(), result++});
}

}  // namespace

const OpDef& op_cond() {
  static const OpDef def{
      .name = "cond",
      .op_class = OpClass::kOpaque,
      .min_inputs = 1,
      .max_inputs = kAnyNumber,
      .meaning = "the outputs of `then` where the scalar condition holds, else those of `else`; one is run",
      .infer = infer,
      .evaluate = evaluate_cond,
      .loops = loops,
      .gradient = gradient,
      .regions = {"then", "else"},
  };
  return def;
}

}  // namespace cohort
