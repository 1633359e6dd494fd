// split_products: a product of which only slices of columns are read is a product for each slice, where the
// columns are many.
//
//   %p = matmul(%a, %b)                                  %u = slice(%b) {axes = [1], stops = [500]}
//   %x = slice(%p) {axes = [1], stops = [500]}      =>   %x = matmul(%a, %u)
//   %y = slice(%p) {axes = [1], starts = [500]}          %v = slice(%b) {axes = [1], starts = [500]}
//                                                        %y = matmul(%a, %v)
//
// So results are not copied; products read slices where they lie. The gradients of the weights of merged
// gates are such slices. Every sum is the same sum. Only right operands that nodes make
// are cut: in a loop's body an input is what merge_products has put side by side.
#include <algorithm>
#include <array>
#include <map>

#include "compiler/pass.h"
#include "compiler/product_width.h"
#include "compiler/region.h"
#include "ir/rewriter.h"
#include "ir/uses.h"

namespace cohort::passes {

namespace {

struct Columns {
  NodeId slice = 0;
  std::int64_t begin = 0, end = 0;
};

class ProductSplitter {
 public:
  ProductSplitter(ModuleBuilder& module, const Function& function)
      : function_(function), uses_(count_uses(function)), rewriter_(module, function) {}

  Function run() {
    find_slices();
    for (NodeId n = 0; n < function_.nodes.size(); ++n) {
      const Node& node = function_.node(n);
      const auto found = slices_.find(n);
      if (found != slices_.end())
        for (const Columns& columns : found->second) emit(node, columns);
      else if (!rewriter_.is_mapped(node.first_result))
        rewriter_.copy(node);
    }
    return rewriter_.finish();
  }

 private:
  // The slices of each product that is to be split.
  void find_slices() {
    for (NodeId n = 0; n < function_.nodes.size(); ++n)
      if (const auto columns = columns_of(n)) {
        const ValueId product = function_.node(n).inputs[0];
        slices_[function_.value(product).index].push_back(*columns);
      }
    std::erase_if(slices_, [&](const auto& entry) { return !is_worth(entry.first, entry.second); });
  }

  // If the node is a slice of columns of a product that may be split.
  std::optional<Columns> columns_of(NodeId n) const {
    const Node& node = function_.node(n);
    if (node.op != slice_ || node.inputs.size() != 1) return {};
    const Value& value = function_.value(node.inputs[0]);
    if (value.kind != ValueKind::kNode || !is_constant(value.type.shape)) return {};
    const Node& product = function_.node(value.index);
    if (product.op != matmul_ || function_.type(product.inputs[1]).rank() != 2 || value.type.rank() < 2 ||
        function_.value(product.inputs[1]).kind != ValueKind::kNode)
      return {};
    const std::optional<Region> region = region_of(node.attrs, value.type.shape, 1, 1);
    if (!region) return {};
    const std::size_t last = value.type.shape.size() - 1;
    const Progression range = (*region)[last];
    Region rows = *region;
    rows[last] = whole_region(value.type.shape)[last];
    if (!is_identity(rows, value.type.shape) || range.step != 1) return {};
    return Columns{n, range.start, range.start + range.count};
  }

  bool is_worth(NodeId product, const std::vector<Columns>& columns) const {
    const ValueId result = function_.node(product).first_result;
    if (uses_.observed[result] || uses_.count[result] != columns.size() || columns.size() < 2) return false;
    std::vector<std::int64_t> widths;
    std::vector<Columns> sorted = columns;
    std::sort(sorted.begin(), sorted.end(),
              [](const Columns& a, const Columns& b) { return a.begin < b.begin; });
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      if (i > 0 && sorted[i].begin < sorted[i - 1].end) return false;
      widths.push_back(sorted[i].end - sorted[i].begin);
    }
    return !gain_from_standing_side_by_side(widths, function_.type(result).dtype);
  }

  void emit(const Node& product, const Columns& columns) {
    const bool transposed = attr_or(product.attrs, "transpose_b", false);
    const Attrs attrs{{"axes", IntList{transposed ? 0 : 1}},
                      {"starts", IntList{columns.begin}},
                      {"stops", IntList{columns.end}}};
    const ValueId part =
        rewriter_.to().make("slice", std::array{rewriter_(product.inputs[1])}, attrs, {}, product.loc);
    const Node& slice = function_.node(columns.slice);
    const ValueId result = rewriter_.to().node(*matmul_, std::array{rewriter_(product.inputs[0]), part},
                                               product.attrs, {}, product.loc);
    rewriter_.map(slice.first_result, result);
  }

  const Function& function_;
  const Uses uses_;
  Rewriter rewriter_;
  const OpDef* matmul_ = find_op("matmul");
  const OpDef* slice_ = find_op("slice");
  std::map<NodeId, std::vector<Columns>> slices_;  // by product
};

}  // namespace

Function split_products(ModuleBuilder& module, const Function& function, const PassOptions&) {
  return ProductSplitter(module, function).run();
}

}  // namespace cohort::passes
