#include "compiler/inline_plan.h"

#include <algorithm>

#include "compiler/count_reads.h"
#include "ir/op_def.h"

namespace cohort {
namespace {

// Largest number of nodes computed inside one kernel's statement list by inlining, and their greatest
// nesting.
constexpr std::uint32_t kMaxInlined = 64;
// Nodes with more operands do not compute elementwise ones themselves: alike operands are to stay alike, so
// that they can be merged.
constexpr std::size_t kManyOperands = 5;

// What is known of a value's readers while the nodes are walked from last to first.
struct Readers {
  double reads = 0;          // elements of the value read in all
  std::uint32_t places = 0;  // readers that would compute it separately
  NodeId root = kNoId;       // the node with a buffer whose loops all places are in, or kNoId
  bool aligned = true;       // every place reads it at the root's own index
  bool serial = false;       // some place is in a loop that cannot run in lanes
  bool apart = false;        // some place is in a node of many operands
  bool elsewhere = false;    // some place is in a node that is wanted on another device, or on none
  std::uint32_t depth = 0;   // inlined nodes between it and the nearest root
};

class InlinePlanner {
 public:
  InlinePlanner(const Module& module, const Function& function)
      : module_(module),
        function_(function),
        readers_(function.values.size()),
        observed_(function.values.size(), false),
        inlined_into_(function.nodes.size(), 0) {
    plan_.buffered.assign(function.values.size(), false);
    plan_.live.assign(function.nodes.size(), false);
  }

  InlinePlan run() {
    for (const Output& output : function_.outputs) observed_[output.value] = true;
    for (const Update& update : function_.updates) observed_[update.value] = true;
    for (NodeId n = static_cast<NodeId>(function_.nodes.size()); n-- > 0;) visit(n);
    return std::move(plan_);
  }

 private:
  double elements(ValueId value) const {
    return static_cast<double>(max_element_count(function_.type(value).shape, module_.dims));
  }

  bool is_live(const Node& node) const {
    if (node.op->op_class == OpClass::kOpaque) return true;
    for (ValueId r = node.first_result; r < node.first_result + node.result_count; ++r) {
      if (observed_[r] || readers_[r].places > 0) return true;
    }
    return false;
  }

  bool may_inline(const Node& node, ValueId value) const {
    const Readers& readers = readers_[value];
    if (node.op->element == nullptr || observed_[value] || readers.depth >= kMaxInlined) return false;
    if (readers.elsewhere && wanted(node) != DeviceHint::kNone) return false;
    const double count = elements(value);
    const bool once =
        readers.reads <= count && (readers.places == 1 || (readers.aligned && readers.root != kNoId));
    switch (node.op->op_class) {
      case OpClass::kIndexMap:
        return readers.places > 0;
      case OpClass::kElementwise:
        if (readers.apart) return false;
        if (readers.serial && (element_traits(*node.op) & (kTranscendental | kSlow)) != 0) return false;
        return once && (readers.root == kNoId || inlined_into_[readers.root] < kMaxInlined);
      case OpClass::kGather:
        return once;
      case OpClass::kReduction:
      case OpClass::kOpaque:
        return false;
    }
    return false;
  }

  void visit(NodeId n) {
    const Node& node = function_.nodes[n];
    if (!is_live(node)) return;
    plan_.live[n] = true;
    bool counted = false;
    for (ValueId r = node.first_result; r < node.first_result + node.result_count; ++r) {
      const bool inlined = may_inline(node, r);
      plan_.buffered[r] = !inlined;
      if (inlined && readers_[r].root != kNoId) ++inlined_into_[readers_[r].root];
      if (node.op->element != nullptr && node.op->op_class != OpClass::kReduction) {
        read_by_element(n, node, r, inlined);
      } else if (!counted) {
        read_by_loops(n, node);
        counted = true;
      }
    }
  }

  void read_by_element(NodeId n, const Node& node, ValueId result, bool inlined) {
    const Readers& own = readers_[result];
    const double reads = inlined ? own.reads : elements(result);
    const bool same_index = node.op->op_class == OpClass::kElementwise;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId input = node.inputs[i];
      const auto earlier = node.inputs.begin() + static_cast<std::ptrdiff_t>(i);
      if (same_index && std::find(node.inputs.begin(), earlier, input) != earlier) continue;
      Readers place;
      place.reads = reads;
      if (node.op->op_class == OpClass::kIndexMap && node.inputs.size() > 1 && elements(result) > 0) {
        place.reads =
            elements(input) * reads / elements(result);  // joined: each operand is read for its own part
      }
      place.places = inlined ? own.places : 1;
      place.root = inlined ? own.root : n;
      place.aligned = same_index && function_.type(input).shape == function_.type(result).shape &&
                      (!inlined || own.aligned);
      place.depth = inlined ? own.depth + 1 : 0;
      place.serial = inlined && own.serial;
      place.apart = inlined && own.apart;
      add(input, place, node);
    }
  }

  void read_by_loops(NodeId n, const Node& node) {
    std::vector<ValueId> distinct(node.inputs);
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    const bool matters = std::any_of(distinct.begin(), distinct.end(),
                                     [&](ValueId v) { return function_.value(v).kind == ValueKind::kNode; });
    if (!matters) return;
    const std::vector<ReadCount> counts = count_reads(module_, function_, node);
    for (const ReadCount& count : counts) {
      Readers place;
      place.reads = count.reads;
      place.places = 1;
      place.root = n;
      place.aligned = false;
      place.serial = count.serial;
      place.apart = node.inputs.size() > kManyOperands;
      add(count.value, place, node);
    }
  }

  DeviceHint wanted(const Node& node) const { return module_.locations[node.loc].device; }

  void add(ValueId value, const Readers& place, const Node& reader) {
    Readers& readers = readers_[value];
    const Value& read = function_.value(value);
    if (read.kind == ValueKind::kNode && wanted(function_.node(read.index)) != wanted(reader))
      readers.elsewhere = true;
    const bool first = readers.places == 0;
    const bool together = !first && readers.aligned && place.aligned && readers.root == place.root;
    readers.reads = together ? std::max(readers.reads, place.reads) : readers.reads + place.reads;
    readers.root = first || readers.root == place.root ? place.root : kNoId;
    readers.aligned = readers.aligned && place.aligned;
    readers.places += place.places;
    readers.depth = std::max(readers.depth, place.depth);
    readers.serial = readers.serial || place.serial;
    readers.apart = readers.apart || place.apart;
  }

  const Module& module_;
  const Function& function_;
  InlinePlan plan_;
  std::vector<Readers> readers_;             // by ValueId
  std::vector<bool> observed_;               // by ValueId
  std::vector<std::uint32_t> inlined_into_;  // by NodeId
};

}  // namespace

InlinePlan plan_inlining(const Module& module, const Function& function) {
  return InlinePlanner(module, function).run();
}

}  // namespace cohort
