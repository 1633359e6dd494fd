// Draws with parameters, each by the inverse of its distribution function at one uniform number, so that
// gradients in the parameters of continuous ones are those of the inverse: random_bernoulli,
// random_categorical, random_gamma, random_beta, random_poisson, random_binomial, random_multinomial.
#include "ir/diagnostics.h"
#include "ir/ops/list.h"
#include "ir/ops/random_support.h"

namespace cohort {

using ops::RandomBuilder;

namespace {

// What a draw of one element makes of its parameters' indices in the inputs, in f64.
using Variate = ValueId (*)(RandomBuilder&, const Shape&);

ValueId variate(FunctionBuilder& builder, std::string_view op, std::span<const ValueId> inputs,
                const Attrs& attrs, std::string name, LocId loc, Variate value) {
  RandomBuilder random(builder, op, inputs, attrs);
  std::vector<Shape> parameters;
  for (std::size_t i = 2; i < inputs.size(); ++i) parameters.push_back(random.shape_of(inputs[i]));
  const Shape shape = random.result_shape(parameters);
  return random.finish(value(random, shape), shape, std::move(name), loc);
}

ValueId expand_bernoulli(FunctionBuilder& builder, std::span<const ValueId> inputs, const Attrs& attrs,
                         std::string name, LocId loc) {
  return variate(builder, "random_bernoulli", inputs, attrs, std::move(name), loc,
                 [](RandomBuilder& random, const Shape& shape) {
                   return random.make("lt", {random.uniform(shape, DType::kF64), random.input_f64(2)});
                 });
}
ValueId expand_gamma(FunctionBuilder& builder, std::span<const ValueId> inputs, const Attrs& attrs,
                     std::string name, LocId loc) {
  return variate(
      builder, "random_gamma", inputs, attrs, std::move(name), loc,
      [](RandomBuilder& random, const Shape& shape) {
        const ValueId x = random.make("gammaincinv", {random.input_f64(2), random.midpoints(shape)});
        return random.builder().cast(x, random.float_of(2));
      });
}
ValueId expand_beta(FunctionBuilder& builder, std::span<const ValueId> inputs, const Attrs& attrs,
                    std::string name, LocId loc) {
  return variate(builder, "random_beta", inputs, attrs, std::move(name), loc,
                 [](RandomBuilder& random, const Shape& shape) {
                   const ValueId x = random.make(
                       "betaincinv", {random.input_f64(2), random.input_f64(3), random.midpoints(shape)});
                   return random.builder().cast(x, promote(random.float_of(2), random.float_of(3)));
                 });
}
ValueId expand_poisson(FunctionBuilder& builder, std::span<const ValueId> inputs, const Attrs& attrs,
                       std::string name, LocId loc) {
  return variate(
      builder, "random_poisson", inputs, attrs, std::move(name), loc,
      [](RandomBuilder& random, const Shape& shape) {
        const ValueId count = random.make("poisson_quantile", {random.input_f64(2), random.midpoints(shape)});
        return random.builder().cast(count, DType::kI64);
      });
}
ValueId expand_binomial(FunctionBuilder& builder, std::span<const ValueId> inputs, const Attrs& attrs,
                        std::string name, LocId loc) {
  return variate(builder, "random_binomial", inputs, attrs, std::move(name), loc,
                 [](RandomBuilder& random, const Shape& shape) {
                   const ValueId count =
                       random.make("binomial_quantile",
                                   {random.input_f64(2), random.input_f64(3), random.midpoints(shape)});
                   return random.builder().cast(count, DType::kI64);
                 });
}

// The constant extent of the last axis of input i, which gives the categories.
std::int64_t category_count(RandomBuilder& random, std::string_view op, std::size_t i) {
  const Shape& shape = random.shape_of(random.input(i));
  if (shape.empty() || !shape.back().is_constant() || shape.back().offset < 1)
    fail(DiagId::kWrongShape, op, i, to_string(shape, random.builder().module().module().dims),
         "has no last axis of a constant number of categories");
  return shape.back().offset;
}
Shape without_last(Shape shape) {
  shape.pop_back();
  return shape;
}

// The number of partial sums that are not above u times the whole.
ValueId expand_categorical(FunctionBuilder& builder, std::span<const ValueId> inputs, const Attrs& attrs,
                           std::string name, LocId loc) {
  RandomBuilder random(builder, "random_categorical", inputs, attrs);
  const std::int64_t count = category_count(random, "random_categorical", 2);
  const std::vector<Shape> batch{without_last(random.shape_of(inputs[2]))};
  const Shape shape = random.result_shape(batch);
  ValueId p = random.input_f64(2);
  if (attr_or(attrs, "logits", false)) p = random.make("softmax", {p});
  const ValueId sums = random.make("cumsum", {p}, {{"axis", std::int64_t{-1}}});
  const ValueId whole = random.make("slice", {sums}, {{"axes", IntList{-1}}, {"starts", IntList{-1}}});
  const ValueId u = random.make("expand", {random.uniform(shape, DType::kF64)}, {{"axes", IntList{-1}}});
  const ValueId passed = random.make("le", {sums, random.make("mul", {u, whole})});
  const ValueId number = random.make("reduce_sum", {passed}, {{"axes", IntList{-1}}});
  const ValueId last = builder.literal_int(DType::kI64, count - 1);
  return random.finish(random.make("min", {number, last}), shape, std::move(name), loc);
}

// Binomial counts one category after the other, each of the trials and of the probability that are left.
ValueId expand_multinomial(FunctionBuilder& builder, std::span<const ValueId> inputs, const Attrs& attrs,
                           std::string name, LocId loc) {
  RandomBuilder random(builder, "random_multinomial", inputs, attrs);
  const std::int64_t count = category_count(random, "random_multinomial", 3);
  const std::vector<Shape> batch{random.shape_of(inputs[2]), without_last(random.shape_of(inputs[3]))};
  const Shape shape = random.result_shape(batch);
  Shape whole = shape;
  whole.push_back(count);
  const ValueId numbers = random.midpoints(whole, true), p = random.input_f64(3);
  const auto category = [&](ValueId value, std::int64_t k) {
    const Attrs at{{"axes", IntList{-1}}, {"starts", IntList{k}}, {"stops", IntList{k + 1}}};
    return random.make("squeeze", {random.make("slice", {value}, at)}, {{"axes", IntList{-1}}});
  };
  const Attrs last_axis{{"axes", IntList{-1}}};
  const ValueId turned = random.make("flip", {p}, last_axis);
  const ValueId left =
      random.make("flip", {random.make("cumsum", {turned}, {{"axis", std::int64_t{-1}}})}, last_axis);
  ValueId rest = random.make("broadcast", {random.input_f64(2)}, {{"shape", shape}});
  std::vector<ValueId> counts;
  for (std::int64_t k = 0; k + 1 < count; ++k) {
    const ValueId part = category(p, k), remaining = category(left, k);
    const ValueId share = random.make("where", {random.make("gt", {remaining, random.f64(0)}),
                                                random.make("true_div", {part, remaining}), random.f64(0)});
    const ValueId chance = random.make("clip", {share, random.f64(0), random.f64(1)});
    counts.push_back(random.make("binomial_quantile", {rest, chance, category(numbers, k)}));
    rest = random.make("sub", {rest, counts.back()});
  }
  counts.push_back(rest);
  const ValueId all = builder.make("stack", counts, {{"axis", std::int64_t{-1}}});
  return random.finish(builder.cast(all, DType::kI64), whole, std::move(name), loc);
}

OpDef variate_def(std::string_view name, int parameters, std::string_view meaning,
                  decltype(OpDef::expand) expand) {
  return {.name = name,
          .op_class = OpClass::kOpaque,
          .min_inputs = 2 + parameters,
          .max_inputs = 2 + parameters,
          .attrs = {{"shape", AttrKind::kShape}},
          .meaning = meaning,
          .expand = expand};
}

}  // namespace

const OpDef& op_random_bernoulli() {
  static const OpDef def = variate_def("random_bernoulli", 1, "true with probability p", expand_bernoulli);
  return def;
}
const OpDef& op_random_categorical() {
  static const OpDef def = [] {
    OpDef made = variate_def("random_categorical", 1, "an index, by the weights on the last axis of p",
                             expand_categorical);
    made.attrs.insert(made.attrs.begin(), {"logits", AttrKind::kBool, false, false});
    return made;
  }();
  return def;
}
const OpDef& op_random_gamma() {
  static const OpDef def = variate_def("random_gamma", 1, "gamma of shape a and scale 1", expand_gamma);
  return def;
}
const OpDef& op_random_beta() {
  static const OpDef def = variate_def("random_beta", 2, "beta of a and b", expand_beta);
  return def;
}
const OpDef& op_random_poisson() {
  static const OpDef def = variate_def("random_poisson", 1, "Poisson counts of this mean", expand_poisson);
  return def;
}
const OpDef& op_random_binomial() {
  static const OpDef def =
      variate_def("random_binomial", 2, "successes in n trials of probability p", expand_binomial);
  return def;
}
const OpDef& op_random_multinomial() {
  static const OpDef def = variate_def(
      "random_multinomial", 2, "counts of n trials by the weights on the last axis of p", expand_multinomial);
  return def;
}

}  // namespace cohort
