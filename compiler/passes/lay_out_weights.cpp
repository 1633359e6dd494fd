// lay_out_weights: constant operands of products lie so that neighbouring results read neighbouring elements,
// which is what vector code wants. The sums over k keep their order.
//
//   matmul(W[m,k], x[k])                  =>  matmul(W'[k,m], x) {transpose_a}
//   matmul(x, W[n,k]) {transpose_b}       =>  matmul(x, W'[k,n])
//
// W' is W with its last two axes swapped, one new constant for each. The left operand of a product of
// matrices stays as it is: its elements are read one at a time, unless there are only a few columns. Last of
// the passes: `simplify_matmul` knows nothing of layouts.
#include <map>

#include "compiler/emitter.h"
#include "compiler/pass.h"
#include "ir/op_def.h"

namespace cohort::passes {

namespace {

using Values = std::vector<ValueId>;

constexpr std::int64_t kFewColumns = 8;  // fewer than the lanes of a vector of f32

Tensor last_two_swapped(const Tensor& x) {
  Extents extents = x.extents();
  const std::size_t rank = extents.size();
  const std::int64_t rows = extents[rank - 2], columns = extents[rank - 1];
  std::swap(extents[rank - 2], extents[rank - 1]);
  Tensor result(x.dtype(), extents);
  if (x.size() == 0) return result;
  const auto width = static_cast<std::size_t>(dtype_bytes(x.dtype()));
  std::byte* to = result.mutable_data();
  for (std::int64_t batch = 0; batch < x.size(); batch += rows * columns) {
    for (std::int64_t j = 0; j < columns; ++j) {
      for (std::int64_t i = 0; i < rows; ++i, to += width)
        std::memcpy(to, x.data() + static_cast<std::size_t>(batch + i * columns + j) * width, width);
    }
  }
  return result;
}

class Layout {
 public:
  Values matmul(Emitter& e, const NodeView& node) {
    Values inputs(node.inputs.begin(), node.inputs.end());
    bool swapped[2] = {attr_or(node.attrs, "transpose_a", false), attr_or(node.attrs, "transpose_b", false)};
    const Shape &a = e.shape(inputs[0]), &b = e.shape(inputs[1]);
    const bool few = b.size() < 2 || (b[b.size() - (swapped[1] ? 2 : 1)].is_constant() &&
                                      b[b.size() - (swapped[1] ? 2 : 1)].offset < kFewColumns);
    bool changed = false;
    if (few && a.size() >= 2 && !swapped[0]) changed = swap(e, inputs[0], swapped[0]);
    if (!few && swapped[1]) changed = swap(e, inputs[1], swapped[1]) || changed;
    if (!changed) return {};
    Attrs attrs;
    if (swapped[0]) attrs.push_back({"transpose_a", true});
    if (swapped[1]) attrs.push_back({"transpose_b", true});
    return {e.emit("matmul", inputs, std::move(attrs))};
  }

 private:
  bool swap(Emitter& e, ValueId& value, bool& flag) {
    const Tensor* data = e.constant(value);
    if (data == nullptr || data->rank() < 2 || data->extents().back() == 1 || data->extents().end()[-2] == 1)
      return false;
    const auto [found, fresh] = swapped_.try_emplace(value, 0);
    if (fresh) {
      found->second = e.to().constant(e.to().module().add_constant("", last_two_swapped(*data)));
      const std::string& name = e.function().value(value).name;
      if (!name.empty()) e.to().function().values[found->second].name = name + " transposed";
    }
    value = found->second;
    flag = !flag;
    return true;
  }

  std::map<ValueId, ValueId> swapped_;  // constants that were met, and those that stand for them
};

}  // namespace

Function lay_out_weights(ModuleBuilder& module, const Function& function, const PassOptions&) {
  Layout layout;
  const RewriteNode apply = [&](Emitter& e, const NodeView& node) -> Values {
    return node.op->name == "matmul" ? layout.matmul(e, node) : Values{};
  };
  return Emitter(module, function, apply).run();
}

}  // namespace cohort::passes
