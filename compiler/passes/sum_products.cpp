// sum_products: products with constant matrices that are only summed become one product of what stands side
// by side. Re-associates: the sum over all k is one chain.
//
//   %p = matmul(@a, %u)                 %uv = concat(%u, %v) {axis = 0}
//   %q = matmul(@b, %v)         =>      %s = matmul(@a_b, %uv)
//   %s = add(%p, %q)
//
// @a_b holds both matrices; it is made here, so nothing is copied in a call but what they are multiplied
// with. That must be less than the results that are no longer stored, loaded and added: so many inputs of few
// elements into one large target become one product, and many decoders into a few dimensions do not.
#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <tuple>

#include "compiler/kernel_passes/loop_cost.h"
#include "compiler/pass.h"
#include "ir/op_def.h"
#include "ir/rewriter.h"
#include "ir/uses.h"

namespace cohort::passes {

namespace {

// What products of one group have in common: which operand is the matrix, ranks, flags.
using Form = std::tuple<int, std::int64_t, std::int64_t, bool, bool>;

class ProductSummer {
 public:
  ProductSummer(ModuleBuilder& module, const Function& function)
      : module_(module),
        function_(function),
        uses_(count_uses(function)),
        rewriter_(module, function),
        terms_(function.nodes.size()),
        absorbed_(function.nodes.size(), false) {}

  Function run() {
    find_sums();
    for (NodeId n = 0; n < function_.nodes.size(); ++n) {
      if (absorbed_[n]) continue;
      if (groups_.contains(n))
        emit(n);
      else
        rewriter_.copy(function_.node(n));
    }
    return rewriter_.finish();
  }

 private:
  // What is wanted on a device stays a node of its own.
  bool is_marked(const Node& node) const {
    return module_.module().locations[node.loc].device != DeviceHint::kNone;
  }
  bool is_plain_add(const Node& node) const {
    if (node.op->scalar != ScalarOp::k_add || !is_float(function_.type(node.first_result).dtype) ||
        is_marked(node))
      return false;
    const Shape& shape = function_.type(node.first_result).shape;
    return function_.type(node.inputs[0]).shape == shape && function_.type(node.inputs[1]).shape == shape;
  }
  // The node that makes a value which nothing else reads.
  const Node* only_here(ValueId v) const {
    const Value& value = function_.value(v);
    if (value.kind != ValueKind::kNode || uses_.count[v] != 1 || uses_.observed[v]) return nullptr;
    return &function_.node(value.index);
  }

  // The terms of each add, those of adds that only it reads in their place; and what of them is one product.
  void find_sums() {
    std::vector<bool> inner(function_.nodes.size(), false);
    for (NodeId n = 0; n < function_.nodes.size(); ++n) {
      const Node& node = function_.node(n);
      if (!is_plain_add(node)) continue;
      for (const ValueId input : node.inputs) {
        const Node* made = only_here(input);
        if (made == nullptr || !is_plain_add(*made)) {
          terms_[n].push_back(input);
          continue;
        }
        const NodeId before = function_.value(input).index;
        inner[before] = true;
        std::vector<ValueId>& more = terms_[before];
        if (more.size() > terms_[n].size()) std::swap(more, terms_[n]);
        terms_[n].insert(terms_[n].end(), more.begin(), more.end());
        more.clear();
        links_[n].push_back(before);
      }
    }
    for (NodeId n = 0; n < function_.nodes.size(); ++n)
      if (!inner[n] && terms_[n].size() > 1) take(n);
  }

  void take(NodeId sum) {
    std::map<Form, std::vector<NodeId>> forms;
    for (const ValueId term : terms_[sum]) {
      const Node* made = only_here(term);
      if (made == nullptr || made->op != matmul_ || is_marked(*made)) continue;
      if (const std::optional<Form> form = form_of(*made))
        forms[*form].push_back(function_.value(term).index);
    }
    std::erase_if(forms, [&](const auto& group) { return !pays(group.second); });
    if (forms.empty()) return;
    for (auto& [form, products] : forms) {
      for (const NodeId p : products) absorbed_[p] = true;
      groups_[sum].push_back(std::move(products));
    }
    absorb_links(sum);
  }
  void absorb_links(NodeId sum) {
    std::vector<NodeId> stack = links_[sum];
    while (!stack.empty()) {
      const NodeId n = stack.back();
      stack.pop_back();
      absorbed_[n] = true;
      if (const auto more = links_.find(n); more != links_.end())
        stack.insert(stack.end(), more->second.begin(), more->second.end());
    }
  }

