// merge_products: in a loop's body, products of one operand with several matrices that all steps share become
// one product with the matrices side by side, and views of its result.
//
//                                          %uv = concat(%u, %v) {axis = 1}
//   scan(.., %u, %v) body(..) {            scan(.., %uv) body(..) {
//     %hu = matmul(%h, %u)                   %huv = matmul(%h, %uv)
//     %hv = matmul(%h, %v)          =>       %hu = slice(%huv) {axes = [1], stops = [5]}
//     ...                                    %hv = slice(%huv) {axes = [1], starts = [5]}
//   }                                        ...
//                                          }
//
// So the gates of a recurrent net are one product. The copy before the loop is paid once; outside of loops it
// would cost as much as the product. Every sum is the same sum, so no bit changes.
//
// Results of two merged products that are added have one derivative. Those stand last in the first product
// and first in the other, so that derivatives of both are overlapping columns of one array (share_columns):
// of a GRU dn | dz dr and dz dr | dn*r, where only the candidate's products are not added.
#include <algorithm>
#include <array>
#include <map>

#include "compiler/pass.h"
#include "compiler/product_merger.h"
#include "compiler/product_width.h"
#include "ir/ops/scan.h"
#include "ir/rewriter.h"
#include "ir/uses.h"

namespace cohort {
namespace {

class ProductMerger {
 public:
  ProductMerger(ModuleBuilder& module, Rewriter& outer, const Node& node, MergedProducts which)
      : outer_(outer),
        which_(which),
        node_(node),
        body_(*node.regions[0]),
        parts_(ops::scan_parts(node)),
        inner_(module, body_) {}

  // Whether anything was merged; then the loop has been emitted.
  bool run() {
    for (NodeId n = 0; n < body_.nodes.size(); ++n)
      if (may_merge(body_.nodes[n])) groups_[group_key(body_.nodes[n])].push_back(n);
    std::erase_if(groups_, [&](const auto& group) { return !is_worth(group.second); });
    if (groups_.empty()) return false;
    order_columns();
    emit();
    return true;
  }

 private:
  // The left operand, and what the right ones have in common.
  using Key = std::tuple<ValueId, int, std::int64_t>;

  bool is_shared_input(ValueId v) const {
    const Value& value = body_.value(v);
    return value.kind == ValueKind::kInput && value.index >= parts_.sequences + parts_.carries;
  }
  bool may_merge(const Node& n) const {
    if (n.op != matmul_ || !is_shared_input(n.inputs[1])) return false;
    const Type& matrix = body_.type(n.inputs[1]);
    return matrix.rank() == 2 && is_constant(matrix.shape) && !attr_or(n.attrs, "transpose_b", false);
  }
  Key group_key(const Node& n) const {
    return {n.inputs[0], attr_or(n.attrs, "transpose_a", false) ? 1 : 0,
            body_.type(n.inputs[1]).shape[0].offset};
  }

  // What waits for the step before gains from fewer products; what does not is a product of all steps outside
  // of the loop (hoist_from_loops).
  bool is_worth(const std::vector<NodeId>& group) {
    if (group.size() < 2) return false;
    const Node& first = body_.nodes[group.front()];
    if (which_ == MergedProducts::kWaiting && waits(first.inputs[0])) return true;
    std::vector<std::int64_t> columns;
    for (const NodeId n : group) columns.push_back(body_.type(body_.nodes[n].inputs[1]).shape[1].offset);
    return gain_from_standing_side_by_side(columns, body_.type(first.inputs[0]).dtype);
  }
  // Whether a value of the body depends on what is carried.
  bool waits(ValueId v) {
    if (waits_.empty()) {
      waits_.assign(body_.values.size(), false);
      for (std::size_t c = 0; c < parts_.carries; ++c) waits_[body_.inputs[parts_.sequences + c]] = true;
      for (const Node& n : body_.nodes) {
        const bool any = std::any_of(n.inputs.begin(), n.inputs.end(), [&](ValueId i) { return waits_[i]; });
        for (std::uint32_t r = 0; r < n.result_count; ++r) waits_[n.first_result + r] = any;
      }
    }
    return waits_[v];
  }

  // The value that a product ends up in by additions alone: products with one such value have one derivative.
  std::vector<ValueId> sums() const {
    std::vector<ValueId> sum(body_.values.size());
    const Uses uses = count_uses(body_);
    for (ValueId v = 0; v < sum.size(); ++v) sum[v] = v;
    for (NodeId n = static_cast<NodeId>(body_.nodes.size()); n-- > 0;) {
      const Node& node = body_.nodes[n];
      if (node.op->scalar != ScalarOp::k_add) continue;
      for (const ValueId input : node.inputs)
        if (uses.count[input] == 1 && !uses.observed[input] &&
            body_.type(input) == body_.type(node.first_result))
          sum[input] = sum[node.first_result];
    }
    return sum;
  }

