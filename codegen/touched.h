// What statements of a kernel touch: the parameters of the function they are printed in.
#pragma once

#include <set>
#include <vector>

#include "ir/kernel.h"

namespace cohort {

struct Touched {
  std::vector<kernel::BufferId> buffers;  // in order of appearance
  std::set<kernel::BufferId> written;
  std::set<DimId> dims;
  std::vector<kernel::ExprRef> variables;  // read, but not defined here; in order of appearance
  bool fails = false;
  bool prints = false;
  bool shares = false;  // has loops that threads may share

  void stmts(const kernel::Program& program, const std::vector<kernel::Stmt>& body);

 private:
  void buffer(kernel::BufferId id);
  void dim(const Dim& d);
  void expr(const kernel::ExprRef& e);

  std::set<kernel::BufferId> seen_;
  std::set<kernel::VarId> defined_;  // or met
  std::set<const kernel::Expr*> visited_;
};

}  // namespace cohort
