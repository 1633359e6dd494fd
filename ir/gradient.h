// What an operator's gradient rule sees and does. Reverse mode (ir/reverse.h) walks a function
// backwards; at each node that matters it calls the rule, which turns the cotangents of the node's results
// into contributions to those of its inputs. A rule emits ordinary nodes, so that passes reach gradients, and
// gradients can be differentiated again.
//
//   void gradient(GradientContext& context) {                       // reshape
//     context.add(0, context.reshaped(context.cotangent(), context.input_type(0).shape));
//   }
//
// Only floats have gradients: an input of another dtype is never wanted, a result of another dtype has no
// cotangent. Rules are linear in the cotangents.
#pragma once

#include <functional>

#include "ir/cotangent_parts.h"
#include "ir/symbol.h"

namespace cohort {

class GradientContext {
 public:
  // `inputs` and `results` are the node's in the function being built; a cotangent that is kNoId is zero.
  GradientContext(FunctionBuilder& to, const Node& node, std::vector<ValueId> inputs,
                  std::vector<ValueId> results, std::vector<ValueId> cotangents, std::vector<bool> wanted)
      : to_(to),
        node_(node),
        inputs_(std::move(inputs)),
        results_(std::move(results)),
        cotangents_(std::move(cotangents)),
        wanted_(std::move(wanted)),
        contributions_(inputs_.size()),
        parts_(inputs_.size()) {}

  const Node& node() const { return node_; }
  const Attrs& attrs() const { return node_.attrs; }
  FunctionBuilder& to() { return to_; }
  const Dims& dims() const { return to_.module().module().dims; }

  int input_count() const { return static_cast<int>(inputs_.size()); }
  Symbol input(int i = 0) { return {&to_, inputs_[static_cast<std::size_t>(i)]}; }
  Symbol result(int i = 0) { return {&to_, results_[static_cast<std::size_t>(i)]}; }
  // By value: emitting nodes moves the types of all.
  Type input_type(int i = 0) const { return to_.type(inputs_[static_cast<std::size_t>(i)]); }
  Type result_type(int i = 0) const { return to_.type(results_[static_cast<std::size_t>(i)]); }
  // Whether input i needs its gradient; what is added for others is dropped.
  bool wants(int i) const { return wanted_[static_cast<std::size_t>(i)]; }
  bool has_cotangent(int i) const { return cotangents_[static_cast<std::size_t>(i)] != kNoId; }
  // Zeros if nothing reaches the result.
  Symbol cotangent(int i = 0);

  // Adds to the gradient of input i: of its dtype, and of its shape or one that it broadcast to, over which
  // it is then summed.
  void add(int i, const Symbol& contribution);
  // The same for a contribution that is zero but along a run of one axis, with constant ends.
  void add_part(int i, const CotangentPart& part);

  // Short ways to write nodes.
  Symbol emit(std::string_view op, std::initializer_list<Symbol> inputs, Attrs attrs = {});
  Symbol emit(std::string_view op, std::span<const Symbol> inputs, Attrs attrs = {});
  Symbol zeros(const Type& type);
  Symbol reshaped(const Symbol& x, const Shape& shape);
  Symbol broadcasted(const Symbol& x, const Shape& shape);
  // Sums x over the axes along which `shape` was broadcast to x's own.
  Symbol summed_to(const Symbol& x, const Shape& shape);
  // A cotangent of a reduction over `axes` with those axes back, of extent 1.
  Symbol with_axes(const Symbol& x, const Shape& unreduced, std::span<const int> axes);
  [[noreturn]] void undefined(int input);

  const std::vector<std::vector<Symbol>>& contributions() const { return contributions_; }
  const std::vector<std::vector<CotangentPart>>& parts() const { return parts_; }

 private:
  FunctionBuilder& to_;
  const Node& node_;
  std::vector<ValueId> inputs_, results_, cotangents_;
  std::vector<bool> wanted_;
  std::vector<std::vector<Symbol>> contributions_;  // by input
  std::vector<std::vector<CotangentPart>> parts_;
};

// The rule of scalar operators: the rows' formulas.
void scalar_gradient(GradientContext& context);

}  // namespace cohort
