// vmap: a function over all elements along axis 0 of some inputs; the outputs are stacked.
//
//   %ys = vmap(%xs, %w) {batched = ["x"]} function = f       ys[i] = f(xs[i], w)
#include <algorithm>

#include "ir/ops/applied.h"
#include "ir/ops/list.h"
#include "ir/ops/scan.h"

namespace cohort {

using namespace ops;

namespace {

std::vector<Type> infer(const InferContext& context) {
  const Function& function = applied_function(context);
  const Strings& batched = attr<Strings>(context.attrs, "batched");
  std::vector<Type> expected = types_of(function, function.inputs);
  std::optional<Dim> count;
  std::size_t found = 0;
  for (std::size_t i = 0; i < expected.size() && i < context.inputs.size(); ++i) {
    if (std::find(batched.begin(), batched.end(), function.value(function.inputs[i]).name) == batched.end())
      continue;
    ++found;
    if (context.inputs[i].rank() == 0) wrong_shape(context, i, "has no axis of elements");
    if (!count) count = context.inputs[i].shape[0];
    expected[i] = stacked_type(expected[i], *count);
  }
  if (batched.empty() || found != batched.size())
    wrong_attribute(context, "batched", "does not name inputs of `" + function.name + "`");
  check_types(context, expected);
  std::vector<Type> types;
  for (const Type& type : output_types(function)) types.push_back(stacked_type(type, *count));
  return types;
}

}  // namespace

const OpDef& op_vmap() {
  static const OpDef def = [] {
    OpDef made =
        applied_op("vmap", "a function over the elements along axis 0 of the inputs `batched`", false);
    made.attrs = {{"batched", AttrKind::kStrings, true}};
    made.infer = infer;
    return made;
  }();
  return def;
}

}  // namespace cohort
