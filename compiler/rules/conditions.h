// What a rule may ask for behind `where`.
#pragma once

#include <string_view>

#include "compiler/facts.h"
#include "compiler/rules/rule.h"
#include "ir/scalar_op.h"

namespace cohort {

// One claim. Members that are null hold always.
struct ConditionKind {
  std::string_view name;
  bool (*dtype)(DType dtype) = nullptr;                        // of the variable's dtype
  bool (*dtypes)(DType dtype, DType attr) = nullptr;           // of it and the dtype attribute
  bool (*proven)(ValueFacts& facts, ValueId value) = nullptr;  // known of the value when compiling
  bool (*sample)(Scalar element) = nullptr;  // what `proven` claims of each element; provers sample by it
};
const ConditionKind* find_condition(std::string_view name);

}  // namespace cohort
