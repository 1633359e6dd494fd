#include "compiler/count_reads.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "ir/lowering.h"
#include "ir/op_def.h"

namespace cohort {
namespace {

using kernel::ExprRef;
using kernel::Stmt;
using kernel::StmtKind;

// Loads in the statements that lowering wrote stand for operands: their buffer is the operand's ValueId.
class ReadCounter {
 public:
  explicit ReadCounter(const Module& module) : dims_(module.dims) {}

  // `depth` loops are around the list.
  void statements(const std::vector<Stmt>& list, double times, int depth = 0) {
    const bool outer = serial_;
    serial_ = serial_ || (depth == 1 && carries(list));
    for (const Stmt& stmt : list) {
      if (stmt.value) expression(*stmt.value, times);
      for (const ExprRef& index : stmt.index) expression(*index, times);
      const double inner = stmt.kind == StmtKind::kFor ? times * trip_count(*stmt.value) : times;
      const int within = stmt.kind == StmtKind::kFor ? depth + 1 : depth;
      statements(stmt.body, inner, within);
      statements(stmt.else_body, inner, within);
    }
    serial_ = outer;
  }
  std::map<ValueId, double> reads;
  std::set<ValueId> serial;

 private:
  // Whether one iteration waits for the one before: by a variable, or by memory that is read and written
  // (scatter_add).
  static bool carries(const std::vector<Stmt>& list) {
    return std::any_of(list.begin(), list.end(), [&](const Stmt& s) {
      if (s.kind == StmtKind::kStore)
        return std::any_of(list.begin(), list.end(),
                           [&](const Stmt& other) { return other.value && loads(*other.value, s.buffer); });
      return s.kind == StmtKind::kAssign || (s.kind == StmtKind::kAccumulate && s.index.empty());
    });
  }
  static bool loads(const kernel::Expr& expr, kernel::BufferId buffer) {
    if (expr.kind == kernel::ExprKind::kLoad && expr.id == buffer) return true;
    return std::any_of(expr.args.begin(), expr.args.end(),
                       [&](const ExprRef& arg) { return loads(*arg, buffer); });
  }
  void expression(const kernel::Expr& expr, double times) {
    if (expr.kind == kernel::ExprKind::kLoad) {
      reads[expr.id] += times;
      if (serial_) serial.insert(expr.id);
    }
    for (const ExprRef& arg : expr.args) expression(*arg, times);
  }
  // Extents are constants or dims; an extent that is computed counts once.
  double trip_count(const kernel::Expr& extent) const {
    if (extent.kind == kernel::ExprKind::kConst)
      return static_cast<double>(static_cast<std::int64_t>(extent.bits));
    if (extent.kind == kernel::ExprKind::kDim) return static_cast<double>(max_extent(extent.dim, dims_));
    return 1;
  }

  const Dims& dims_;
  bool serial_ = false;  // of the statements being walked
};

}  // namespace

std::vector<ReadCount> count_reads(const Module& module, const Function& function, const Node& node) {
  std::vector<Stmt> statements;
  std::vector<ValueId> whole;
  LoweringScope scope;
  scope.statements = &statements;
  scope.element = [&](ValueId value, std::vector<ExprRef> index) {
    return kernel::load(value, function.type(value).dtype, std::move(index));
  };
  scope.store = [&](ValueId value, std::vector<ExprRef> index, ExprRef element) {
    Stmt stmt;
    stmt.kind = StmtKind::kStore;
    stmt.buffer = value;
    stmt.index = std::move(index);
    stmt.value = std::move(element);
    scope.append(std::move(stmt));
  };
  scope.buffer = [&](ValueId value) {
    whole.push_back(value);
    return static_cast<kernel::BufferId>(value);
  };
  scope.elements = scope.buffer;
  // Bodies read whole buffers.
  scope.temporary = [](const Type&, const std::string&) { return kernel::BufferId{0}; };
  scope.region = [](const Function&, const RegionPlaces&) {};
  if (node.op->loops != nullptr) {
    LoopContext context(function, node, scope);
    node.op->loops(context);
  } else {
    NodeLowering lowering(function, node, scope);
    lowering.for_each(function.type(node.first_result).shape, [&](std::vector<ExprRef> index) {
      ElementContext context(function, node, scope, 0, index);
      scope.store(node.first_result, index, node.op->element(context));
    });
  }
  ReadCounter counter(module);
  counter.statements(statements, 1);
  for (const ValueId value : whole) counter.reads[value] = std::numeric_limits<double>::infinity();
  std::vector<ReadCount> counts;
  for (const ValueId input : node.inputs) {
    const auto found = counter.reads.find(input);
    if (found == counter.reads.end()) continue;
    counts.push_back({input, found->second, counter.serial.contains(input)});
    counter.reads.erase(found);
  }
  return counts;
}

}  // namespace cohort
