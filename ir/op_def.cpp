// The registry of operators, and what all scalar rows share: typing by broadcasting, evaluation over arrays.
#include "ir/op_def.h"

#include <algorithm>
#include <unordered_map>

#include "ir/diagnostics.h"
#include "ir/gradient.h"
#include "ir/lowering.h"
#include "ir/ops/list.h"

namespace cohort {

namespace {

// nextafter of a half would be taken in f32 and round back to where it began.
bool takes_halves(ScalarOp op) { return op != ScalarOp::k_nextafter; }

void check_operand(const InferContext& context, int i) {
  const ScalarOp op = context.op.scalar;
  const Operands operands = scalar_op_info(op).operands;
  const DType dtype = context.inputs[static_cast<std::size_t>(i)].dtype;
  const bool condition = operands == Operands::kSelect && i == 0;
  const bool fits = condition ? dtype == DType::kBool
                              : accepts(operands, dtype) && dtype == context.inputs.back().dtype &&
                                    (takes_halves(op) || dtype_bytes(dtype) > 2);
  if (!fits) fail(DiagId::kWrongDType, context.op.name, dtype_name(dtype), i);
}

std::vector<Type> infer_scalar(const InferContext& context) {
  Shape shape;
  for (std::size_t i = 0; i < context.inputs.size(); ++i) {
    check_operand(context, static_cast<int>(i));
    const Shape& other = context.inputs[i].shape;
    std::optional<Shape> both = broadcast(shape, other);
    if (!both) {
      fail(DiagId::kShapeMismatch, context.op.name, to_string(shape, context.dims),
           to_string(other, context.dims));
    }
    shape = std::move(*both);
  }
  switch (scalar_op_info(context.op.scalar).result) {
    case Result::kBool:
      return {{DType::kBool, shape}};
    case Result::kAttr:
      return {{attr<DType>(context.attrs, "dtype"), shape}};
    case Result::kSame:
      break;
  }
  return {{context.inputs.back().dtype, shape}};
}

// One axis of the iteration over a result: its extent and how far each operand moves along it, in elements.
struct Axis {
  std::int64_t extent = 1;
  std::vector<std::int64_t> strides;
};

// The axes of a result, outermost first; those along which all operands run on without a gap are one.
std::vector<Axis> merged_axes(const Extents& extents, std::span<const Tensor> inputs) {
  std::vector<Axis> axes;  // innermost first
  std::vector<std::int64_t> sizes(inputs.size(), 1);
  for (std::size_t from_last = 0; from_last < extents.size(); ++from_last) {
    Axis axis{extents[extents.size() - 1 - from_last], {}};
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      const Extents& own = inputs[k].extents();
      const std::int64_t extent = from_last < own.size() ? own[own.size() - 1 - from_last] : 1;
      axis.strides.push_back(extent == 1 ? 0 : sizes[k]);
      sizes[k] *= extent;
    }
    if (axis.extent == 1) continue;
    const bool runs_on =
        !axes.empty() &&
        std::equal(axis.strides.begin(), axis.strides.end(), axes.back().strides.begin(),
                   [&](auto outer, auto inner) { return outer == inner * axes.back().extent; });
    if (runs_on)
      axes.back().extent *= axis.extent;
    else
      axes.push_back(std::move(axis));
  }
  std::reverse(axes.begin(), axes.end());
  return axes;
}

struct ScalarLoops {
  ScalarOp op;
  DType dtype;
  DType target;
  std::vector<std::int64_t> element_bytes;  // of each operand
  std::int64_t result_bytes;
  std::vector<Axis> axes;

