// stabilise: applies the rules marked accuracy, whose results are nearer to the true value. Runs before the
// gradient is taken, so that gradients are stable too.
//
//   %a = exp(%x)                      output y = softplus(%x)
//   %b = add(1, %a)           =>
//   output y = log(%b)
//
// And what no rule can say: the sum of n equal numbers is one product, rounded once.
//
//   %s = broadcast(%x) {shape = [919]}
//   output y = reduce_sum(%s)         =>        output y = mul(%x, 919)
#include "compiler/emitter.h"
#include "compiler/pass.h"
#include "compiler/rules/rewrite.h"
#include "ir/op_def.h"

namespace cohort::passes {

namespace {

// Integers up to here are numbers of the dtype.
std::int64_t most_exact(DType dtype) {
  if (dtype == DType::kF32) return std::int64_t{1} << 24;
  return dtype == DType::kF64 ? std::int64_t{1} << 53 : 0;
}

// How often each element of x stands in a sum over `axes` of x broadcast to `spread`; nothing if elements
// differ along those axes, or an extent is not known.
std::optional<std::int64_t> repetitions(const Shape& x, const Shape& spread, std::span<const int> axes) {
  std::int64_t count = 1;
  const std::size_t added = spread.size() - x.size();
  for (const int a : axes) {
    const auto axis = static_cast<std::size_t>(a);
    const bool repeated = axis < added || x[axis - added] == Dim(1);
    if (!repeated || !spread[axis].is_constant() || spread[axis].offset < 1) return std::nullopt;
    if (count > most_exact(DType::kF64) / spread[axis].offset) return std::nullopt;
    count *= spread[axis].offset;
  }
  return count;
}

// The shape of x when it has been summed, before what else is repeated of it.
Shape shape_left(const Shape& x, const Shape& spread, std::span<const int> axes, bool keepdims) {
  Shape shape;
  const std::size_t added = spread.size() - x.size();
  for (std::size_t axis = 0; axis < spread.size(); ++axis) {
    const bool summed = std::find(axes.begin(), axes.end(), static_cast<int>(axis)) != axes.end();
    if (summed && !keepdims) continue;
    shape.push_back(summed || axis < added ? Dim(1) : x[axis - added]);
  }
  return shape;
}

std::vector<ValueId> sum_of_equals(Emitter& e, const NodeView& node) {
  if (node.op->name != "reduce_sum") return {};
  const Node* broadcast = e.made_by(node.inputs[0], "broadcast");
  if (!broadcast) return {};
  const ValueId x = broadcast->inputs[0];
  const Type type = e.type(x), result = e.infer(node).front();
  const Shape spread = e.shape(node.inputs[0]);
  const std::vector<int> axes = normalized_axes(node.attrs, "axes", static_cast<int>(spread.size()));
  const bool keepdims = attr_or(node.attrs, "keepdims", false);
  const auto count = repetitions(type.shape, spread, axes);
  if (result.dtype != type.dtype || !count || *count > most_exact(type.dtype)) return {};
  const ValueId n = e.to().literal(type.dtype, static_cast<double>(*count));
  const ValueId sum = e.emit("mul", {e.reshape(x, shape_left(type.shape, spread, axes, keepdims)), n});
  return {e.fit(sum, result.shape)};
}

}  // namespace

Function stabilise(ModuleBuilder& module, const Function& function, const PassOptions&) {
  return Emitter(module, rewrite(module, function, rules_marked(Exactness::kAccuracy)), sum_of_equals).run();
}

}  // namespace cohort::passes
