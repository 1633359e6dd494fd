// Draws without parameters: random_bits, random_uniform, random_normal, random_exponential,
// random_permutation.
#include "ir/diagnostics.h"
#include "ir/ops/list.h"
#include "ir/ops/random_support.h"

namespace cohort {

using ops::RandomBuilder;

namespace {

ValueId draw(FunctionBuilder& builder, std::string_view op, std::span<const ValueId> inputs,
             const Attrs& attrs, std::string name, LocId loc,
             ValueId (*value)(RandomBuilder&, const Shape&)) {
  RandomBuilder random(builder, op, inputs, attrs);
  const Shape shape = random.result_shape({});
  return random.finish(value(random, shape), shape, std::move(name), loc);
}

ValueId expand_bits(FunctionBuilder& builder, std::span<const ValueId> inputs, const Attrs& attrs,
                    std::string name, LocId loc) {
  return draw(builder, "random_bits", inputs, attrs, std::move(name), loc,
              [](RandomBuilder& random, const Shape& shape) { return random.bits(shape); });
}
ValueId expand_uniform(FunctionBuilder& builder, std::span<const ValueId> inputs, const Attrs& attrs,
                       std::string name, LocId loc) {
  return draw(
      builder, "random_uniform", inputs, attrs, std::move(name), loc,
      [](RandomBuilder& random, const Shape& shape) { return random.uniform(shape, random.float_attr()); });
}
ValueId expand_normal(FunctionBuilder& builder, std::span<const ValueId> inputs, const Attrs& attrs,
                      std::string name, LocId loc) {
  return draw(builder, "random_normal", inputs, attrs, std::move(name), loc,
              [](RandomBuilder& random, const Shape& shape) {
                const DType dtype = random.float_attr();
                return random.builder().cast(random.make("ndtri", {random.midpoints(shape)}), dtype);
              });
}
ValueId expand_exponential(FunctionBuilder& builder, std::span<const ValueId> inputs, const Attrs& attrs,
                           std::string name, LocId loc) {
  return draw(builder, "random_exponential", inputs, attrs, std::move(name), loc,
              [](RandomBuilder& random, const Shape& shape) {
                const DType dtype = random.float_attr();
                const ValueId log = random.make("log", {random.midpoints(shape)});
                return random.builder().cast(random.make("neg", {log}), dtype);
              });
}
// The places of n random numbers in order; among equal ones, of which there are none but once in 2^64 / n^2
// draws, the first comes first.
ValueId expand_permutation(FunctionBuilder& builder, std::span<const ValueId> inputs, const Attrs& attrs,
                           std::string name, LocId loc) {
  RandomBuilder random(builder, "random_permutation", inputs, attrs);
  const auto n = attr<std::int64_t>(attrs, "n");
  if (n < 0) fail(DiagId::kWrongAttribute, "random_permutation", "n", fmt::format("is {}", n));
  const Shape shape{n};
  return random.finish(random.make("argsort", {random.bits(shape)}), shape, std::move(name), loc);
}

OpDef draw_def(std::string_view name, std::string_view meaning, decltype(OpDef::expand) expand,
               bool has_dtype) {
  OpDef def{.name = name,
            .op_class = OpClass::kOpaque,
            .min_inputs = 2,
            .max_inputs = 2,
            .attrs = {{"shape", AttrKind::kShape}},
            .meaning = meaning,
            .expand = expand};
  if (has_dtype) def.attrs.insert(def.attrs.begin(), {"dtype", AttrKind::kDType, false, DType::kF64});
  return def;
}

}  // namespace

const OpDef& op_random_bits() {
  static const OpDef def = draw_def("random_bits", "64 random bits for each element", expand_bits, false);
  return def;
}
const OpDef& op_random_uniform() {
  static const OpDef def = draw_def("random_uniform", "uniform on [0, 1)", expand_uniform, true);
  return def;
}
const OpDef& op_random_normal() {
  static const OpDef def = draw_def("random_normal", "standard normal", expand_normal, true);
  return def;
}
const OpDef& op_random_exponential() {
  static const OpDef def = draw_def("random_exponential", "exponential of mean 1", expand_exponential, true);
  return def;
}
const OpDef& op_random_permutation() {
  static const OpDef def{.name = "random_permutation",
                         .op_class = OpClass::kOpaque,
                         .min_inputs = 2,
                         .max_inputs = 2,
                         .attrs = {{"n", AttrKind::kInt, true}},
                         .meaning = "the numbers below n in random order",
                         .expand = expand_permutation};
  return def;
}

}  // namespace cohort
