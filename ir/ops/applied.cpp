#include "ir/ops/applied.h"

#include <algorithm>
#include <set>

namespace cohort::ops {

std::vector<AttrSpec> derivative_attrs() {
  return {{"disconnected", AttrKind::kString, false, std::string("error")},
          {"wrt", AttrKind::kStrings, true}};
}

const Function& applied_function(const InferContext& context) { return *context.regions[0]; }

std::vector<Type> types_of(const Function& function, std::span<const ValueId> values) {
  std::vector<Type> types;
  for (const ValueId value : values) types.push_back(function.type(value));
  return types;
}

std::vector<Type> output_types(const Function& function) {
  std::vector<Type> types;
  for (const Output& output : function.outputs) types.push_back(function.type(output.value));
  return types;
}

void check_arguments(const InferContext& context, std::span<const Type> more) {
  const Function& function = applied_function(context);
  std::vector<Type> expected = types_of(function, function.inputs);
  expected.insert(expected.end(), more.begin(), more.end());
  check_types(context, expected);
}

void check_types(const InferContext& context, std::span<const Type> expected) {
  const Function& function = applied_function(context);
  if (!function.updates.empty()) fail(DiagId::kAppliedUpdates, context.op.name, function.name);
  if (function.outputs.empty()) fail(DiagId::kNoOutputs, context.op.name, function.name);
  if (expected.size() != context.inputs.size())
    fail(DiagId::kArgumentCount, context.op.name, expected.size(), function.name, context.inputs.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const bool is_own = i < function.inputs.size();
    check_same(context, is_own ? function.value(function.inputs[i]).name : fmt::format("input {}", i),
               function, expected[i], context.inputs[i]);
  }
}

void check_same(const InferContext& context, std::string_view name, const Function& function,
                const Type& expected, const Type& given) {
  if (expected == given) return;
  fail(DiagId::kArgumentType, context.op.name, name, function.name, to_string(expected, context.dims),
       to_string(given, context.dims));
}

void check_body(const InferContext& context, const Function& body, std::span<const Type> given) {
  if (!body.updates.empty()) fail(DiagId::kAppliedUpdates, context.op.name, body.name);
  for (const Value& value : body.values)
    if (value.kind == ValueKind::kState) fail(DiagId::kBodyReadsState, context.op.name, value.name);
  // The numbers told are those of the node, which may have inputs that the body does not see.
  const std::size_t unseen = context.inputs.size() - given.size();
  if (body.inputs.size() != given.size())
    fail(DiagId::kArgumentCount, context.op.name, body.inputs.size() + unseen, body.name,
         context.inputs.size());
  for (std::size_t i = 0; i < given.size(); ++i)
    check_same(context, body.value(body.inputs[i]).name, body, body.type(body.inputs[i]), given[i]);
}

namespace {

// The input or state variable of that name; kNoId: there is none, or it has no gradient.
ValueId movable(const Function& function, const std::string& name) {
  const auto found = std::find_if(function.values.begin(), function.values.end(), [&](const Value& value) {
    return value.name == name && (value.kind == ValueKind::kInput || value.kind == ValueKind::kState);
  });
  if (found == function.values.end() || !is_float(found->type.dtype)) return kNoId;
  return static_cast<ValueId>(found - function.values.begin());
}

// The type of a state variable that something applied in the function reads; functions seen are passed over.
std::optional<Type> applied_state(const Function& function, const std::string& name,
                                  std::set<const Function*>& seen) {
  for (const Node& node : function.nodes)
    for (const auto& region : node.regions) {
      if (!seen.insert(region.get()).second) continue;
      const ValueId value = movable(*region, name);
      if (value != kNoId && region->value(value).kind == ValueKind::kState) return region->type(value);
      if (std::optional<Type> inner = applied_state(*region, name, seen)) return inner;
    }
  return {};
}

void check_derivative_attrs(const InferContext& context) {
  const Attr* given = find_attr(context.attrs, "disconnected");
  const std::string disconnected = given ? std::get<std::string>(*given) : "error";
  if (disconnected != "error" && disconnected != "zero")
    wrong_attribute(context, "disconnected", "is neither `error` nor `zero`");
  if (attr<Strings>(context.attrs, "wrt").empty()) wrong_attribute(context, "wrt", "names nothing");
}

}  // namespace

std::vector<Type> wrt_types(const InferContext& context) {
  check_derivative_attrs(context);
  const Function& function = applied_function(context);
  std::vector<Type> types;
  for (const std::string& name : attr<Strings>(context.attrs, "wrt")) {
    const ValueId value = movable(function, name);
    std::set<const Function*> seen;
    std::optional<Type> type = value == kNoId ? applied_state(function, name, seen) : function.type(value);
    if (!type) fail(DiagId::kNotMovable, context.op.name, name, function.name);
    types.push_back(*std::move(type));
  }
  return types;
}

std::vector<ValueId> wrt_values(const InferContext& context) {
  const Function& function = applied_function(context);
  std::vector<ValueId> values;
  for (const std::string& name : attr<Strings>(context.attrs, "wrt")) {
    values.push_back(movable(function, name));
    if (values.back() == kNoId) fail(DiagId::kNotMovable, context.op.name, name, function.name);
  }
  return values;
}

void check_scalar_output(const InferContext& context) {
  const Function& function = applied_function(context);
  std::string seen;
  for (const Type& type : output_types(function)) {
    if (!seen.empty()) seen += ", ";
    seen += to_string(type, context.dims);
  }
  const bool is_right = function.outputs.size() == 1 && is_float(output_types(function)[0].dtype) &&
                        output_types(function)[0].rank() == 0;
  if (!is_right) fail(DiagId::kNotScalarOutput, context.op.name, function.name, seen.empty() ? "none" : seen);
}

void evaluate_applied(EvalContext& context) {
  internal_error("`" + std::string(context.op.name) + "` is evaluated before `expand_functions` has run");
}

OpDef applied_op(std::string_view name, std::string_view meaning, bool is_derivative) {
  OpDef def;
  def.name = name;
  def.op_class = OpClass::kOpaque;
  def.min_inputs = 0;
  def.max_inputs = kAnyNumber;
  if (is_derivative) def.attrs = derivative_attrs();
  def.meaning = meaning;
  def.evaluate = [](EvalContext& context) { evaluate_applied(context); };
  def.regions = {"function"};
  return def;
}

}  // namespace cohort::ops
