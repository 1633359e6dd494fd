// The walk that most passes are made of: every node is offered, over operands that are already rewritten, to
// a function that either says what stands for it or leaves it. What it emits is offered to it again, so one
// walk reaches a normal form as long as the function moves towards one.
#pragma once

#include <functional>
#include <span>

#include "ir/rewriter.h"

namespace cohort {

// A node that may not have been emitted; its inputs are values of the new function.
struct NodeView {
  const OpDef* op = nullptr;
  std::span<const ValueId> inputs{};
  const Attrs& attrs;
};

class Emitter;
// Values of the new function for all results of the node; empty: emit it as it is.
using RewriteNode = std::function<std::vector<ValueId>(Emitter&, const NodeView&)>;

class Emitter {
 public:
  Emitter(ModuleBuilder& module, const Function& from, RewriteNode rewrite);
  // Walks the function.
  Function run();

  // For the rewriting function. Emits a node, rewritten in its turn, at the source position of the node at
  // hand, and gives its first result.
  ValueId emit(const OpDef& op, std::span<const ValueId> inputs, Attrs attrs = {});
  ValueId emit(std::string_view op, std::span<const ValueId> inputs, Attrs attrs = {});
  ValueId emit(std::string_view op, std::initializer_list<ValueId> inputs, Attrs attrs = {});
  // Brings `value` to `shape` by a broadcast if it has another.
  ValueId fit(ValueId value, const Shape& shape);
  ValueId reshape(ValueId value, const Shape& shape);

  FunctionBuilder& to() { return rewriter_.to(); }
  const Function& function() { return rewriter_.to().function(); }
  const Module& module() const { return module_.module(); }
  const Dims& dims() const { return module_.module().dims; }
  const Type& type(ValueId value) { return function().type(value); }
  const Shape& shape(ValueId value) { return function().type(value).shape; }
  // The types the node's results would have.
  std::vector<Type> infer(const NodeView& node);
  Shape result_shape(const NodeView& node) { return infer(node).front().shape; }
  // The node of operator `op` whose only result `value` is; null if something else makes it. The pointer
  // holds until the next node is emitted.
  const Node* made_by(ValueId value, std::string_view op);
  // The node of the old function that is being rewritten; null for what a rewrite emits.
  const Node* source() const { return depth_ == 1 ? source_ : nullptr; }
  // The elements of a constant; null if it is none.
  const Tensor* constant(ValueId value);

 private:
  std::vector<ValueId> rewrite(const NodeView& node);

  ModuleBuilder& module_;
  Rewriter rewriter_;
  RewriteNode rewrite_;
  const Node* source_ = nullptr;
  LocId loc_ = 0;
  int depth_ = 0;
};

}  // namespace cohort
