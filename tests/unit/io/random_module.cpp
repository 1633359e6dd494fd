#include "random_module.h"

#include <fmt/format.h>

#include <array>
#include <random>

#include "ir/builder.h"
#include "ir/diagnostics.h"
#include "ir/literal.h"
#include "ir/number_text.h"
#include "ir/scalar_op.h"

namespace cohort {
namespace {

class Maker {
 public:
  Maker(std::uint32_t seed, bool unique_names)
      : random_(seed), unique_(unique_names), builder_("hostile \"module\"") {}

  Module make() {
    builder_.add_dim("batch", 1, 8);
    for (int i = pick(4); i >= 0; --i) {
      builder_.add_constant(global(), tensor(dtype(), {pick(3), pick(3) + 1}));
      builder_.add_constant(global(), tensor(dtype(), {}));
      Tensor init = tensor(dtype(), {3});
      builder_.add_state(global(), {init.dtype(), {3}}, init, 0, true, static_cast<DeviceHint>(pick(3)));
      if (!unique_) builder_.add_constant("", tensor(dtype(), {2}));
    }
    for (int i = pick(3); i >= 0; --i) function(i);
    return builder_.finish();
  }

 private:
  int pick(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
  DType dtype() { return static_cast<DType>(pick(kDTypeCount)); }

  std::string name() {
    static constexpr std::array<const char*, 12> kNames{"a",     "layer1.weight", "1234", "gpu_0/data:0",
                                                        "class", "a-b",           "a_b",  "\xc3\xa9",
                                                        "A",     "q\"\\\n\x01",   "nan",  "x~2"};
    std::string name = kNames[static_cast<std::size_t>(pick(12))];
    return unique_ ? fmt::format("{}{}", name, count_++) : name;
  }
  // Names of states and named constants are unique in every module.
  std::string global() { return fmt::format("{} {}", name(), count_++); }

  Tensor tensor(DType type, Extents extents) {
    Tensor data(type, std::move(extents));
    for (std::int64_t i = 0; i < data.size(); ++i) {
      Scalar scalar{
          type, (static_cast<std::uint64_t>(random_()) << 32 | random_()) >> (64 - 8 * dtype_bytes(type))};
      if (type == DType::kBool) scalar.bits &= 1;
      if (pick(3) == 0) scalar = make_scalar(type, pick(5) - 2.0);
      set_tensor_element(data, i, scalar);
    }
    return data;
  }

  void function(int index) {
    FunctionBuilder builder(builder_, fmt::format("f {}", index));
    std::vector<ValueId> values;
    for (int i = pick(3); i >= 0; --i) {
      Shape shape = pick(2) == 0 ? Shape{Dim::named(0, 1 + pick(2), pick(3) - 1)} : Shape{3};
      values.push_back(builder.input(name(), {dtype(), shape}));
    }
    for (std::uint32_t i = 0; i < builder_.module().states.size(); ++i) values.push_back(builder.state(i));
    for (std::uint32_t i = 0; i < builder_.module().constants.size(); ++i) {
      if (!builder_.module().constants[i].name.empty() || builder_.module().constants[i].data.rank() > 0) {
        values.push_back(builder.constant(i));
      }
    }
    for (int i = 0; i < 40; ++i) node(builder, values);
    for (int i = 0; i < 3; ++i) builder.output(fmt::format("{} {}", name(), i), any(values));
    builder.output("literal",
                   builder.constant(builder_.literal(tensor(unique_ ? DType::kF64 : dtype(), {}))));
    for (std::uint32_t s = 0; s < builder_.module().states.size(); ++s) {
      for (ValueId value : values) {
        if (pick(4) != 0 || !(builder.type(value) == builder_.module().states[s].type)) continue;
        builder.update(s, value);
        break;
      }
    }
    builder_.add_function(builder.finish());
  }

  ValueId any(const std::vector<ValueId>& values) { return values[random_() % values.size()]; }

  void node(FunctionBuilder& builder, std::vector<ValueId>& values) {
    const auto op = static_cast<ScalarOp>(1 + pick(kScalarOpCount));
    const ScalarOpInfo& info = scalar_op_info(op);
    std::vector<ValueId> inputs;
    for (int i = 0; i < info.arity; ++i) {
      if (pick(3) == 0) {
        const DType like = inputs.empty() ? dtype() : builder.type(inputs.back()).dtype;
        inputs.push_back(builder.constant(builder_.literal(tensor(like, {}))));
      } else {
        inputs.push_back(any(values));
      }
    }
    if (unique_ && !settles(builder, *scalar_op_def(op), inputs)) return;
    Attrs attrs;
    if (info.result == Result::kAttr) attrs = {{"dtype", dtype()}};
    LocId loc = pick(3) == 0
                    ? builder_.add_location({"model \"1\".py:3", 0, 0, static_cast<DeviceHint>(pick(3))})
                    : 0;
    try {
      std::string own = unique_ || pick(2) == 0 ? name() : "";
      values.push_back(builder.node(*scalar_op_def(op), inputs, attrs, own, loc));
    } catch (const UserError&) {
      // The operands did not fit; another node comes.
    }
  }

  // Would a graph file give the literals among the inputs their dtypes? Then they stay literals when written.
  bool settles(const FunctionBuilder& builder, const OpDef& op, const std::vector<ValueId>& inputs) {
    std::vector<OperandDType> dtypes;
    for (ValueId input : inputs) {
      const Value& value = builder.function().value(input);
      const Tensor* data = value.kind == ValueKind::kConstant && value.name.empty()
                               ? &builder_.module().constants[value.index].data
                               : nullptr;
      const bool is_literal = data && data->rank() == 0;
      dtypes.push_back(
          {is_literal ? natural_dtype(number_text(tensor_element(*data, 0))) : value.type.dtype, is_literal});
    }
    settle_literals(op, {}, dtypes);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (dtypes[i].dtype != builder.type(inputs[i]).dtype) return false;
    }
    return true;
  }

  std::mt19937 random_;
  bool unique_;
  int count_ = 0;
  ModuleBuilder builder_;
};

}  // namespace

Module random_module(std::uint32_t seed, bool unique_names) { return Maker(seed, unique_names).make(); }

}  // namespace cohort