  // Everything from axis `depth` inwards; returns where the next element of the result goes.
  std::byte* run(std::size_t depth, const std::vector<const void*>& operands, std::byte* out) const {
    if (depth + 1 < axes.size()) {
      std::vector<const void*> at = operands;
      for (std::int64_t i = 0; i < axes[depth].extent; ++i) {
        for (std::size_t k = 0; k < at.size(); ++k) {
          at[k] = static_cast<const std::byte*>(operands[k]) + i * axes[depth].strides[k] * element_bytes[k];
        }
        out = run(depth + 1, at, out);
      }
      return out;
    }
    const std::vector<std::int64_t> none(operands.size(), 0);
    const std::int64_t count = axes.empty() ? 1 : axes[depth].extent;
    evaluate_array(op, dtype, target, count, operands, axes.empty() ? none : axes[depth].strides, out);
    return out + count * result_bytes;
  }
};

void evaluate_scalar_node(EvalContext& context) {
  Tensor& result = context.results[0];
  if (result.size() == 0) return;
  ScalarLoops loops{context.op.scalar,
                    context.inputs.back().dtype(),
                    result.dtype(),
                    {},
                    dtype_bytes(result.dtype()),
                    merged_axes(result.extents(), context.inputs)};
  std::vector<const void*> operands;
  for (const Tensor& input : context.inputs) {
    operands.push_back(input.data());
    loops.element_bytes.push_back(dtype_bytes(input.dtype()));
  }
  loops.run(0, operands, result.mutable_data());
}

// One element: the operator on the operands' elements at the same place, broadcasting.
kernel::ExprRef scalar_element(ElementContext& context) {
  std::vector<kernel::ExprRef> operands;
  for (int i = 0; i < context.input_count(); ++i)
    operands.push_back(context.load_broadcast(i, context.index));
  return kernel::op(context.node().op->scalar, std::move(operands), context.result_type().dtype);
}

std::vector<OpDef> make_scalar_ops() {
  std::vector<OpDef> defs;
  defs.reserve(kScalarOpCount);
  for (int i = 1; i <= kScalarOpCount; ++i) {
    const ScalarOp op = static_cast<ScalarOp>(i);
    const ScalarOpInfo& info = scalar_op_info(op);
    OpDef def;
    def.name = info.name;
    def.min_inputs = def.max_inputs = info.arity;
    if (info.result == Result::kAttr) def.attrs = {{"dtype", AttrKind::kDType, true}};
    def.meaning = info.meaning;
    def.scalar = op;
    def.infer = infer_scalar;
    def.evaluate = evaluate_scalar_node;
    def.element = scalar_element;
    def.gradient = scalar_gradient;
    defs.push_back(std::move(def));
  }
  return defs;
}

const std::vector<OpDef>& scalar_ops() {
  static const std::vector<OpDef> defs = make_scalar_ops();
  return defs;
}

std::vector<const OpDef*> list_ops() {
  std::vector<const OpDef*> ops;
  for (const OpDef& def : scalar_ops()) ops.push_back(&def);
#define STRUCTURED(name) ops.push_back(&op_##name());
#include "ir/ops/list.def"
  return ops;
}

std::unordered_map<std::string_view, const OpDef*> index_ops() {
  std::unordered_map<std::string_view, const OpDef*> index;
  for (const OpDef* def : all_ops()) {
    require(index.emplace(def->name, def).second, "two operators have one name");
  }
  return index;
}

}  // namespace

std::span<const OpDef* const> all_ops() {
  static const std::vector<const OpDef*> ops = list_ops();
  return ops;
}

const OpDef* find_op(std::string_view name) {
  static const std::unordered_map<std::string_view, const OpDef*> index = index_ops();
  const auto found = index.find(name);
  return found == index.end() ? nullptr : found->second;
}

const OpDef* scalar_op_def(ScalarOp op) {
  require(op != ScalarOp::kNone, "scalar_op_def of no operator");
  return &scalar_ops()[static_cast<std::size_t>(op) - 1];
}

void no_gradient(GradientContext&) {}

int normalized_axis(const InferContext& context, std::int64_t axis, int rank) {
  if (axis < -rank || axis >= rank) fail(DiagId::kAxisOutOfRange, context.op.name, axis, rank);
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

std::vector<int> normalized_axes(const Attrs& attrs, std::string_view name, int rank) {
  std::vector<int> axes;
  if (const Attr* given = find_attr(attrs, name)) {
    for (const std::optional<std::int64_t>& axis : std::get<IntList>(*given)) {
      require(axis && *axis >= -rank && *axis < rank, "an axis that infer accepted is out of range");
      axes.push_back(static_cast<int>(*axis < 0 ? *axis + rank : *axis));
    }
    std::sort(axes.begin(), axes.end());
  } else {
    for (int axis = 0; axis < rank; ++axis) axes.push_back(axis);
  }
  return axes;
}

}  // namespace cohort
