// Statements of the loop IR as text.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "codegen/emit_expr.h"
#include "codegen/emit_kernel.h"
#include "codegen/inline_lets.h"
#include "codegen/names.h"

namespace cohort {

// The C function around the statements, as far as further functions are made from it.
struct KernelFunction {
  std::string name;
  std::function<std::string(kernel::BufferId)> pointer;  // a buffer as a parameter: "float* __restrict y"
  Identifiers& file_names;
  std::vector<DeviceCheck>* checks = nullptr;  // on the GPU: where rows for the table go
  std::size_t launch = 0;                      // and the number of its first check
};

class StatementPrinter {
 public:
  // `names` is the name space of one C function; `function` the graph function's name, for error records.
  StatementPrinter(const Dialect& dialect, const kernel::Program& program, ExprPrinter& exprs,
                   Identifiers& names, std::string function, const KernelFunction& kernel)
      : dialect_(dialect),
        program_(program),
        exprs_(exprs),
        names_(names),
        function_(std::move(function)),
        kernel_(kernel) {}

  // All statements of a kernel.
  void kernel(const std::vector<kernel::Stmt>& body) {
    lets_.count(body);
    if (dialect_.threads) find_team_sums(body, nullptr);
    list(body);
  }
  void line(std::string_view text);
  void indent() { ++depth_; }
  void dedent() { --depth_; }
  const std::string& text() const { return text_; }
  const std::string& functions() const { return functions_; }  // what the text calls; to stand before it

 private:
  void list(const std::vector<kernel::Stmt>& body) { list(body, body.size()); }
  void list(const std::vector<kernel::Stmt>& body, std::size_t count);  // the first `count`
  // Leaves the let to the expression that reads it; false if it needs a name.
  bool inline_let(const std::vector<kernel::Stmt>& body, std::size_t at);
  void stmt(const kernel::Stmt& s);
  // From `first` on, and before `end`.
  void loop(const kernel::Stmt& s, const std::string& first, const std::string& end);
  void vector_loop(const kernel::Stmt& s, const std::string& first, const std::string& end);
  void shared_loop(const kernel::Stmt& s);
  void range_body(const kernel::Stmt& s);
  void fetch_ahead(const kernel::Stmt& loop);  // see fetch_ahead.h
  // Note [threads] in ir/kernel.h.
  void thread_loop(const kernel::Stmt& s);
  void tiles(const kernel::Stmt& s);
  std::string product_text(const kernel::Stmt& s) const;
  void barrier();
  // Whether all teams of a block run a statement and one of them stores.
  bool is_first_teams() const {
    return around_ == kernel::LoopMode::kLane && beyond_ == kernel::LoopMode::kBlock;
  }
  void find_team_sums(const std::vector<kernel::Stmt>& body, const kernel::Stmt* lanes);
  void branch(const kernel::Stmt& s);
  void let(const kernel::Stmt& s);
  void mutable_local(const kernel::Stmt& s);
  void assign(const kernel::Stmt& s);
  void accumulator(const kernel::Stmt& s);
  void accumulate(const kernel::Stmt& s);
  void check(const kernel::Stmt& s);
  void device_check(const kernel::Stmt& s);  // a check or an assert on the GPU
  void print(const kernel::Stmt& s);
  void call(const kernel::Stmt& s);
  // `accumulator` and `loop` as one call of rt_reduce; false if they are not of that form.
  bool reduction(const kernel::Stmt& accumulator, const kernel::Stmt& loop);
  // Names parts of a statement that several places of its expressions share.
  void hoist_shared(const kernel::Stmt& s);

  std::string counter_name();
  // Type of a local of the dtype: the lanes' vector of it where it differs between lanes.
  std::string local_type(DType dtype) const;

  const Dialect& dialect_;
  const kernel::Program& program_;
  ExprPrinter& exprs_;
  Identifiers& names_;
  std::string function_;
  const KernelFunction& kernel_;
  std::string text_;
  std::string functions_;
  int depth_ = 0;
  int loops_ = 0;  // loops around the current statement
  InlineLets lets_;
  std::unordered_map<kernel::VarId, ScalarOp> accumulators_;
  std::set<kernel::VarId> team_sums_;  // accumulators of which each thread of a team holds a lane
  // The innermost loop over threads, and the one around it.
  kernel::LoopMode around_ = kernel::LoopMode::kSerial, beyond_ = kernel::LoopMode::kSerial;
};

}  // namespace cohort
