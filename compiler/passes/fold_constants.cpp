// fold_constants: computes with the interpreter what depends on constants alone.
//
//   %a = log(5.0)                     output y = mul(%x, 1.6094379124341003)
//   output y = mul(%x, %a)    =>
//
// Folding must not turn a short description into a long one: `broadcast`, `full`, `iota`, `eye` and `tri` of
// constants cost nothing where they stand and would become weights, so they stay; what is computed from small
// ones is folded. A result may have at most as many elements as the constants it comes from, or kSmall. The
// work is bounded too. What would report an error stays and reports it when it runs.
#include <algorithm>
#include <optional>

#include "compiler/effects.h"
#include "compiler/pass.h"
#include "ir/diagnostics.h"
#include "ir/interpreter.h"
#include "ir/op_def.h"
#include "ir/rewriter.h"

namespace cohort::passes {

namespace {

constexpr std::int64_t kSmall = 64;  // elements
constexpr std::int64_t kMostWork =
    1 << 22;  // elements of operands times elements of the result, for reductions

// Describes many elements by few: no operands, or one scalar spread out.
bool is_description(const Node& node) {
  return node.op->op_class == OpClass::kIndexMap &&
         (node.inputs.empty() || node.op->name == "broadcast" || node.op->name == "full");
}

class Folder {
 public:
  Folder(ModuleBuilder& module, const Function& function)
      : module_(module), function_(function), rewriter_(module, function), known_(function.values.size()) {}

  Function run() {
    for (const Node& node : function_.nodes) {
      if (!fold(node)) rewriter_.copy(node);
    }
    return rewriter_.finish();
  }

 private:
  // The value of an operand where it is known; nothing otherwise.
  const Tensor* known(ValueId id) {
    const Value& value = function_.value(id);
    if (value.kind == ValueKind::kConstant) return &module_.module().constants[value.index].data;
    return known_[id] ? &*known_[id] : nullptr;
  }

  bool worthwhile(const Node& node, std::span<const Tensor> inputs) const {
    std::int64_t read = 0, made = 0;
    for (const Tensor& input : inputs) read += input.size();
    for (const NamedAttr& attribute : node.attrs) {  // `size` of a named dim is a scalar, but no constant
      const Shape* shape = std::get_if<Shape>(&attribute.value);
      if (shape && !is_constant(*shape)) return false;
    }
    for (std::uint32_t r = 0; r < node.result_count; ++r) {
      const Shape& shape = function_.type(node.first_result + r).shape;
      if (!is_constant(shape)) return false;
      made += max_element_count(shape, {});
    }
    const bool loops = node.op->op_class == OpClass::kReduction || node.op->op_class == OpClass::kOpaque;
    return made <= std::max(read, kSmall) && made <= kMostWork &&
           (!loops || read * std::max<std::int64_t>(made, 1) <= kMostWork);
  }

  // Evaluates the node if all it reads is known and emits its results as constants, but for descriptions,
  // whose small values are only remembered. Says whether the node is dealt with.
  bool fold(const Node& node) {
    if (has_effect(node) || !node.regions.empty()) return false;
    std::vector<Tensor> inputs;
    for (const ValueId input : node.inputs) {
      const Tensor* tensor = known(input);
      if (!tensor) return false;
      inputs.push_back(*tensor);
    }
    if (!worthwhile(node, inputs)) return false;
    std::vector<Tensor> results;
    try {
      results = evaluate_node(module_.module(), function_, node, inputs, {});
    } catch (const UserError&) {
      return false;
    }
    const bool described = is_description(node) && results.front().rank() > 0;
    for (std::uint32_t r = 0; r < node.result_count; ++r) {
      const ValueId old = node.first_result + r;
      if (!described) rewriter_.map(old, emit(results[r]));
      known_[old] = std::move(results[r]);
    }
    return !described;
  }

  ValueId emit(const Tensor& value) {
    const ConstantId id = value.rank() == 0 ? module_.literal(value) : module_.add_constant({}, value);
    return rewriter_.to().constant(id);
  }

  ModuleBuilder& module_;
  const Function& function_;
  Rewriter rewriter_;
  std::vector<std::optional<Tensor>> known_;  // by old value: results that are known but for constants
};

}  // namespace

Function fold_constants(ModuleBuilder& module, const Function& function, const PassOptions&) {
  return Folder(module, function).run();
}

}  // namespace cohort::passes