  void order_columns() {
    const std::vector<ValueId> sum = sums();
    std::map<ValueId, std::size_t> count;
    const auto sum_of = [&](NodeId n) { return sum[body_.nodes[n].first_result]; };
    for (const auto& [key, group] : groups_)
      for (const NodeId n : group) ++count[sum_of(n)];
    bool first = true;
    for (auto& [key, group] : groups_) {
      std::stable_sort(group.begin(), group.end(), [&](NodeId a, NodeId b) {
        const bool a_shared = count[sum_of(a)] > 1, b_shared = count[sum_of(b)] > 1;
        if (a_shared != b_shared) return a_shared != first;
        return a_shared && sum_of(a) < sum_of(b);
      });
      first = false;
    }
  }

  // The matrices of a group side by side, as a new input of the loop.
  ValueId side_by_side(const std::vector<NodeId>& group) {
    std::vector<ValueId> matrices;
    std::string name;
    for (const NodeId n : group) {
      const ValueId matrix = body_.nodes[n].inputs[1];
      matrices.push_back(outer_(node_.inputs[body_.value(matrix).index]));
      name += (name.empty() ? "" : "_") + body_.value(matrix).name;
    }
    const ValueId outside =
        outer_.to().make("concat", matrices, {{"axis", std::int64_t{1}}}, name, node_.loc);
    more_.push_back(outside);
    return inner_.to().input(name, outer_.to().type(outside));
  }

  void emit() {
    std::vector<const std::vector<NodeId>*> group_of(body_.nodes.size(), nullptr);
    std::vector<bool> is_first(body_.nodes.size(), false);
    for (const auto& [key, group] : groups_) {
      for (const NodeId n : group) group_of[n] = &group;
      is_first[*std::min_element(group.begin(), group.end())] = true;
    }
    for (NodeId n = 0; n < body_.nodes.size(); ++n) {
      if (!group_of[n])
        inner_.copy(body_.nodes[n]);
      else if (is_first[n])
        emit_group(*group_of[n]);
    }
    std::vector<ValueId> inputs;
    for (const ValueId input : node_.inputs) inputs.push_back(outer_(input));
    inputs.insert(inputs.end(), more_.begin(), more_.end());
    const ValueId first = outer_.to().node(*node_.op, inputs, node_.attrs, {}, node_.loc,
                                           {std::make_shared<const Function>(inner_.finish())});
    for (std::uint32_t r = 0; r < node_.result_count; ++r) outer_.map(node_.first_result + r, first + r);
  }

  // All products of a group stand where its first one stood: they read the same operand.
  void emit_group(const std::vector<NodeId>& group) {
    const Node& first = body_.nodes[group.front()];
    const ValueId matrix = side_by_side(group);
    const ValueId product =
        inner_.to().node(*matmul_, std::array{inner_(first.inputs[0]), matrix}, first.attrs, {}, first.loc);
    const std::int64_t last_axis = inner_.to().type(product).rank() - 1;
    std::int64_t start = 0;
    for (const NodeId n : group) {
      const std::int64_t stop = start + body_.type(body_.nodes[n].inputs[1]).shape[1].offset;
      const Attrs attrs{{"axes", IntList{last_axis}}, {"starts", IntList{start}}, {"stops", IntList{stop}}};
      inner_.map(body_.nodes[n].first_result,
                 inner_.to().make("slice", std::array{product}, attrs, {}, first.loc));
      start = stop;
    }
  }

  Rewriter& outer_;
  const MergedProducts which_;
  const Node& node_;
  const Function& body_;
  const ops::ScanParts parts_;
  Rewriter inner_;
  const OpDef* matmul_ = find_op("matmul");
  std::map<Key, std::vector<NodeId>> groups_;
  std::vector<bool> waits_;    // by value of the body; empty: not known yet
  std::vector<ValueId> more_;  // inputs of the new loop behind those it had
};

}  // namespace

Function with_merged_products(ModuleBuilder& module, const Function& function, MergedProducts which) {
  const OpDef* scan = find_op("scan");
  Rewriter rewriter(module, function);
  for (const Node& node : function.nodes)
    if (node.op != scan || !ProductMerger(module, rewriter, node, which).run()) rewriter.copy(node);
  return rewriter.finish();
}

Function passes::merge_products(ModuleBuilder& module, const Function& function, const PassOptions&) {
  return with_merged_products(module, function, MergedProducts::kWaiting);
}

}  // namespace cohort
