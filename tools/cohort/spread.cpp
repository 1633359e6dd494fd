#include "tools/cohort/spread.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/sample.h"
#include "ir/diagnostics.h"
#include "tools/cohort/compare.h"

namespace cohort {
namespace {

// Elements move by so many thirds of what they may. Two that move alike, so that their difference stays, do
// so in one run of four, in all with a chance of 2 in 10^10: arrays have millions of elements.
constexpr int kThirds = 3, kRuns = 16;

// In ulp of the element, or of `least` if that is more, past zero then.
void move_elements(Tensor& tensor, double ulp, Random& random, double least = 0) {
  if (!is_float(tensor.dtype())) return;
  const bool half = tensor.dtype() == DType::kF16 || tensor.dtype() == DType::kBF16;
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    const double value = element_as_double(tensor, i);
    const auto thirds = static_cast<double>(random.between(0, kThirds));
    if (!std::isfinite(value) || thirds == 0) continue;
    const double step =
        ulp_of(std::max(std::fabs(value), least), tensor.dtype()) * (half ? 1 : ulp) * thirds / kThirds;
    const double towards = std::fabs(value) - step;
    set_element(tensor, i, std::copysign(1.0, value) * (least > 0 ? towards : std::max(towards, 0.0)));
  }
}

double distance(const Tensor& a, const Tensor& b, std::int64_t i) {
  if (!is_float(a.dtype())) return std::fabs(element_as_double(a, i) - element_as_double(b, i));
  const double x = element_as_double(a, i), y = element_as_double(b, i);
  if (x == y || (std::isnan(x) && std::isnan(y))) return 0;
  if (!std::isfinite(x) || !std::isfinite(y)) return std::numeric_limits<double>::infinity();
  return std::fabs(x - y);
}

class Runs {
 public:
  Runs(const Module& module, const Function& function, std::span<const Tensor> inputs,
       std::span<const Tensor> state, const DimValues& dims, bool all)
      : module_(module), function_(function), inputs_(inputs), state_(state), dims_(dims), all_(all) {}

  // All values; elements of inexact results moved by `ulp`.
  std::vector<Tensor> run(double ulp, Random& random) const {
    std::vector<Tensor> values(function_.values.size());
    for (std::size_t id = 0; id < values.size(); ++id) {
      const Value& value = function_.values[id];
      if (value.kind == ValueKind::kInput) values[id] = inputs_[value.index];
      if (value.kind == ValueKind::kState) values[id] = state_[value.index];
      if (value.kind == ValueKind::kConstant) values[id] = module_.constants[value.index].data;
      if (all_ && ulp > 0 && value.kind != ValueKind::kNode) move_elements(values[id], ulp, random);
    }
    const NodeObserver move = [&](const Node& node, std::vector<Tensor>& results) {
      if (ulp <= 0 || !node.regions.empty() || !(all_ || is_inexact(node))) return;
      // Near its zeros it is the sum of a greater operand and a logarithm of up to log(2) (ir/ops.def).
      const double least = node.op->scalar == ScalarOp::k_logaddexp ? 0.5 : 0;
      for (Tensor& result : results) move_elements(result, ulp, random, least);
    };
    std::vector<Tensor> operands;
    for (const Node& node : function_.nodes) {
      operands.clear();
      for (const ValueId input : node.inputs) operands.push_back(values[input]);
      std::string printed;
      std::vector<Tensor> results = evaluate_node(module_, function_, node, operands, dims_, &printed, &move);
      for (std::uint32_t r = 0; r < node.result_count; ++r)
        values[node.first_result + r] = std::move(results[r]);
    }
    return values;
  }

 private:
  const Module& module_;
  const Function& function_;
  std::span<const Tensor> inputs_, state_;
  const DimValues& dims_;
  const bool all_;
};

}  // namespace

Spread spread_of(const Module& module, const Function& function, std::span<const Tensor> inputs,
                 std::span<const Tensor> state, const DimValues& dims, double ulp, std::uint64_t seed,
                 bool all) {
  const Runs runs(module, function, inputs, state, dims, all);
  Random random(seed);
  const std::vector<Tensor> exact = runs.run(0, random);
  Spread result(exact.size());
  for (std::size_t id = 0; id < exact.size(); ++id)
    result[id].resize(static_cast<std::size_t>(exact[id].size()));
  for (int run = 0; run < kRuns; ++run) {
    std::vector<Tensor> moved;
    try {
      moved = runs.run(ulp, random);
    } catch (const UserError&) {
      continue;  // a check that fails on moved values
    }
    for (std::size_t id = 0; id < exact.size(); ++id) {
      for (std::int64_t i = 0; i < exact[id].size(); ++i) {
        double& greatest = result[id][static_cast<std::size_t>(i)];
        greatest = std::max(greatest, distance(exact[id], moved[id], i));
      }
    }
  }
  return result;
}

}  // namespace cohort
