// einsum, written with other operators when a graph is built. Operands are joined two at a time from the
// left:
//
//   einsum("ij,jk->ik", a, b)   =>   matmul(a, b)
//   einsum("i,i->", a, b)       =>   reduce_sum(mul(a, b))
//   einsum("ii->i", a)          =>   gather(a, iota, iota)
//
// Labels that neither the result nor a later operand needs are summed as soon as possible.
#include <algorithm>
#include <map>

#include "ir/builder.h"
#include "ir/diagnostics.h"
#include "ir/ops/einsum_equation.h"
#include "ir/ops/list.h"

namespace cohort {

namespace {

using Labels = std::vector<Label>;

struct Operand {
  ValueId value = 0;
  Labels labels;  // one for each axis, all different
};

bool has(const Labels& labels, Label label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

template <typename Condition>
Labels those(const Labels& labels, Condition condition) {
  Labels result;
  std::copy_if(labels.begin(), labels.end(), std::back_inserter(result), condition);
  return result;
}

Labels joined(std::initializer_list<Labels> parts) {
  Labels result;
  for (const Labels& part : parts) result.insert(result.end(), part.begin(), part.end());
  return result;
}

class EinsumBuilder {
 public:
  explicit EinsumBuilder(FunctionBuilder& builder) : builder_(builder) {}

  ValueId build(const EinsumEquation& equation, std::span<const ValueId> inputs) {
    find_extents(equation, inputs);
    std::vector<Operand> operands;
    for (std::size_t i = 0; i < inputs.size(); ++i)
      operands.push_back(prepared({inputs[i], equation.operands[i]}));
    Operand product = operands[0];
    for (std::size_t i = 1; i < operands.size(); ++i) {
      Labels needed = equation.result;
      for (std::size_t later = i + 1; later < operands.size(); ++later)
        needed = joined({needed, operands[later].labels});
      product = contracted(product, operands[i], needed);
    }
    product = summed(product, those(product.labels, [&](Label l) { return !has(equation.result, l); }));
    return transposed(product, equation.result).value;
  }

 private:
  // The extent of every label: that of the operands' axes, where those of extent 1 broadcast.
  void find_extents(const EinsumEquation& equation, std::span<const ValueId> inputs) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const Shape& shape = builder_.type(inputs[i]).shape;
      for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        const auto [known, added] = extents_.try_emplace(equation.operands[i][axis], shape[axis]);
        if (added || shape[axis] == known->second || shape[axis].is_constant(1)) continue;
        if (!known->second.is_constant(1)) {
          const Dims& dims = builder_.module().module().dims;
          fail(DiagId::kShapeMismatch, "einsum", to_string(Shape{known->second}, dims),
               to_string(shape, dims));
        }
        known->second = shape[axis];
      }
    }
  }

