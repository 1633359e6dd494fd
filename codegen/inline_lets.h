// Which locals of a kernel are read once and can stand in the expression that reads them.
#pragma once

#include <unordered_map>
#include <vector>

#include "ir/kernel.h"

namespace cohort {

class InlineLets {
 public:
  // Counts how often the statements of a kernel read each variable.
  void count(const std::vector<kernel::Stmt>& body);
  // Whether the let at body[at] is read once, by a statement of the same list, with nothing in between that
  // could change what it reads. i64 stays named: indices are printed in more ways than one.
  bool fits(const std::vector<kernel::Stmt>& body, std::size_t at);

 private:
  void count_expr(const kernel::ExprRef& expr);
  bool reads_memory(const kernel::ExprRef& expr) const;

  std::unordered_map<kernel::VarId, int> reads_;
  std::unordered_map<kernel::VarId, bool> inlined_;  // of those that fit: whether they read buffers
  std::unordered_map<kernel::VarId, bool> mutable_;  // variables that are assigned
};

}  // namespace cohort
