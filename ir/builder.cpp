#include "ir/builder.h"

#include <algorithm>

#include "ir/diagnostics.h"
#include "ir/equal_names.h"
#include "ir/type_errors.h"

namespace cohort {

ModuleBuilder::ModuleBuilder(std::string name) { module_.name = std::move(name); }

ModuleBuilder::ModuleBuilder(Module module) : module_(std::move(module)) {
  for (std::size_t i = 0; i < module_.constants.size(); ++i) {
    const Constant& constant = module_.constants[i];
    if (!constant.name.empty() || constant.data.rank() != 0) continue;
    std::uint64_t bits = 0;
    std::memcpy(&bits, constant.data.data(), static_cast<std::size_t>(constant.data.bytes()));
    literals_.emplace(std::pair(constant.type.dtype, bits), static_cast<ConstantId>(i));
  }
}

DimId ModuleBuilder::add_dim(std::string name, std::int64_t min, std::int64_t max) {
  module_.dims.push_back({std::move(name), min, max});
  return static_cast<DimId>(module_.dims.size() - 1);
}

ConstantId ModuleBuilder::add_constant(std::string name, Tensor data) {
  Type type{data.dtype(), Shape(data.extents().begin(), data.extents().end())};
  module_.constants.push_back({std::move(name), std::move(type), std::move(data)});
  return static_cast<ConstantId>(module_.constants.size() - 1);
}

ConstantId ModuleBuilder::literal(const Tensor& scalar) {
  require(scalar.rank() == 0, "a literal is a scalar");
  std::uint64_t bits = 0;
  std::memcpy(&bits, scalar.data(), static_cast<std::size_t>(scalar.bytes()));
  const auto [it, added] = literals_.try_emplace({scalar.dtype(), bits}, kNoId);
  if (added) it->second = add_constant({}, scalar);
  return it->second;
}

StateId ModuleBuilder::add_state(std::string name, Type type, Tensor init, LocId loc, bool is_settable,
                                 DeviceHint device) {
  module_.states.push_back({std::move(name), std::move(type), std::move(init), loc, is_settable, device});
  return static_cast<StateId>(module_.states.size() - 1);
}

LocId ModuleBuilder::add_location(SourceLoc location) {
  module_.locations.push_back(std::move(location));
  return static_cast<LocId>(module_.locations.size() - 1);
}

void ModuleBuilder::add_function(Function function) {
  module_.functions.push_back(std::make_shared<const Function>(std::move(function)));
}

FunctionBuilder::FunctionBuilder(ModuleBuilder& module, std::string name) : module_(module) {
  function_.name = std::move(name);
}

namespace {

ValueId append_value(Function& function, Value value) {
  function.values.push_back(std::move(value));
  return static_cast<ValueId>(function.values.size() - 1);
}

void check_arity(const OpDef& op, std::size_t count) {
  const int given = static_cast<int>(count);
  if (given >= op.min_inputs && given <= op.max_inputs) return;
  std::string expected = std::to_string(op.min_inputs);
  if (op.max_inputs == kAnyNumber)
    expected += " or more";
  else if (op.max_inputs != op.min_inputs)
    expected += " to " + std::to_string(op.max_inputs);
  fail(DiagId::kWrongArity, op.name, expected, given);
}

void check_attrs(const OpDef& op, const Attrs& attrs) {
  for (const NamedAttr& a : attrs) {
    const auto spec =
        std::find_if(op.attrs.begin(), op.attrs.end(), [&](const AttrSpec& s) { return s.name == a.name; });
    if (spec == op.attrs.end()) fail(DiagId::kUnknownAttribute, op.name, a.name);
    static_assert(std::variant_size_v<Attr> == 9 && static_cast<int>(AttrKind::kCustom) == 8,
                  "AttrKind numbers the alternatives of Attr");
    if (a.value.index() != static_cast<std::size_t>(spec->kind))
      fail(DiagId::kWrongAttribute, op.name, a.name, "has the wrong kind of value");
  }
  for (const AttrSpec& spec : op.attrs)
    if (spec.required && !find_attr(attrs, spec.name)) fail(DiagId::kMissingAttribute, op.name, spec.name);
}

}  // namespace

ValueId FunctionBuilder::input(std::string name, Type type) {
  const auto index = static_cast<std::uint32_t>(function_.inputs.size());
  const ValueId id = append_value(function_, {std::move(type), std::move(name), ValueKind::kInput, index, 0});
  function_.inputs.push_back(id);
  return id;
}

ValueId FunctionBuilder::state(StateId id) {
  const auto [it, added] = states_.try_emplace(id, kNoId);
  if (added) {
    const State& state = module_.module().states[id];
    it->second = append_value(function_, {state.type, state.name, ValueKind::kState, id, 0});
  }
  return it->second;
}

ValueId FunctionBuilder::constant(ConstantId id) {
  const auto [it, added] = constants_.try_emplace(id, kNoId);
  if (added) {
    const Constant& constant = module_.module().constants[id];
    it->second = append_value(function_, {constant.type, constant.name, ValueKind::kConstant, id, 0});
  }
  return it->second;
}

ValueId FunctionBuilder::literal(DType dtype, double value) {
  return constant(module_.literal(scalar_tensor(dtype, value)));
}
ValueId FunctionBuilder::literal_int(DType dtype, std::int64_t value) {
  return constant(module_.literal(scalar_tensor_int(dtype, value)));
}

ValueId FunctionBuilder::node(const OpDef& op, std::span<const ValueId> inputs, Attrs attrs, std::string name,
                              LocId loc, Regions regions) {
  std::sort(attrs.begin(), attrs.end(),
            [](const NamedAttr& a, const NamedAttr& b) { return a.name < b.name; });
  check_arity(op, inputs.size());
  check_attrs(op, attrs);
  require(regions.size() == op.regions.size(), "a node has the functions that its operator names");
  std::vector<Type> types;
  types.reserve(inputs.size());
  for (const ValueId input : inputs) types.push_back(type(input));
  const Dims& dims = module_.module().dims;
  std::vector<Type> results = op.infer({op, types, attrs, dims, regions});
  for (const Type& result : results)
    if (!checked_max_bytes(result, dims)) fail(DiagId::kTensorTooLarge, op.name, to_string(result, dims));

  const auto id = static_cast<NodeId>(function_.nodes.size());
  const auto first = static_cast<ValueId>(function_.values.size());
  const auto count = static_cast<std::uint32_t>(results.size());
  for (std::uint32_t r = 0; r < count; ++r)
    append_value(function_, {std::move(results[r]), {}, ValueKind::kNode, id, r});
  if (!name.empty()) function_.values[first].name = std::move(name);
  function_.nodes.push_back(
      {&op, {inputs.begin(), inputs.end()}, std::move(attrs), first, count, loc, std::move(regions)});
  return first;
}

ValueId FunctionBuilder::cast(ValueId value, DType dtype) {
  if (type(value).dtype == dtype) return value;
  return node(*scalar_op_def(ScalarOp::k_cast), {{value}}, {{"dtype", dtype}});
}

ValueId FunctionBuilder::zeros(const Type& type) {
  const ValueId zero = literal(type.dtype, 0);
  return type.rank() == 0 ? zero : make("full", {zero}, {{"shape", type.shape}});
}

namespace {

// The dtype the inputs from `first` on are cast to.
DType common_dtype(const FunctionBuilder& builder, std::span<const ValueId> inputs, std::size_t first,
                   bool to_float) {
  DType common = DType::kBool;
  for (std::size_t i = first; i < inputs.size(); ++i) {
    DType dtype = builder.type(inputs[i]).dtype;
    if (to_float && !is_float(dtype)) dtype = DType::kF64;
    common = i == first ? dtype : promote(common, dtype);
  }
  return common;
}

void cast_operands(FunctionBuilder& builder, const OpDef& op, std::vector<ValueId>& inputs) {
  const bool scalar = op.scalar != ScalarOp::kNone;
  const Operands operands = scalar ? scalar_op_info(op.scalar).operands : Operands::kAny;
  std::size_t first = 0;
  DType target = DType::kBool;
  if (scalar && operands == Operands::kSelect) {
    inputs[0] = builder.cast(inputs[0], DType::kBool);
    first = 1;
  }
  if (scalar && operands == Operands::kBool) {
    target = DType::kBool;
  } else if (scalar) {
    target = common_dtype(builder, inputs, first, operands == Operands::kFloat);
  } else if (op.casting == Casting::kPromote || op.casting == Casting::kFloat) {
    target = common_dtype(builder, inputs, 0, op.casting == Casting::kFloat);
  } else if (op.casting == Casting::kFollowFirst && inputs.size() > 1) {
    inputs[1] = builder.cast(inputs[1], builder.type(inputs[0]).dtype);
    return;
  } else {
    return;
  }
  for (std::size_t i = first; i < inputs.size(); ++i) inputs[i] = builder.cast(inputs[i], target);
}

}  // namespace

ValueId FunctionBuilder::make(std::string_view op, std::span<const ValueId> inputs, Attrs attrs,
                              std::string name, LocId loc, Regions regions) {
  const OpDef* def = find_op(op);
  if (!def) fail(DiagId::kUnknownOperator, op);
  check_arity(*def, inputs.size());
  std::sort(attrs.begin(), attrs.end(),
            [](const NamedAttr& a, const NamedAttr& b) { return a.name < b.name; });
  if (def->expand) {
    check_attrs(*def, attrs);
    return def->expand(*this, inputs, attrs, std::move(name), loc);
  }
  std::vector<ValueId> operands(inputs.begin(), inputs.end());
  cast_operands(*this, *def, operands);
  return node(*def, operands, std::move(attrs), std::move(name), loc, std::move(regions));
}

ValueId FunctionBuilder::make(std::string_view op, std::initializer_list<ValueId> inputs, Attrs attrs,
                              std::string name) {
  return make(op, std::span(inputs.begin(), inputs.size()), std::move(attrs), std::move(name), 0);
}

void FunctionBuilder::output(std::string name, ValueId value) {
  function_.outputs.push_back({std::move(name), value});
}
void FunctionBuilder::update(StateId state, ValueId value) { function_.updates.push_back({state, value}); }

Function FunctionBuilder::finish() {
  number_equal_names(function_);
  std::sort(function_.updates.begin(), function_.updates.end(),
            [](const Update& a, const Update& b) { return a.state < b.state; });
  return std::move(function_);
}

}  // namespace cohort
