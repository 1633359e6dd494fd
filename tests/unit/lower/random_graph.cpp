#include "random_graph.h"

#include <algorithm>
#include <array>
#include <optional>

#include "ir/diagnostics.h"
#include "support.h"

namespace cohort::test {
namespace {

class Generator {
 public:
  Generator(std::uint64_t seed)
      : random_(seed * 0x9e3779b97f4a7c15u + 1), module_("random"), function_(module_, "f") {}

  RandomGraph run(int nodes) {
    leaves();
    for (int i = 0; i < nodes; ++i) grow();
    for (int i = 0; i < 3; ++i) function_.output("y" + std::to_string(i), pick());
    for (const StateId state : states_) {
      const Type type = module_.module().states[state].type;
      std::vector<ValueId> fitting;
      for (const ValueId v : values_) {
        if (function_.type(v) == type) fitting.push_back(v);
      }
      if (!fitting.empty() && chance(80)) function_.update(state, fitting[below(fitting.size())]);
    }
    module_.add_function(function_.finish());
    return {module_.finish(), std::move(inputs_)};
  }

 private:
  std::uint64_t next() {
    random_ ^= random_ << 13;
    random_ ^= random_ >> 7;
    random_ ^= random_ << 17;
    return random_ * 0x2545f4914f6cdd1du >> 16;
  }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(next() % n); }
  bool chance(std::size_t percent) { return below(100) < percent; }

  Tensor random_tensor(DType dtype, const Extents& extents) {
    std::vector<double> values;
    for (std::int64_t i = 0; i < element_count(extents); ++i)
      values.push_back(static_cast<double>(static_cast<int>(below(17)) - 8) / (is_float(dtype) ? 4 : 1));
    return tensor(dtype, extents, values);
  }

  void leaves() {
    const Extents shapes[] = {{}, {4}, {3, 4}, {4, 3}, {3, 1}, {2, 3, 4}, {1}};
    const DType dtypes[] = {DType::kF64, DType::kF32};
    dtype_ = dtypes[below(2)];
    for (const Extents& extents : shapes) {
      const Shape shape(extents.begin(), extents.end());
      const std::string n = std::to_string(values_.size());
      if (chance(60)) {
        inputs_.push_back(random_tensor(dtype_, extents));
        values_.push_back(function_.input("u" + n, type(dtype_, shape)));
      }
      for (int i = 0; i < 2; ++i) {
        if (!chance(60)) continue;
        const StateId s = module_.add_state("s" + n + "_" + std::to_string(i), type(dtype_, shape),
                                            random_tensor(dtype_, extents));
        states_.push_back(s);
        values_.push_back(function_.state(s));
      }
      if (chance(40)) {
        values_.push_back(function_.constant(module_.add_constant("c" + n, random_tensor(dtype_, extents))));
      }
    }
    values_.push_back(function_.literal(dtype_, 1.5));
    inputs_.push_back(tensor(DType::kI64, {3}, {2, 0, 1}));
    index_ = function_.input("index", type(DType::kI64, {3}));
  }

  ValueId pick() {
    return values_[chance(60) ? values_.size() - 1 - below(std::min<std::size_t>(values_.size(), 6))
                              : below(values_.size())];
  }
  std::optional<ValueId> pick_rank(int rank) {
    for (int tries = 0; tries < 20; ++tries) {
      const ValueId v = pick();
      if (function_.type(v).rank() >= rank && max_element_count(function_.type(v).shape, {}) < 300) return v;
    }
    return std::nullopt;
  }
  void keep(ValueId v) {
    if (function_.type(v).dtype != dtype_) v = function_.cast(v, dtype_);
    values_.push_back(v);
  }

  void grow() {
    try {
      switch (below(12)) {
        case 0:
        case 1:
        case 2:
          return keep(unary());
        case 3:
        case 4:
        case 5:
          return keep(binary());
        case 6:
          return index_map();
        case 7:
          return keep(reduction());
        case 8:
          return slice();
        case 9:
          return product();
        case 10:
          return gather();
        default:
          return scatter();
      }
    } catch (const UserError&) {  // shapes that do not fit: no node this time
    }
  }

