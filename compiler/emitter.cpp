#include "compiler/emitter.h"

#include "ir/diagnostics.h"
#include "ir/op_def.h"

namespace cohort {

namespace {
// Rewrites shrink what they match or move towards a normal form; the bound only guards against one that does
// not.
constexpr int kMaxDepth = 32;
}  // namespace

Emitter::Emitter(ModuleBuilder& module, const Function& from, RewriteNode rewrite)
    : module_(module), rewriter_(module, from), rewrite_(std::move(rewrite)) {}

Function Emitter::run() {
  std::vector<ValueId> inputs;
  for (const Node& node : rewriter_.from().nodes) {
    if (!node.regions.empty()) {
      rewriter_.copy(node);
      continue;
    }
    inputs.clear();
    for (const ValueId input : node.inputs) inputs.push_back(rewriter_(input));
    source_ = &node;
    loc_ = node.loc;
    const std::vector<ValueId> values = rewrite({node.op, inputs, node.attrs});
    if (values.empty()) {
      rewriter_.copy(node);
      continue;
    }
    require(values.size() == node.result_count, "a rewrite gives all results of the node");
    for (std::uint32_t r = 0; r < node.result_count; ++r) rewriter_.map(node.first_result + r, values[r]);
  }
  return rewriter_.finish();
}

std::vector<ValueId> Emitter::rewrite(const NodeView& node) {
  if (depth_ >= kMaxDepth) return {};
  ++depth_;
  std::vector<ValueId> values = rewrite_(*this, node);
  --depth_;
  return values;
}

ValueId Emitter::emit(const OpDef& op, std::span<const ValueId> inputs, Attrs attrs) {
  const std::vector<ValueId> values = rewrite({&op, inputs, attrs});
  return values.empty() ? rewriter_.to().node(op, inputs, std::move(attrs), {}, loc_) : values.front();
}

ValueId Emitter::emit(std::string_view op, std::span<const ValueId> inputs, Attrs attrs) {
  const OpDef* def = find_op(op);
  require(def != nullptr, "a pass emits operators that exist");
  return emit(*def, inputs, std::move(attrs));
}

ValueId Emitter::emit(std::string_view op, std::initializer_list<ValueId> inputs, Attrs attrs) {
  return emit(op, std::span(inputs.begin(), inputs.size()), std::move(attrs));
}

ValueId Emitter::fit(ValueId value, const Shape& wanted) {
  return shape(value) == wanted ? value : emit("broadcast", {value}, {{"shape", wanted}});
}

ValueId Emitter::reshape(ValueId value, const Shape& wanted) {
  return shape(value) == wanted ? value : emit("reshape", {value}, {{"shape", wanted}});
}

std::vector<Type> Emitter::infer(const NodeView& node) {
  std::vector<Type> types;
  types.reserve(node.inputs.size());
  for (const ValueId input : node.inputs) types.push_back(type(input));
  return node.op->infer({*node.op, types, node.attrs, dims()});
}

const Node* Emitter::made_by(ValueId value, std::string_view op) {
  const Value& v = function().value(value);
  if (v.kind != ValueKind::kNode) return nullptr;
  const Node& node = function().node(v.index);
  return node.result_count == 1 && node.op->name == op ? &node : nullptr;
}

const Tensor* Emitter::constant(ValueId value) {
  const Value& v = function().value(value);
  return v.kind == ValueKind::kConstant ? &module().constants[v.index].data : nullptr;
}

}  // namespace cohort
