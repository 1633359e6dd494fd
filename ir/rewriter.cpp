#include "ir/rewriter.h"

#include "ir/diagnostics.h"

namespace cohort {

Rewriter::Rewriter(ModuleBuilder& module, const Function& from)
    : from_(from), to_(module, from.name), map_(from.values.size(), kNoId) {
  for (const ValueId input : from.inputs) map_[input] = to_.input(from.value(input).name, from.type(input));
}

ValueId Rewriter::operator()(ValueId old) {
  if (map_[old] != kNoId) return map_[old];
  const Value& value = from_.value(old);
  if (value.kind == ValueKind::kState) return map_[old] = to_.state(value.index);
  if (value.kind == ValueKind::kConstant) {
    map(old, to_.constant(value.index));
    return map_[old];
  }
  internal_error("the value " + display_name(from_, old) + " of `" + from_.name +
                 "` is read before it is emitted");
}

void Rewriter::map(ValueId old, ValueId now) {
  map_[old] = now;
  // A name the user gave survives on whatever computes or holds the value now; literals have none.
  Value& value = to_.function().values[now];
  const bool takes_name =
      value.kind == ValueKind::kNode || (value.kind == ValueKind::kConstant && value.type.rank() > 0);
  if (value.name.empty() && takes_name) value.name = from_.value(old).name;
}

void Rewriter::copy(const Node& node) {
  std::vector<ValueId> inputs;
  inputs.reserve(node.inputs.size());
  for (const ValueId input : node.inputs) inputs.push_back((*this)(input));
  const ValueId first = to_.node(*node.op, inputs, node.attrs, {}, node.loc, node.regions);
  for (std::uint32_t r = 0; r < node.result_count; ++r) map(node.first_result + r, first + r);
}

Function Rewriter::finish() {
  for (const Output& output : from_.outputs) to_.output(output.name, (*this)(output.value));
  for (const Update& update : from_.updates) to_.update(update.state, (*this)(update.value));
  return to_.finish();
}

}  // namespace cohort