  // The operand with one axis for each label: axes that broadcast dropped, diagonals taken.
  Operand prepared(Operand operand) {
    IntList dropped;
    Labels labels;
    const Shape& shape = builder_.type(operand.value).shape;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      const Label label = operand.labels[axis];
      if (shape[axis] == extents_.at(label))
        labels.push_back(label);
      else
        dropped.push_back(static_cast<std::int64_t>(axis));
    }
    if (!dropped.empty()) operand.value = builder_.make("squeeze", {operand.value}, {{"axes", dropped}});
    operand.labels = labels;
    for (std::size_t axis = 0; axis < operand.labels.size(); ++axis) {
      const auto first = operand.labels.begin() + static_cast<std::ptrdiff_t>(axis);
      const auto again = std::find(first + 1, operand.labels.end(), *first);
      if (again == operand.labels.end()) continue;
      operand = diagonal(operand, axis, static_cast<std::size_t>(again - operand.labels.begin()));
      axis = static_cast<std::size_t>(-1);
    }
    return operand;
  }

  // The elements that are equal in both axes, along one new axis in front.
  Operand diagonal(const Operand& operand, std::size_t a, std::size_t b) {
    IntList order{static_cast<std::int64_t>(a), static_cast<std::int64_t>(b)};
    Operand result{0, {operand.labels[a]}};
    for (std::size_t axis = 0; axis < operand.labels.size(); ++axis) {
      if (axis == a || axis == b) continue;
      order.push_back(static_cast<std::int64_t>(axis));
      result.labels.push_back(operand.labels[axis]);
    }
    const ValueId front = builder_.make("transpose", {operand.value}, {{"axes", order}});
    const ValueId index = builder_.make("iota", {}, {{"shape", Shape{extents_.at(operand.labels[a])}}});
    result.value = builder_.make("gather", {front, index, index});
    return result;
  }

  Operand summed(const Operand& operand, const Labels& labels) {
    if (labels.empty()) return operand;
    IntList axes;
    for (std::size_t axis = 0; axis < operand.labels.size(); ++axis)
      if (has(labels, operand.labels[axis])) axes.push_back(static_cast<std::int64_t>(axis));
    Attrs attrs{{"axes", std::move(axes)}};
    const DType dtype = builder_.type(operand.value).dtype;
    const bool truth = dtype == DType::kBool;
    if (!truth) attrs.push_back({"dtype", dtype});
    const ValueId sum = builder_.make(truth ? "reduce_any" : "reduce_sum", {operand.value}, std::move(attrs));
    return {sum, those(operand.labels, [&](Label l) { return !has(labels, l); })};
  }

  Operand transposed(const Operand& operand, const Labels& order) {
    if (operand.labels == order) return operand;
    IntList axes;
    for (const Label label : order)
      axes.push_back(std::find(operand.labels.begin(), operand.labels.end(), label) - operand.labels.begin());
    return {builder_.make("transpose", {operand.value}, {{"axes", axes}}), order};
  }

  // The product of the extents, if it is a dimension.
  std::optional<Dim> extent_of(const Labels& labels) const {
    std::optional<Dim> extent = Dim(1);
    for (const Label label : labels)
      if (extent) extent = multiply(*extent, extents_.at(label));
    return extent;
  }

  Operand contracted(Operand a, Operand b, const Labels& needed) {
    a = summed(a, those(a.labels, [&](Label l) { return !has(needed, l) && !has(b.labels, l); }));
    b = summed(b, those(b.labels, [&](Label l) { return !has(needed, l) && !has(a.labels, l); }));
    const Labels batch = those(a.labels, [&](Label l) { return has(b.labels, l) && has(needed, l); });
    const Labels sums = those(a.labels, [&](Label l) { return has(b.labels, l) && !has(needed, l); });
    const Labels rows = those(a.labels, [&](Label l) { return !has(b.labels, l); });
    const Labels columns = those(b.labels, [&](Label l) { return !has(a.labels, l); });
    const bool product = !sums.empty() && !(rows.empty() && columns.empty());
    if (product && extent_of(rows) && extent_of(columns) && extent_of(sums))
      return matrix_product(a, b, batch, rows, columns, sums);
    const Labels order = joined({batch, rows, columns, sums});
    const ValueId value = builder_.make("mul", {expanded(a, order), expanded(b, order)});
    return summed({value, order}, sums);
  }

  // The operand with all labels of `order`, missing ones as axes of extent 1.
  ValueId expanded(const Operand& operand, const Labels& order) {
    const Operand own = transposed(operand, those(order, [&](Label l) { return has(operand.labels, l); }));
    IntList missing;
    for (std::size_t axis = 0; axis < order.size(); ++axis)
      if (!has(operand.labels, order[axis])) missing.push_back(static_cast<std::int64_t>(axis));
    if (missing.empty()) return own.value;
    return builder_.make("expand", {own.value}, {{"axes", missing}});
  }

  // The operand as [batch..., first, second], each of the two one axis; `swapped` if it lies the other way
  // round. Without a batch an empty part is no axis: the operand is a vector.
  ValueId as_matrices(const Operand& operand, const Labels& batch, const Labels& first, const Labels& second,
                      bool& swapped) {
    swapped = first.size() == 1 && second.size() == 1 && operand.labels == joined({batch, second, first});
    if (swapped) return operand.value;
    const Operand own = transposed(operand, joined({batch, first, second}));
    Shape shape;
    for (const Label label : batch) shape.push_back(extents_.at(label));
    for (const Labels* part : {&first, &second})
      if (!batch.empty() || !part->empty()) shape.push_back(*extent_of(*part));
    if (shape == builder_.type(own.value).shape) return own.value;
    return builder_.make("reshape", {own.value}, {{"shape", shape}});
  }

  Operand matrix_product(const Operand& a, const Operand& b, const Labels& batch, const Labels& rows,
                         const Labels& columns, const Labels& sums) {
    bool a_swapped = false, b_swapped = false;
    const ValueId left = as_matrices(a, batch, rows, sums, a_swapped);
    const ValueId right = as_matrices(b, batch, sums, columns, b_swapped);
    Attrs attrs;
    if (a_swapped) attrs.push_back({"transpose_a", true});
    if (b_swapped) attrs.push_back({"transpose_b", true});
    Operand result{builder_.make("matmul", {left, right}, attrs), joined({batch, rows, columns})};
    Shape shape;
    for (const Label label : result.labels) shape.push_back(extents_.at(label));
    if (shape != builder_.type(result.value).shape)
      result.value = builder_.make("reshape", {result.value}, {{"shape", shape}});
    return result;
  }

  FunctionBuilder& builder_;
  std::map<Label, Dim> extents_;
};

ValueId expand(FunctionBuilder& builder, std::span<const ValueId> inputs, const Attrs& attrs,
               std::string name, LocId loc) {
  const std::size_t first_node = builder.function().nodes.size();
  const ValueId first_value = static_cast<ValueId>(builder.function().values.size());
  DType dtype = builder.type(inputs[0]).dtype;
  for (const ValueId input : inputs) dtype = promote(dtype, builder.type(input).dtype);
  std::vector<ValueId> operands;
  std::vector<Type> types;
  for (const ValueId input : inputs) {
    operands.push_back(builder.cast(input, dtype));
    types.push_back(builder.type(operands.back()));
  }
  const EinsumEquation equation = parse_einsum(attr<std::string>(attrs, "equation"), types);
  ValueId result = EinsumBuilder(builder).build(equation, operands);
  if (result < first_value) result = builder.make("copy", {result});
  builder.function().values[result].name = std::move(name);
  for (std::size_t node = first_node; node < builder.function().nodes.size(); ++node)
    builder.function().nodes[node].loc = loc;
  return result;
}

}  // namespace

const OpDef& op_einsum() {
  static const OpDef def{
      .name = "einsum",
      .op_class = OpClass::kOpaque,
      .min_inputs = 1,
      .max_inputs = kAnyNumber,
      .attrs = {{"equation", AttrKind::kString, true}},
      .meaning = "np.einsum; written as transposes, products and sums when built",
      .expand = expand,
  };
  return def;
}

}  // namespace cohort
