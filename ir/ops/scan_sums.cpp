#include "ir/ops/scan_sums.h"

#include <algorithm>
#include <set>

#include "ir/op_def.h"
#include "ir/ops/scan.h"

namespace cohort::ops {
namespace {

// How often the value is read in the function.
std::size_t reads_of(const Function& function, ValueId value) {
  std::size_t count = 0;
  for (const Node& node : function.nodes)
    count += static_cast<std::size_t>(std::count(node.inputs.begin(), node.inputs.end(), value));
  for (const Output& output : function.outputs) count += output.value == value ? 1 : 0;
  return count;
}

class SumFinder {
 public:
  SumFinder(const Function& function, ValueId start) : function_(function), start_(start) {}

  // Whether the value is `start` with terms added to it. The reads of `start` on the way are counted.
  bool is_sum(ValueId value) {
    if (value == start_) {
      ++seen_;
      return true;
    }
    if (failed_.contains(value)) return false;
    const std::size_t seen_before = seen_;
    const Value& v = function_.value(value);
    const bool found = v.kind == ValueKind::kNode && is_sum_node(v);
    if (found) return true;
    seen_ = seen_before;
    failed_.insert(value);
    return false;
  }
  std::size_t seen() const { return seen_; }

 private:
  bool is_sum_node(const Value& v) {
    const Node& node = function_.node(v.index);
    if (node.op->scalar == ScalarOp::k_add)
      return std::any_of(node.inputs.begin(), node.inputs.end(),
                         [&](ValueId input) { return function_.type(input) == v.type && is_sum(input); });
    if (node.op->scalar == ScalarOp::k_where) return is_sum(node.inputs[1]) && is_sum(node.inputs[2]);
    if (node.op->name != "scan") return false;
    const ScanParts parts = scan_parts(node);
    return v.result < parts.carries && is_running_sum(node, v.result) &&
           is_sum(node.inputs[parts.sequences + v.result]);
  }

  const Function& function_;
  const ValueId start_;
  std::size_t seen_ = 0;
  std::set<ValueId> failed_;
};

}  // namespace

bool is_running_sum(const Node& scan, std::size_t c) {
  const Function& body = *scan.regions[0];
  const ValueId start = body.inputs[scan_parts(scan).sequences + c];
  SumFinder finder(body, start);
  // Every read of the sum is one on the way from its old to its new value.
  return finder.is_sum(body.outputs[c].value) && finder.seen() == reads_of(body, start);
}

}  // namespace cohort::ops