  ValueId unary() {
    const std::string_view ops[] = {"neg", "abs", "tanh", "exp", "square", "floor", "sigmoid", "relu"};
    return function_.make(ops[below(std::size(ops))], {pick()});
  }
  ValueId binary() {
    const std::string_view ops[] = {"add", "sub", "mul", "max", "min", "lt", "true_div"};
    return function_.make(ops[below(std::size(ops))], {pick(), pick()});
  }
  ValueId reduction() {
    const std::string_view ops[] = {"reduce_sum", "reduce_max", "reduce_mean", "reduce_prod"};
    const ValueId x = pick_rank(1).value_or(values_[0]);
    const int rank = function_.type(x).rank();
    Attrs attrs;
    if (rank > 0 && chance(70))
      set_attr(attrs, "axes", IntList{static_cast<std::int64_t>(below(static_cast<std::size_t>(rank)))});
    if (chance(30)) set_attr(attrs, "keepdims", true);
    return function_.make(ops[below(std::size(ops))], {x}, attrs);
  }
  void index_map() {
    const std::optional<ValueId> x = pick_rank(1);
    if (!x) return;
    const int rank = function_.type(*x).rank();
    const auto axis = static_cast<std::int64_t>(below(static_cast<std::size_t>(rank)));
    switch (below(6)) {
      case 0:
        return keep(function_.make("transpose", {*x}));
      case 1:
        return keep(function_.make("flip", {*x}, {{"axes", IntList{axis}}}));
      case 2:
        return keep(function_.make("roll", {*x}, {{"axes", IntList{axis}}, {"shifts", IntList{1}}}));
      case 3:
        return keep(function_.make("concat", {*x, *x}, {{"axis", axis}}));
      case 4:
        return keep(function_.make("reshape", {*x}, {{"shape", Shape{-1}}}));
      default:
        return keep(function_.make("repeat", {*x}, {{"axis", axis}, {"repeats", std::int64_t{2}}}));
    }
  }
  void slice() {
    const std::optional<ValueId> x = pick_rank(1);
    if (!x) return;
    Attrs attrs{{"axes", IntList{0}}, {"starts", IntList{1}}, {"stops", IntList{std::nullopt}}};
    if (chance(50)) return keep(function_.make("slice", {*x}, attrs));
    const ValueId part = function_.make("slice", {pick_rank(1).value_or(*x)}, attrs);
    keep(function_.make(chance(50) ? "set_slice" : "inc_slice", {*x, part}, attrs));
  }
  void product() {
    const std::optional<ValueId> a = pick_rank(1), b = pick_rank(1);
    if (a && b) keep(function_.make("matmul", {*a, *b}));
  }
  void gather() {
    const std::optional<ValueId> x = pick_rank(1);
    if (x && function_.type(*x).shape[0].offset >= 3) keep(function_.make("take", {*x, index_}));
  }
  void scatter() {
    const std::optional<ValueId> x = pick_rank(1);
    if (!x || function_.type(*x).shape[0].offset < 3) return;
    const ValueId other = pick_rank(1).value_or(*x);
    const ValueId y =
        function_.make("take", {function_.type(other).shape[0].offset < 3 ? *x : other, index_});
    keep(function_.make(chance(50) ? "scatter_add" : "scatter_set", {*x, y, index_}));
  }

  std::uint64_t random_;
  ModuleBuilder module_;
  FunctionBuilder function_;
  DType dtype_ = DType::kF64;
  std::vector<ValueId> values_;
  std::vector<StateId> states_;
  std::vector<Tensor> inputs_;
  ValueId index_ = 0;
};

}  // namespace

RandomGraph random_graph(std::uint64_t seed, int nodes) { return Generator(seed).run(nodes); }

}  // namespace cohort::test
