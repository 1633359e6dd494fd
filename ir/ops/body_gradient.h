// The gradient of a loop's or a branch's body, split into what the forward run has computed and what the
// backward run computes.
//
// A copy of the body with its gradient behind it is one function; a value of it either depends on a
// cotangent, which only the backward run has, or not. Of the latter the backward body reads
//  - inputs of the body: sequences and other inputs are there again, carries are kept on tape;
//  - values of the body itself: on tape, unless they are views, which are taken again from what they view, or
//    sums, differences and products of what is read anyway, which are computed again;
//  - what only the gradient's rules have computed: computed in the backward run.
// With `recompute` it reads inputs only and computes the body again; effects are not repeated, so what they
// give is on tape.
#pragma once

#include <functional>

#include "ir/builder.h"

namespace cohort::ops {

struct BodyGradientOptions {
  bool recompute = false;
  // By wrt: the gradient is added to a sum that the backward run carries. Empty: none is.
  std::vector<bool> summed{};
};

class BodyGradient {
 public:
  // Differentiates the outputs for which `is_reached` by these inputs of the body (indices, ascending), which
  // are floats.
  BodyGradient(ModuleBuilder& module, const Function& body, std::span<const std::size_t> wrt,
               const std::function<bool(std::size_t)>& is_reached, BodyGradientOptions options = {});

  // The values of the body that should be on tape beside what `is_at_hand`, ascending.
  std::vector<ValueId> wants(const std::function<bool(ValueId)>& is_at_hand) const;

  // The values of the body that the backward run reads if it computes all that is not at hand, ascending.
  std::vector<ValueId> reads(const std::function<bool(ValueId)>& is_at_hand) const;

  // Emits the backward run. `at_hand` gives a value of the body in `to`, kNoId: compute it; `cotangent` that
  // of an output (kNoId: zero), `sums` by wrt what has been summed before. Gives the gradients by the order
  // of wrt; kNoId: it is zero.
  std::vector<ValueId> emit(FunctionBuilder& to, const std::function<ValueId(ValueId)>& at_hand,
                            const std::function<ValueId(std::size_t)>& cotangent,
                            std::span<const ValueId> sums = {}) const;

 private:
  // The body's value that a value of the joint function is a copy of, or kNoId.
  ValueId original(ValueId joint) const { return originals_[joint]; }
  bool is_there(ValueId original, const std::function<bool(ValueId)>& is_at_hand) const;
  bool is_computed_again(const Node& node, const std::function<bool(ValueId)>& is_at_hand) const;
  std::vector<bool> read_until(const std::function<bool(ValueId)>& stops) const;
  bool is_cheap(ValueId original, const std::vector<bool>& read) const;
  void need(ValueId joint, const std::function<bool(ValueId)>& is_at_hand, std::vector<bool>& needed) const;

  const Function& body_;
  const BodyGradientOptions options_;
  Function joint_;                   // the body, then its gradient
  std::vector<ValueId> originals_;   // by value of joint_
  std::vector<bool> backward_;       // by value of joint_: depends on a cotangent
  std::vector<ValueId> cotangents_;  // by output of the body: an input of joint_; kNoId: not reached
  std::vector<ValueId> sums_;        // by wrt: an input of joint_; kNoId: not summed
  std::vector<ValueId> gradients_;   // by wrt: a value of joint_ or kNoId
};

}  // namespace cohort::ops