  const Tensor* constant(ValueId v) const {
    const Value& value = function_.value(v);
    return value.kind == ValueKind::kConstant ? &module_.module().constants[value.index].data : nullptr;
  }
  std::optional<Form> form_of(const Node& n) const {
    const Type &a = function_.type(n.inputs[0]), &b = function_.type(n.inputs[1]);
    if (a.rank() > 2 || b.rank() > 2) return std::nullopt;
    const bool left = constant(n.inputs[0]) && a.rank() == 2 && !constant(n.inputs[1]);
    const bool right = constant(n.inputs[1]) && b.rank() == 2 && !constant(n.inputs[0]);
    if (!left && !right) return std::nullopt;
    return Form{left ? 0 : 1, a.rank(), b.rank(), attr_or(n.attrs, "transpose_a", false),
                attr_or(n.attrs, "transpose_b", false)};
  }
  // Of a named dim a guess, which results and what is copied have in common.
  static std::int64_t elements(const Type& type) {
    std::int64_t count = 1;
    for (const Dim& d : type.shape) count *= d.is_constant() ? d.offset : kernel::kAssumedExtent;
    return count;
  }
  // Elements copied against elements of results that are gone.
  bool pays(const std::vector<NodeId>& products) const {
    std::int64_t copied = 0, gone = -elements(function_.type(function_.node(products.front()).first_result));
    for (const NodeId p : products) {
      const Node& n = function_.node(p);
      copied += elements(function_.type(n.inputs[constant(n.inputs[0]) ? 1 : 0]));
      gone += elements(function_.type(n.first_result));
    }
    return products.size() > 1 && copied <= gone;
  }

  // The axis of operand `side` that the product sums over.
  std::int64_t summed_axis(const Node& n, int side) const {
    if (function_.type(n.inputs[static_cast<std::size_t>(side)]).rank() == 1) return 0;
    return side == 0 ? (attr_or(n.attrs, "transpose_a", false) ? 0 : 1)
                     : (attr_or(n.attrs, "transpose_b", false) ? 1 : 0);
  }
  ValueId product(const std::vector<NodeId>& products) {
    const Node& first = function_.node(products.front());
    std::array<ValueId, 2> operands{};
    for (const int side : {0, 1}) {
      const std::int64_t axis = summed_axis(first, side);
      std::vector<ValueId> parts;
      for (const NodeId p : products)
        parts.push_back(function_.node(p).inputs[static_cast<std::size_t>(side)]);
      operands[static_cast<std::size_t>(side)] =
          constant(parts.front()) ? joined(parts, axis) : concat(parts, axis);
    }
    return rewriter_.to().node(*matmul_, operands, first.attrs, {}, first.loc);
  }
  ValueId concat(const std::vector<ValueId>& parts, std::int64_t axis) {
    std::vector<ValueId> now;
    for (const ValueId part : parts) now.push_back(rewriter_(part));
    return rewriter_.to().make("concat", now, {{"axis", axis}});
  }
  // One constant of several matrices, along either axis.
  ValueId joined(const std::vector<ValueId>& parts, std::int64_t axis) {
    Extents extents = constant(parts.front())->extents();
    extents[static_cast<std::size_t>(axis)] = 0;
    std::string name;
    for (const ValueId part : parts) {
      extents[static_cast<std::size_t>(axis)] += constant(part)->extents()[static_cast<std::size_t>(axis)];
      if (parts.size() <= 4) name += (name.empty() ? "" : "_") + function_.value(part).name;
    }
    Tensor all(constant(parts.front())->dtype(), extents);
    const auto width = static_cast<std::size_t>(dtype_bytes(all.dtype()));
    const std::size_t stride = static_cast<std::size_t>(axis == 0 ? all.size() : extents[1]) * width;
    std::size_t begin = 0;
    for (const ValueId part : parts) {
      const Tensor& data = *constant(part);
      const std::size_t run = static_cast<std::size_t>(axis == 0 ? data.size() : data.extents()[1]) * width;
      const std::size_t bytes = static_cast<std::size_t>(data.bytes());
      for (std::size_t from = 0, to = begin; from < bytes; from += run, to += stride)
        std::memcpy(all.mutable_data() + to, data.data() + from, run);
      begin += run;
    }
    const ValueId value = rewriter_.to().constant(module_.add_constant("", std::move(all)));
    rewriter_.to().function().values[value].name = name;
    return value;
  }

  void emit(NodeId sum) {
    std::map<NodeId, std::size_t> group_of;
    const std::vector<std::vector<NodeId>>& groups = groups_[sum];
    for (std::size_t g = 0; g < groups.size(); ++g)
      for (const NodeId p : groups[g]) group_of[p] = g;
    // Each group stands where its first product stood.
    std::vector<ValueId> now;
    std::vector<bool> done(groups.size(), false);
    for (const ValueId term : terms_[sum]) {
      const Value& value = function_.value(term);
      const auto group = value.kind == ValueKind::kNode ? group_of.find(value.index) : group_of.end();
      if (group == group_of.end())
        now.push_back(rewriter_(term));
      else if (!done[group->second]) {
        done[group->second] = true;
        now.push_back(product(groups[group->second]));
      }
    }
    ValueId total = now.front();
    for (std::size_t k = 1; k < now.size(); ++k) total = rewriter_.to().make("add", {total, now[k]});
    rewriter_.map(function_.node(sum).first_result, total);
  }

  ModuleBuilder& module_;
  const Function& function_;
  const Uses uses_;
  Rewriter rewriter_;
  std::vector<std::vector<ValueId>> terms_;                    // by node: of the sum that ends here
  std::map<NodeId, std::vector<NodeId>> links_;                // the adds right within an add
  std::vector<bool> absorbed_;                                 // by node: gone
  std::map<NodeId, std::vector<std::vector<NodeId>>> groups_;  // by sum: products that become one
  const OpDef* matmul_ = find_op("matmul");
};

}  // namespace

Function sum_products(ModuleBuilder& module, const Function& function, const PassOptions&) {
  return ProductSummer(module, function).run();
}

}  // namespace cohort::passes
