// Expressions of the loop IR as text. The printer knows the names of variables and buffers and, inside a
// vector loop, which values differ from lane to lane.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "codegen/dialect.h"
#include "codegen/emit_custom.h"
#include "ir/kernel.h"

namespace cohort {

// How tightly an expression's text binds; an operand that binds less gets parentheses.
enum class Binding : std::uint8_t { kOr, kAnd, kComparison, kSum, kProduct, kUnary, kPrimary };
struct ExprText {
  std::string text;
  Binding binding = Binding::kPrimary;
};

struct VariableName {
  std::string name;                     // or, of a local that is read once, the expression itself
  Binding binding = Binding::kPrimary;  // of that expression
  bool varying = false;                 // differs between the lanes of the vector loop around it
  bool natural = false;                 // never negative: counters of loops
  bool object = false;                  // an accumulator object of the prelude: read with .finish()
};

// `index = base + step * lane` with base and step alike in all lanes.
struct AffineIndex {
  kernel::ExprRef base;
  kernel::ExprRef step;
};

struct Infix;  // an operator that is written between its operands

class ExprPrinter {
 public:
  ExprPrinter(const Dialect& dialect, const kernel::Program& program,
              const std::vector<std::string>& dim_names)
      : dialect_(dialect), program_(program), dim_names_(dim_names), buffer_names_(program.buffers.size()) {}

  void name_buffer(kernel::BufferId id, std::string name) { buffer_names_[id] = std::move(name); }
  const std::string& buffer_name(kernel::BufferId id) const { return buffer_names_[id]; }
  void name_variable(kernel::VarId id, VariableName name) { variables_[id] = std::move(name); }
  const VariableName& variable(kernel::VarId id) const { return variables_.at(id); }

  // From here on `expr`, by identity, is spelled `name`: it was given a local of its own.
  void share(const kernel::ExprRef& expr, std::string name) { shared_[expr.get()] = std::move(name); }
  void clear_shared() { shared_.clear(); }
  // How functions of the user's are called.
  void use_customs(const CustomNames& customs) { customs_ = &customs; }

  // Inside a vector loop `lane` is its variable; elsewhere nothing.
  void enter_lanes(kernel::VarId lane) { lane_ = lane; }
  void leave_lanes() { lane_.reset(); }
  std::optional<kernel::VarId> lane() const { return lane_; }

  // A value of the expr's dtype, held in its value type (in a vector of it where it varies).
  std::string value(const kernel::ExprRef& expr) const { return print(expr).text; }
  ExprText value_text(const kernel::ExprRef& expr) const { return print(expr); }
  // An i64 in index arithmetic, the same in all lanes.
  std::string index(const kernel::ExprRef& expr) const { return print_index(expr).text; }
  // "p[i] = v;" in its form for the buffer and the lanes, or for an atomic store (Note [atomics] in
  // ir/kernel.h).
  std::string store(kernel::BufferId buffer, const kernel::ExprRef& index, const kernel::ExprRef& value,
                    ScalarOp atomic = ScalarOp::kNone) const;
  // "rt_name(buffers, scalars);" of a call of the runtime, or "status[0] = name(buffers, extents);" of a
  // function of the user's.
  std::string call(const kernel::Stmt& call) const;
  std::string extent(const Dim& dim) const { return print_dim(dim).text; }

  bool varies(const kernel::ExprRef& expr) const;
  bool is_natural(const kernel::ExprRef& expr) const;  // certainly not negative
  std::optional<AffineIndex> affine(const kernel::ExprRef& index) const;
  // i64 arithmetic over counters and extents only, which cannot overflow.
  bool is_counting(const kernel::ExprRef& expr) const;

 private:
  ExprText print(const kernel::ExprRef& expr) const;
  ExprText print_index(const kernel::ExprRef& expr) const;
  ExprText print_dim(const Dim& dim) const;
  ExprText print_load(const kernel::Expr& load) const;
  ExprText print_op(const kernel::Expr& op) const;
  ExprText print_call(const kernel::Expr& op) const;
  ExprText print_custom(const kernel::Expr& custom) const;
  const Infix* index_infix(const kernel::Expr& op) const;
  // base + lane, the index object moved by base.
  std::string lanes_from(const kernel::ExprRef& base) const;
  static std::string wrap(const ExprText& text, Binding at_least);

  const Dialect& dialect_;
  const kernel::Program& program_;
  const std::vector<std::string>& dim_names_;
  std::vector<std::string> buffer_names_;
  std::unordered_map<kernel::VarId, VariableName> variables_;
  std::unordered_map<const kernel::Expr*, std::string> shared_;
  std::optional<kernel::VarId> lane_;
  const CustomNames* customs_ = nullptr;
};

}  // namespace cohort
