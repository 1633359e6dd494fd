// Statements of the loop IR as text.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "codegen/emit_expr.h"
#include "codegen/names.h"

namespace cohort {

class StatementPrinter {
 public:
  // `names` is the name space of one C function; `function` the graph function's name, for error records.
  StatementPrinter(const Dialect& dialect, const kernel::Program& program, ExprPrinter& exprs, Identifiers& names,
                   std::string function)
      : dialect_(dialect), program_(program), exprs_(exprs), names_(names), function_(std::move(function)) {}

  void set_function_graph(const Function& graph) { graph_ = &graph; }   // gives locals the names of their nodes
  void list(const std::vector<kernel::Stmt>& body);
  void line(std::string_view text);
  void indent() { ++depth_; }
  void dedent() { --depth_; }
  const std::string& text() const { return text_; }
  std::string take() { return std::move(text_); }

 private:
  void stmt(const kernel::Stmt& s);
  void loop(const kernel::Stmt& s);
  void vector_loop(const kernel::Stmt& s);
  void branch(const kernel::Stmt& s);
  void let(const kernel::Stmt& s);
  void mutable_local(const kernel::Stmt& s);
  void assign(const kernel::Stmt& s);
  void accumulator(const kernel::Stmt& s);
  void accumulate(const kernel::Stmt& s);
  void check(const kernel::Stmt& s);
  void print(const kernel::Stmt& s);
  void call(const kernel::Stmt& s);
  // `accumulator` and `loop` as one call of rt_reduce; false if they are not of that form.
  bool reduction(const kernel::Stmt& accumulator, const kernel::Stmt& loop);
  // Names parts of a statement that several places of its expressions share.
  void hoist_shared(const kernel::Stmt& s);

  std::string new_name(const kernel::Stmt& s, std::string_view fallback);
  std::string counter_name();
  // Type of a local of the dtype: the lanes' vector of it where it differs between lanes.
  std::string local_type(DType dtype) const;

  const Dialect& dialect_;
  const kernel::Program& program_;
  ExprPrinter& exprs_;
  Identifiers& names_;
  std::string function_;
  const Function* graph_ = nullptr;
  std::string text_;
  int depth_ = 0;
  int loops_ = 0;    // loops around the current statement
  std::unordered_map<kernel::VarId, ScalarOp> accumulators_;
};

}  // namespace cohort
