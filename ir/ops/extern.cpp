// extern(x, ...) {function, types, library?}: a C function of the user's on whole arrays (extern_call.h). It
// runs on the CPU, must depend on its operands alone, and has no gradient. A status other than 0 is an error
// of the call. The interpreter needs a shared `library` that has it.
#include <algorithm>

#include "ir/ops/extern_call.h"
#include "ir/ops/list.h"
#include "ir/ops/loop_support.h"
#include "ir/ops/support.h"

namespace cohort {

using namespace kernel;

namespace {

std::string function_of(const Attrs& attrs) { return attr<std::string>(attrs, "function"); }

bool is_c_name(const std::string& name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && is_letter(name[0]) && std::all_of(name.begin(), name.end(), [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9');
  });
}

std::vector<Type> infer(const InferContext& context) {
  const std::string function = function_of(context.attrs);
  if (!is_c_name(function))
    ops::wrong_attribute(context, "function", fmt::format("is `{}`, which is no name of C", function));
  std::vector<Type> types;
  for (const std::string& text : attr<Strings>(context.attrs, "types")) {
    std::optional<Type> type = parse_type(text, context.dims);
    if (!type) ops::wrong_attribute(context, "types", fmt::format("has `{}`, which is no type", text));
    types.push_back(*std::move(type));
  }
  if (types.empty()) ops::wrong_attribute(context, "types", "names no result");
  std::size_t words = 0;
  for (const Type& type : types) words += 1 + type.shape.size();
  for (const Type& type : context.inputs) words += 1 + type.shape.size();
  if (words > ops::kMostExternWords)
    ops::wrong_attribute(context, "types",
                         fmt::format("and the operands make {} arguments, which are more than {}", words,
                                     ops::kMostExternWords));
  return types;
}

ops::ExternCall call_of(const Attrs& attrs) {
  return {function_of(attrs), attr_or<std::string>(attrs, "library", "")};
}

void evaluate(EvalContext& context) {
  std::vector<std::int64_t> extents;
  for (const Tensor& result : context.results)
    extents.insert(extents.end(), result.extents().begin(), result.extents().end());
  for (const Tensor& input : context.inputs)
    extents.insert(extents.end(), input.extents().begin(), input.extents().end());
  const ops::ExternCall call = call_of(context.attrs);
  const std::int32_t status = ops::run_extern(call, context.results, context.inputs, extents);
  if (status != 0) fail(DiagId::kExternStatus, call.function, status);
}

// The status is the first result of the call.
void loops(LoopContext& context) {
  const ops::ExternCall call = call_of(context.attrs());
  std::vector<BufferId> outputs{context.temporary({DType::kI32, {}}, call.function + " status")}, inputs;
  std::vector<ExprRef> extents;
  for (std::uint32_t r = 0; r < context.node().result_count; ++r) {
    outputs.push_back(context.result_buffer(static_cast<int>(r)));
    for (const Dim& dim : context.result_type(static_cast<int>(r)).shape) extents.push_back(extent(dim));
  }
  for (int i = 0; i < context.input_count(); ++i) {
    inputs.push_back(context.input_buffer(i));
    for (const Dim& dim : context.input_type(i).shape) extents.push_back(extent(dim));
  }
  const BufferId status = outputs.front();
  context.call(ops::extern_call_text(call.function, call.library), std::move(outputs), std::move(inputs),
               std::move(extents));
  const ExprRef zero = constant(make_scalar_int(DType::kI32, 0));
  append_assert(context, op(ScalarOp::k_eq, {load(status, DType::kI32, {}), zero}, DType::kBool),
                fmt::format("`{}` gave a status other than 0", call.function));
}

}  // namespace

const OpDef& op_extern() {
  static const OpDef def{
      .name = "extern",
      .op_class = OpClass::kOpaque,
      .min_inputs = 0,
      .max_inputs = kAnyNumber,
      .attrs = {{"function", AttrKind::kString, true},
                {"library", AttrKind::kString, false, std::string()},
                {"types", AttrKind::kStrings, true}},
      .meaning = "a C function of the user's on whole arrays, on the CPU",
      .infer = infer,
      .evaluate = evaluate,
      .loops = loops,
      .attrs_in_node = true,
  };
  return def;
}

}  // namespace cohort
