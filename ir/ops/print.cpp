// print: x, and a line to the caller's print hook.
#include "ir/ops/print.h"

#include <fmt/format.h>

#include "ir/ops/elements.h"
#include "ir/ops/gradients.h"
#include "ir/ops/list.h"
#include "ir/ops/loop_support.h"

namespace cohort {

using namespace kernel;

namespace {

constexpr std::int64_t kMostElements = 8, kEndElements = 3;

std::string element_text(const Tensor& tensor, std::int64_t index) {
  const DType dtype = tensor.dtype();
  if (dtype == DType::kBool) return element_as_int(tensor, index) != 0 ? "true" : "false";
  if (dtype == DType::kU64)
    return fmt::format("{}", static_cast<std::uint64_t>(element_as_int(tensor, index)));
  if (is_integer(dtype)) return fmt::format("{}", element_as_int(tensor, index));
  const double value = element_as_double(tensor, index);
  if (std::isnan(value)) return "nan";
  return dtype == DType::kF64 ? fmt::format("{}", value) : fmt::format("{}", static_cast<float>(value));
}

void append_axis(std::string& text, const Tensor& tensor, std::size_t axis, std::int64_t first,
                 std::int64_t count) {
  if (axis == tensor.extents().size()) {
    text += element_text(tensor, first);
    return;
  }
  const std::int64_t extent = tensor.extents()[axis];
  text += '[';
  for (std::int64_t i = 0; i < extent; ++i) {
    if (i > 0) text += ", ";
    if (extent > kMostElements && i == kEndElements) {
      text += "..., ";
      i = extent - kEndElements;
    }
    append_axis(text, tensor, axis + 1, first + i * (count / extent), count / extent);
  }
  text += ']';
}

void evaluate(EvalContext& context) {
  context.results[0] = context.inputs[0];
  if (context.printed)
    *context.printed += printed_line(attr_or<std::string>(context.attrs, "message", ""), context.inputs[0]);
}

void loops(LoopContext& context) {
  Stmt stmt;
  stmt.kind = StmtKind::kPrint;
  stmt.buffer = context.input_buffer(0);
  stmt.text = attr_or<std::string>(context.attrs(), "message", "");
  context.append(std::move(stmt));
  context.for_each(context.result_type().shape,
                   [&](const IndexExprs& index) { context.store(0, index, context.load(0, index)); });
}

}  // namespace

std::string printed_line(std::string_view message, const Tensor& tensor) {
  std::string line(message);
  if (!line.empty()) line += ": ";
  line += to_string(Type{tensor.dtype(), Shape(tensor.extents().begin(), tensor.extents().end())}, {});
  line += ' ';
  append_axis(line, tensor, 0, 0, tensor.size());
  line += '\n';
  return line;
}

const OpDef& op_print() {
  static const OpDef def{
      .name = "print",
      .op_class = OpClass::kOpaque,
      .attrs = {{"message", AttrKind::kString, false, std::string()}},
      .meaning = "x; writes it to the caller's print hook",
      .infer = [](const InferContext& context) -> std::vector<Type> { return {context.inputs[0]}; },
      .evaluate = evaluate,
      .loops = loops,
      .gradient = ops::pass_cotangent,
  };
  return def;
}

}  // namespace cohort
