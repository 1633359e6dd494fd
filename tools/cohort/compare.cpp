#include "tools/cohort/compare.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ir/op_def.h"

namespace cohort {
namespace {

int mantissa_bits(DType dtype) {
  switch (dtype) {
    case DType::kF16:
      return 10;
    case DType::kBF16:
      return 7;
    case DType::kF32:
      return 23;
    default:
      return 52;
  }
}

int least_exponent(DType dtype) {
  switch (dtype) {
    case DType::kF16:
      return -14;
    case DType::kBF16:
    case DType::kF32:
      return -126;
    default:
      return -1022;
  }
}

double own_ulp(const Node& node) {
  return is_scalar(node) ? scalar_op_info(node.op->scalar).ulp : node.op->ulp;
}

}  // namespace

double ulp_of(double value, DType dtype) {
  const int exponent =
      value == 0 ? least_exponent(dtype) : std::max(std::ilogb(value), least_exponent(dtype));
  return std::ldexp(1.0, exponent - mantissa_bits(dtype));
}

Difference compare(const Tensor& expected, const Tensor& got, std::span<const double> slack) {
  Difference result;
  if (expected == got) return result;
  const auto slack_at = [&](std::int64_t i) {
    return slack.empty() ? 0 : slack[static_cast<std::size_t>(i)];
  };
  const auto differ = [&](std::int64_t i, double ulp, double own_ulp) {
    result.own_ulp = std::max(result.own_ulp, own_ulp);
    if (result.index >= 0 && ulp <= result.worst_ulp) return;
    result.worst_ulp = ulp;
    result.index = i;
  };
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (expected.extents() != got.extents() || expected.dtype() != got.dtype()) {
    differ(0, kInfinity, kInfinity);
    return result;
  }
  const DType dtype = expected.dtype();
  double greatest = 0;
  if (is_float(dtype))
    for (std::int64_t i = 0; i < expected.size(); ++i)
      if (const double v = std::fabs(element_as_double(expected, i)); std::isfinite(v))
        greatest = std::max(greatest, v);
  for (std::int64_t i = 0; i < expected.size(); ++i) {
    if (!is_float(dtype)) {
      const std::int64_t e = element_as_int(expected, i), g = element_as_int(got, i);
      if (e != g && !(std::fabs(static_cast<double>(e) - static_cast<double>(g)) <= slack_at(i)))
        differ(i, kInfinity, kInfinity);
      continue;
    }
    const double e = element_as_double(expected, i), g = element_as_double(got, i);
    if (std::isnan(e) && std::isnan(g)) continue;
    if (e == g && std::signbit(e) == std::signbit(g)) continue;
    if (std::isinf(slack_at(i))) continue;
    if (!std::isfinite(e) || !std::isfinite(g)) {
      differ(i, kInfinity, kInfinity);
      continue;
    }
    const double distance = std::max(std::fabs(e - g) - slack_at(i), 0.0);
    differ(i, distance / ulp_of(std::max(std::fabs(e), std::ldexp(greatest, -10)), dtype),
           distance / ulp_of(e, dtype));
  }
  return result;
}

bool is_inexact(const Node& node) {
  return own_ulp(node) > 0 || std::any_of(node.regions.begin(), node.regions.end(), [](const auto& region) {
           return std::any_of(region->nodes.begin(), region->nodes.end(), is_inexact);
         });
}

std::vector<double> allowed_ulp(const Function& function) {
  std::vector<double> allowed(function.values.size());
  for (const Node& node : function.nodes) {
    double most = 0;
    for (const ValueId input : node.inputs) most = std::max(most, allowed[input]);
    if (own_ulp(node) > 0) most += std::max<double>(kUlpPerOperator, own_ulp(node));
    double within = 0;  // the longest path in a region
    for (const auto& region : node.regions) {
      for (const double path : allowed_ulp(*region)) within = std::max(within, path);
    }
    most += within;
    for (std::uint32_t r = 0; r < node.result_count; ++r) allowed[node.first_result + r] = most;
  }
  return allowed;
}

std::string index_text(const Tensor& tensor, std::int64_t flat) {
  std::string text;
  for (std::size_t axis = tensor.extents().size(); axis-- > 0;) {
    const std::int64_t extent = std::max<std::int64_t>(tensor.extents()[axis], 1);
    text = std::to_string(flat % extent) + (text.empty() ? "" : ",") + text;
    flat /= extent;
  }
  return "[" + text + "]";
}

}  // namespace cohort
