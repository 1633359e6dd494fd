// Every scalar row that takes and gives floats, at generic points inside its domain.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <optional>

#include "ir/diagnostics.h"
#include "ir/scalar_op.h"
#include "support.h"

using namespace cohort;
using namespace cohort::test;

namespace {

struct Range {
  double low = -2, high = 2;
};

// Where each operand is taken from, if not from [-2, 2].
std::vector<Range> domain(std::string_view op) {
  static const std::map<std::string_view, std::vector<Range>> domains{
      {"pow", {{0.3, 2}, {-2, 2}}},
      {"sqrt", {{0.3, 3}}},
      {"clip", {{-2, 2}, {-1, -0.9}, {0.9, 1.2}}},
      {"log", {{0.3, 3}}},
      {"log2", {{0.3, 3}}},
      {"log10", {{0.3, 3}}},
      {"log1p", {{-0.6, 3}}},
      {"log1mexp", {{-3, -0.3}}},
      {"xlogy", {{-2, 2}, {0.3, 3}}},
      {"asin", {{-0.8, 0.8}}},
      {"acos", {{-0.8, 0.8}}},
      {"acosh", {{1.3, 4}}},
      {"atanh", {{-0.8, 0.8}}},
      {"tan", {{-1.2, 1.2}}},
      {"gammaln", {{0.4, 4}}},
      {"erfinv", {{-0.8, 0.8}}},
      {"erfcinv", {{0.3, 1.7}}},
      {"ndtri", {{0.15, 0.85}}},
      {"gammainc", {{0.6, 3}, {0.4, 3}}},
      {"poisson_quantile", {{0.6, 3}, {0.15, 0.85}}},
      {"binomial_quantile", {{3, 8}, {0.3, 0.7}, {0.15, 0.85}}},
      {"gammaincc", {{0.6, 3}, {0.4, 3}}},
      {"betainc", {{0.6, 3}, {0.6, 3}, {0.15, 0.85}}},
      {"trigamma", {{0.4, 4}}},
      {"digamma", {{0.4, 4}}},
      {"reciprocal", {{0.4, 2}}},
      {"true_div", {{-2, 2}, {0.4, 2}}},
      {"cbrt", {{0.4, 3}}},
  };
  const auto found = domains.find(op);
  return found == domains.end() ? std::vector<Range>(3) : found->second;
}

// Operands that broadcast with each other; the first of a selection is bool.
std::optional<Case> case_of(const OpDef& op) {
  const ScalarOpInfo& info = scalar_op_info(op.scalar);
  const bool selects = info.operands == Operands::kSelect;
  if (!accepts(info.operands, DType::kF64) || info.result != Result::kSame) return std::nullopt;
  const std::vector<Range> ranges = domain(op.name);
  const Extents extents[] = {{2, 4}, {4}, {2, 1}};
  Case result{std::string(op.name), {}, {}, {}};
  for (int i = 0; i < info.arity; ++i) {
    const auto at = static_cast<std::size_t>(i);
    Tensor operand = generic(extents[at], i, ranges[at].low, ranges[at].high);
    if (selects && i == 0) operand = tensor(DType::kBool, extents[0], {0, 1, 1, 0, 1, 0, 1, 1});
    result.inputs.push_back(operand);
  }
  return result;
}

// Rows with a part that has no derivative in this table.
const std::vector<std::string_view> kUndefined{
    "nextafter", "polygamma", "gammainc_grad", "betainc_grad_a", "betainc_grad_b", "ive", "kve"};
// Their slopes by the parameters have none.
const std::vector<std::string_view> kUndefinedTwice{"gammainc", "gammaincc", "betainc"};
// Known to 4096 ulp, which differences would magnify; a whole number of trials, which differences leave.
const std::vector<std::string_view> kInexact{"gammaincinv", "betaincinv", "binomial_quantile"};

bool is_in(const std::vector<std::string_view>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::optional<DiagId> refusal(const Case& c) {
  try {
    (void)with_gradient(module_of(c), "f");
  } catch (const UserError& error) {
    return error.diagnostics()[0].id;
  }
  return std::nullopt;
}

}  // namespace

TEST_CASE("gradients of all scalar rows, and theirs") {
  int rows = 0;
  for (const OpDef* op : all_ops()) {
    if (op->scalar == ScalarOp::kNone || is_in(kInexact, op->name)) continue;
    const std::optional<Case> c = case_of(*op);
    if (!c) continue;
    ++rows;
    if (is_in(kUndefined, op->name)) {
      CHECK(refusal(*c) == DiagId::kNoGradient);
      continue;
    }
    check_case(*c);
    if (!is_in(kUndefinedTwice, op->name)) check_twice(*c);
  }
  CHECK(rows > 50);
}

TEST_CASE("cast: only between floats does it have a gradient") {
  const Case widened{"cast", {tensor(DType::kF32, {2}, {1.5, -2})}, {{"dtype", DType::kF64}}, {}};
  CHECK(gradient_of(widened) == tensor(DType::kF32, {2}, {1, 1}));
  const Case narrowed{"cast", {f64({2}, {1.5, -2})}, {{"dtype", DType::kF32}}, {}};
  CHECK(gradient_of(narrowed) == f64({2}, {1, 1}));
  const Case truncated{"cast", {f64({2}, {1.5, -2})}, {{"dtype", DType::kI32}}, {}};
  CHECK(gradient_of(truncated) == f64({2}, {0, 0}));
}

TEST_CASE("slopes at kinks") {
  CHECK(gradient_of({"abs", {f64({3}, {-2, 0, 3})}}) == f64({3}, {-1, 0, 1}));
  CHECK(gradient_of({"relu", {f64({3}, {-2, 0, 3})}}) == f64({3}, {0, 0, 1}));
  const Case greater{"max", {f64({3}, {1, 2, 3}), f64({3}, {3, 2, 1})}};
  CHECK(gradient_of(greater, 0) == f64({3}, {0, .5, 1}));
  CHECK(gradient_of(greater, 1) == f64({3}, {1, .5, 0}));
  const Case lesser{"min", {f64({3}, {1, 2, 3}), f64({3}, {3, 2, 1})}};
  CHECK(gradient_of(lesser, 0) == f64({3}, {1, .5, 0}));
  CHECK(gradient_of({"hypot", {f64({2}, {0, 3}), f64({2}, {0, 4})}}) == f64({2}, {0, .6}));
  CHECK(gradient_of({"pow", {f64({2}, {0, 0}), f64({2}, {0, 2})}}) == f64({2}, {0, 0}));
}
