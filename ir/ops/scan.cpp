// scan: a loop over steps with carried values; sequences give each step an element, outputs collect one from
// each.
//
//   %h, %ys = scan(%xs, %h0, %w) {sequences = 1, carries = 1} body(%x: f64[3], %h: f64[4], %w: f64[4,3]) {
//     %wx = matmul(%w, %x)
//     %next = add(%h, %wx)
//     output h = %next
//     output y = %next
//   }
//
// Step t reads element t of the sequences and writes element t of the outputs, from the last to the first
// with `reverse`. With `until` the body's last output says whether to stop after the step; what the steps not
// taken would have written is zeros. A body reads its inputs and constants only.
#include "ir/ops/scan.h"

#include <cstring>

#include "ir/interpreter.h"
#include "ir/number_text.h"
#include "ir/ops/applied.h"
#include "ir/ops/list.h"
#include "ir/ops/scan_gradient.h"
#include "ir/type_errors.h"

namespace cohort {

using namespace kernel;
using namespace ops;

namespace ops {

ScanParts scan_parts(const Attrs& attrs, std::size_t input_count, std::size_t body_outputs) {
  ScanParts parts;
  parts.sequences = static_cast<std::size_t>(attr_or<std::int64_t>(attrs, "sequences", 0));
  parts.carries = static_cast<std::size_t>(attr_or<std::int64_t>(attrs, "carries", 0));
  parts.until = attr_or<bool>(attrs, "until", false);
  parts.reverse = attr_or<bool>(attrs, "reverse", false);
  parts.others = input_count - parts.sequences - parts.carries;
  parts.outputs = body_outputs - parts.carries - (parts.until ? 1 : 0);
  return parts;
}

ScanParts scan_parts(const Node& node) {
  return scan_parts(node.attrs, node.inputs.size(), node.regions[0]->outputs.size());
}

bool keeps_carries_only(const Node& node) {
  return attr_or<std::string>(node.attrs, "checkpoint", "none") == "step";
}

Dim scan_steps(const Attrs& attrs, std::span<const Type> inputs) {
  if (const Attr* steps = find_attr(attrs, "steps")) return std::get<Shape>(*steps).front();
  return inputs[0].shape[0];
}

Dim scan_steps(const Function& function, const Node& node) {
  if (node.inputs.empty()) return scan_steps(node.attrs, {});
  return scan_steps(node.attrs, std::span(&function.type(node.inputs[0]), 1));
}

Type element_type(const Type& type) { return {type.dtype, {type.shape.begin() + 1, type.shape.end()}}; }

Type stacked_type(const Type& type, const Dim& steps) {
  Type stacked = type;
  stacked.shape.insert(stacked.shape.begin(), steps);
  return stacked;
}

}  // namespace ops

namespace {

std::int64_t checked_count(const InferContext& context, std::string_view name) {
  const std::int64_t count = attr_or<std::int64_t>(context.attrs, name, 0);
  if (count < 0) wrong_attribute(context, name, "is negative");
  return count;
}

// Refuses attributes and a body whose numbers of inputs and outputs do not agree.
ScanParts check_counts(const InferContext& context) {
  const Function& body = *context.regions[0];
  const auto sequences = static_cast<std::size_t>(checked_count(context, "sequences"));
  const auto carries = static_cast<std::size_t>(checked_count(context, "carries"));
  const std::size_t least_outputs = carries + (attr_or<bool>(context.attrs, "until", false) ? 1 : 0);
  if (sequences + carries > context.inputs.size())
    wrong_attribute(
        context, "carries",
        fmt::format("with {} sequences needs more inputs than {}", sequences, context.inputs.size()));
  if (body.outputs.size() < least_outputs)
    wrong_attribute(
        context, "carries",
        fmt::format("needs a body with {} outputs or more, not {}", least_outputs, body.outputs.size()));
  return scan_parts(context.attrs, context.inputs.size(), body.outputs.size());
}

Dim check_steps(const InferContext& context, const ScanParts& parts) {
  if (const Attr* steps = find_attr(context.attrs, "steps")) {
    if (std::get<Shape>(*steps).size() != 1) wrong_attribute(context, "steps", "is not one extent");
    check_shape(context, "steps");
  } else if (parts.sequences == 0) {
    fail(DiagId::kMissingAttribute, context.op.name, "steps");
  }
  for (std::size_t i = 0; i < parts.sequences; ++i)
    if (context.inputs[i].rank() == 0) wrong_shape(context, i, "has no axis of steps");
  const Dim steps = scan_steps(context.attrs, context.inputs);
  if (max_extent(steps, context.dims) > kMaxDim) wrong_attribute(context, "steps", "may exceed 2^40");
  for (std::size_t i = 0; i < parts.sequences; ++i)
    if (context.inputs[i].shape[0] != steps) wrong_shape(context, i, "has another number of steps");
  return steps;
}

// What says how the loop is differentiated.
void check_gradient_attrs(const InferContext& context, const ScanParts& parts, const Dim& steps) {
  const std::string checkpoint = attr_or<std::string>(context.attrs, "checkpoint", "none");
  if (checkpoint != "none" && checkpoint != "sqrt" && checkpoint != "step")
    wrong_attribute(context, "checkpoint", "is none of `none`, `sqrt` and `step`");
  const Attr* truncate = find_attr(context.attrs, "truncate_gradient");
  if (!truncate) return;
  if (std::get<std::int64_t>(*truncate) < 0) wrong_attribute(context, "truncate_gradient", "is negative");
  if (parts.until || !steps.is_constant())
    wrong_attribute(context, "truncate_gradient", "needs a number of steps that is known, without `until`");
}

std::vector<Type> infer(const InferContext& context) {
  const ScanParts parts = check_counts(context);
  const Dim steps = check_steps(context, parts);
  check_gradient_attrs(context, parts, steps);
  const Function& body = *context.regions[0];
  std::vector<Type> types, given(context.inputs.begin(), context.inputs.end());
  for (std::size_t i = 0; i < parts.sequences; ++i) given[i] = element_type(given[i]);
  check_body(context, body, given);
  for (std::size_t i = 0; i < body.outputs.size(); ++i) {
    const Type& type = body.type(body.outputs[i].value);
    if (i < parts.carries) {
      check_same(context, body.outputs[i].name, body, context.inputs[parts.sequences + i], type);
      types.push_back(type);
    } else if (i < parts.carries + parts.outputs) {
      types.push_back(stacked_type(type, steps));
    } else {
      check_same(context, body.outputs[i].name, body, {DType::kBool, {}}, type);
      types.push_back({DType::kI64, {}});
    }
  }
  if (types.empty()) wrong_attribute(context, "carries", "leaves the loop without a result");
  return types;
}

Tensor step_of(const Tensor& sequence, std::int64_t step, const Type& type, const DimValues& dims) {
  Tensor element(type.dtype, evaluate(type.shape, dims));
  if (element.bytes() > 0)
    std::memcpy(element.mutable_data(), sequence.data() + step * element.bytes(),
                static_cast<std::size_t>(element.bytes()));
  return element;
}

void evaluate_scan(EvalContext& context) {
  const Function& body = *context.regions[0];
  const ScanParts parts = scan_parts(context.attrs, context.inputs.size(), body.outputs.size());
  std::vector<Type> types;
  if (parts.sequences > 0) types.push_back({context.inputs[0].dtype(), {}});
  const std::int64_t steps = find_attr(context.attrs, "steps")
                                 ? evaluate(scan_steps(context.attrs, types), context.dims)
                                 : context.inputs[0].extents()[0];
  std::vector<Tensor> inputs(context.inputs.begin(), context.inputs.end());
  std::vector<Tensor> no_state;
  std::int64_t taken = 0;
  for (bool stop = false; taken < steps && !stop; ++taken) {
    const std::int64_t at = parts.reverse ? steps - 1 - taken : taken;
    for (std::size_t i = 0; i < parts.sequences; ++i)
      inputs[i] = step_of(context.inputs[i], at, body.type(body.inputs[i]), context.dims);
    CallResult result = interpret(*context.module, body, inputs, no_state, context.dims, context.after);
    if (context.printed) *context.printed += result.printed;
    for (std::size_t i = 0; i < parts.carries; ++i) inputs[parts.sequences + i] = result.outputs[i];
    for (std::size_t i = parts.carries; i < parts.carries + parts.outputs; ++i) {
      const Tensor& output = result.outputs[i];
      if (output.bytes() > 0)
        std::memcpy(context.results[i].mutable_data() + at * output.bytes(), output.data(),
                    static_cast<std::size_t>(output.bytes()));
    }
    if (parts.until) stop = scalar_as_int(tensor_element(result.outputs.back(), 0)) != 0;
  }
  for (std::size_t i = 0; i < parts.carries; ++i) context.results[i] = inputs[parts.sequences + i];
  if (parts.until) set_tensor_element(context.results.back(), 0, make_scalar_int(DType::kI64, taken));
}

// --- Loops ---

// Copies all of an input to the result of the same type.
void copy_input(LoopContext& context, std::size_t input, std::size_t result) {
  context.for_each(context.result_type(static_cast<int>(result)).shape, [&](const Index& index) {
    context.store(static_cast<int>(result), index, context.load(static_cast<int>(input), index));
  });
}

void fill_zeros(LoopContext& context, std::size_t result) {
  const Type& type = context.result_type(static_cast<int>(result));
  context.for_each(type.shape, [&](const Index& index) {
    context.store(static_cast<int>(result), index, constant_of(type.dtype, 0));
  });
}

void loops(LoopContext& context) {
  const ScanParts parts = scan_parts(context.node());
  const Dim steps = scan_steps(context.function(), context.node());
  for (std::size_t i = 0; i < parts.carries; ++i) copy_input(context, parts.sequences + i, i);
  if (parts.until)
    for (std::size_t i = 0; i < parts.outputs; ++i) fill_zeros(context, parts.carries + i);

  const auto one_step = [&](const ExprRef& at) {
    RegionPlaces places;
    for (std::size_t i = 0; i < parts.inputs(); ++i) {
      const bool carried = i >= parts.sequences && i < parts.sequences + parts.carries;
      if (carried)
        places.carried.push_back(
            {i, i - parts.sequences, context.result_buffer(static_cast<int>(i - parts.sequences))});
      else
        places.inputs.push_back(
            {i, {context.input_buffer(static_cast<int>(i)), i < parts.sequences ? at : nullptr}});
    }
    for (std::size_t o = parts.carries; o < parts.carries + parts.outputs; ++o)
      places.outputs.push_back({o, {context.result_buffer(static_cast<int>(o)), at}});
    if (parts.until)
      places.outputs.push_back(
          {parts.carries + parts.outputs, {context.temporary({DType::kBool, {}}, "stop"), nullptr}});
    context.region(0, places);
    return places;
  };
  const auto place_of = [&](const ExprRef& t) {
    return parts.reverse ? extent(steps) - constant_index(1) - t : t;
  };
  if (!parts.until) {
    context.for_each(steps, [&](const ExprRef& t) { one_step(place_of(t)); });
    return;
  }
  const int count = static_cast<int>(parts.carries + parts.outputs);
  const ExprRef running = context.declare(constant(make_scalar_int(DType::kBool, 1)));
  context.store(count, {}, constant_index(0));
  context.for_each(steps, [&](const ExprRef& t) {
    context.if_then(running, [&] {
      const RegionPlaces places = one_step(place_of(t));
      const ExprRef stop = kernel::load(places.outputs.back().place.buffer, DType::kBool, {});
      context.assign(running, op(ScalarOp::k_not, {stop}, DType::kBool));
      context.store(count, {}, t + constant_index(1));
    });
  });
}

}  // namespace

const OpDef& op_scan() {
  static const OpDef def{
      .name = "scan",
      .op_class = OpClass::kOpaque,
      .min_inputs = 0,
      .max_inputs = kAnyNumber,
      .attrs = {{"carries", AttrKind::kInt, false, std::int64_t{0}},
                {"checkpoint", AttrKind::kString, false, std::string("none")},
                {"reverse", AttrKind::kBool, false, false},
                {"sequences", AttrKind::kInt, false, std::int64_t{0}},
                {"steps", AttrKind::kShape},
                {"truncate_gradient", AttrKind::kInt},
                {"until", AttrKind::kBool, false, false}},
      .meaning = "a loop over steps with carried values; its outputs are stacked",
      .infer = infer,
      .evaluate = evaluate_scan,
      .loops = loops,
      .gradient = scan_gradient,
      .with_tape = scan_with_tape,
      .regions = {"body"},
  };
  return def;
}

}  // namespace cohort
