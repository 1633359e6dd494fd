// reshape(x) {shape}: the elements of x in row-major order under another shape; one entry may be -1.
//
// The index map works on the smallest runs of axes that hold the same elements on both sides, so that merging
// axes costs multiplications, and only splitting an axis costs a division.
#include <algorithm>
#include <numeric>
#include <tuple>

#include "ir/ops/gradients.h"
#include "ir/ops/list.h"
#include "ir/ops/support.h"

namespace cohort {

namespace {

// A product of dims in normal form: a constant times primitive dims (scale and offset without a common
// factor, scale positive), sorted. Linear factors are prime, so equal products have equal normal forms.
struct Product {
  std::int64_t constant = 1;
  bool overflows = false;
  std::vector<Dim> named;

  void multiply_by(const Dim& dim) {
    std::int64_t factor = dim.is_constant() ? dim.offset : std::gcd(dim.scale, dim.offset);
    if (dim.scale < 0) factor = -factor;
    overflows = __builtin_mul_overflow(constant, factor, &constant) || overflows;
    if (dim.is_constant()) return;
    named.push_back(Dim::named(dim.symbol, dim.scale / factor, dim.offset / factor));
    std::sort(named.begin(), named.end(), [](const Dim& a, const Dim& b) {
      return std::tie(a.symbol, a.scale, a.offset) < std::tie(b.symbol, b.scale, b.offset);
    });
  }
  bool operator==(const Product& other) const {
    if (overflows || other.overflows) return false;
    return constant == other.constant && (constant == 0 || named == other.named);
  }
};

Product product(const Shape& shape) {
  Product result;
  for (const Dim& dim : shape) result.multiply_by(dim);
  return result;
}

// The dim that `rest` has to be multiplied with to give `all`, if there is one.
std::optional<Dim> missing_factor(Product all, const Product& rest) {
  if (rest.overflows || rest.constant == 0 || all.constant % rest.constant != 0) return std::nullopt;
  if (all.constant == 0) return Dim(0);
  for (const Dim& dim : rest.named) {
    const auto found = std::find(all.named.begin(), all.named.end(), dim);
    if (found == all.named.end()) return std::nullopt;
    all.named.erase(found);
  }
  const Dim constant(all.constant / rest.constant);
  if (all.named.size() > 1) return std::nullopt;
  return all.named.empty() ? constant : multiply(all.named[0], constant);
}

bool is_wildcard(const Dim& dim) { return dim.is_constant(-1); }

std::vector<Type> infer(const InferContext& context) {
  const Type& x = context.inputs[0];
  Shape shape = attr<Shape>(context.attrs, "shape");
  const auto wildcard = std::find_if(shape.begin(), shape.end(), is_wildcard);
  if (std::count_if(shape.begin(), shape.end(), is_wildcard) > 1) {
    ops::wrong_attribute(context, "shape", "has more than one -1");
  }
  const auto mismatch = [&]() {
    fail(DiagId::kShapeMismatch, context.op.name, to_string(x.shape, context.dims),
         to_string(attr<Shape>(context.attrs, "shape"), context.dims));
  };
  if (wildcard != shape.end()) {
    *wildcard = Dim(1);
    const std::optional<Dim> missing = missing_factor(product(x.shape), product(shape));
    if (!missing) mismatch();
    *wildcard = *missing;
  }
  for (const Dim& dim : shape) {
    if (min_extent(dim, context.dims) < 0) ops::wrong_attribute(context, "shape", "has a negative extent");
  }
  if (product(x.shape) != product(shape)) mismatch();
  return {{x.dtype, shape}};
}

void evaluate(EvalContext& context) {
  context.results[0] = context.inputs[0].reshaped(context.results[0].extents());
}

// One side of a run of axes.
struct Run {
  std::vector<std::size_t> axes;
  Product count;
  void take(const Shape& shape, std::size_t axis) {
    axes.push_back(axis);
    count.multiply_by(shape[axis]);
  }
};

// The position of an index within the run's elements.
kernel::ExprRef flatten(const Run& run, const Shape& shape, const ops::Index& index) {
  kernel::ExprRef flat = kernel::constant_index(0);
  for (std::size_t axis : run.axes) flat = flat * kernel::extent(shape[axis]) + index[axis];
  return flat;
}

// Writes the index of the run's element number `flat`.
void unflatten(const Run& run, const Shape& shape, kernel::ExprRef flat, ops::Index& index) {
  for (std::size_t i = run.axes.size(); i-- > 0;) {
    const kernel::ExprRef extent = kernel::extent(shape[run.axes[i]]);
    index[run.axes[i]] = i == 0 ? flat : ops::remainder(flat, extent);
    if (i > 0) flat = ops::quotient(flat, extent);
  }
}

kernel::ExprRef element(ElementContext& context) {
  const Shape& from = context.input_type(0).shape;
  const Shape& to = context.result_type().shape;
  ops::Index index(from.size(), kernel::constant_index(0));
  std::size_t i = 0, j = 0;
  const auto skip_ones = [](const Shape& shape, std::size_t& axis) {
    while (axis < shape.size() && shape[axis].is_constant(1)) ++axis;
  };
  for (skip_ones(from, i), skip_ones(to, j); i < from.size() && j < to.size();
       skip_ones(from, i), skip_ones(to, j)) {
    Run own, given;
    own.take(from, i++);
    given.take(to, j++);
    // Take the next axis on the side that still lacks a factor of the other; at the end the counts are equal.
    while (own.count != given.count) {
      const bool own_lacks = !missing_factor(own.count, given.count).has_value();
      if (own_lacks && i < from.size())
        own.take(from, i++);
      else if (j < to.size())
        given.take(to, j++);
      else if (i < from.size())
        own.take(from, i++);
      else
        break;  // an extent is 0 and there is no element
    }
    kernel::ExprRef flat = flatten(given, to, context.index);
    if (own.axes.size() > 1) flat = context.let(std::move(flat));
    unflatten(own, from, std::move(flat), index);
  }
  return context.load(0, std::move(index));
}

void gradient(GradientContext& context) {
  context.add(0, context.reshaped(context.cotangent(), context.input_type(0).shape));
}

}  // namespace

const OpDef& op_reshape() {
  static const OpDef def{.name = "reshape",
                         .op_class = OpClass::kIndexMap,
                         .attrs = {{"shape", AttrKind::kShape, true}},
                         .meaning = "the elements of x in row-major order under another shape",
                         .infer = infer,
                         .evaluate = evaluate,
                         .element = element,
                         .gradient = gradient};
  return def;
}

}  // namespace cohort
