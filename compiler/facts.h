// What is known of values without running the graph: signs, constants, values that are one scalar everywhere.
#pragma once

#include <optional>
#include <vector>

#include "ir/graph.h"
#include "ir/scalar_op.h"

namespace cohort {

// Each claim includes the ones before it; NaN elements are allowed by all.
enum class Sign : std::uint8_t {
  kUnknown,
  kNonNegative,  // no element has its sign bit set: neither below 0 nor -0.0
  kPositive      // every element is above 0
};

// Facts about a function that may still grow; each value is looked at once.
class ValueFacts {
 public:
  ValueFacts(const Module& module, const Function& function) : module_(module), function_(function) {}

  Sign sign(ValueId value);
  bool is_constant(ValueId value) const { return function_.value(value).kind == ValueKind::kConstant; }
  // The scalar that every element of the value equals: a constant of equal elements, or one spread over a
  // shape.
  std::optional<Scalar> uniform_value(ValueId value) const;
  const Module& module() const { return module_; }
  const Function& function() const { return function_; }

 private:
  const Module& module_;
  const Function& function_;
  std::vector<Sign> signs_;
};

// The scalar all elements of a tensor equal, to the bit; nothing if they differ or there are none.
std::optional<Scalar> uniform_element(const Tensor& tensor);

}  // namespace cohort
