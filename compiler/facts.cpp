#include "compiler/facts.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "compiler/sample.h"
#include "ir/op_def.h"

namespace cohort {

namespace {

constexpr std::int64_t kMostElements = 4096;  // larger constants are not looked through

Sign sign_of(Scalar element) {
  if (!is_float(element.dtype)) {
    if (is_signed_int(element.dtype) && scalar_as_int(element) < 0) return Sign::kUnknown;
    return element.bits == 0 ? Sign::kNonNegative : Sign::kPositive;
  }
  const double value = scalar_as_double(element);
  if (std::isnan(value) || value > 0) return Sign::kPositive;
  return std::signbit(value) ? Sign::kUnknown : Sign::kNonNegative;
}

Sign sign_of(const Tensor& tensor) {
  if (tensor.size() > kMostElements) return Sign::kUnknown;
  Sign sign = Sign::kPositive;
  for (std::int64_t i = 0; i < tensor.size(); ++i) sign = std::min(sign, sign_of(load_scalar(tensor, i)));
  return sign;
}

// Integers wrap, so what is said of results below is for floats alone, but for operators that choose an
// operand.
Sign sign_of_scalar_op(ScalarOp op, std::span<const Sign> in, bool floats) {
  const auto capped = [&](Sign most, Sign claim) { return floats ? std::min(most, claim) : Sign::kUnknown; };
  switch (op) {
    case ScalarOp::k_abs:
    case ScalarOp::k_square:
    case ScalarOp::k_exp:
    case ScalarOp::k_exp2:
    case ScalarOp::k_sigmoid:
    case ScalarOp::k_softplus:
    case ScalarOp::k_erfc:
      return floats ? Sign::kNonNegative : Sign::kUnknown;
    case ScalarOp::k_cosh:
      return Sign::kPositive;
    case ScalarOp::k_relu:
      return std::max(Sign::kNonNegative, in[0]);
    case ScalarOp::k_sqrt:
    case ScalarOp::k_ceil:
      return in[0];
    case ScalarOp::k_floor:
    case ScalarOp::k_trunc:
    case ScalarOp::k_sign:
    case ScalarOp::k_reciprocal:
    case ScalarOp::k_cbrt:
    case ScalarOp::k_log1p:
    case ScalarOp::k_expm1:
    case ScalarOp::k_tanh:
      return capped(Sign::kNonNegative, in[0]);
    case ScalarOp::k_max:
      return std::max(in[0], in[1]);
    case ScalarOp::k_min:
      return std::min(in[0], in[1]);
    case ScalarOp::k_where:
      return std::min(in[1], in[2]);
    case ScalarOp::k_clip:
      return std::min(std::max(in[0], in[1]), in[2]);
    case ScalarOp::k_add:
      if (in[0] == Sign::kUnknown || in[1] == Sign::kUnknown) return Sign::kUnknown;
      return floats ? std::max(in[0], in[1]) : Sign::kUnknown;
    case ScalarOp::k_mul:
    case ScalarOp::k_true_div:
      return capped(Sign::kNonNegative, std::min(in[0], in[1]));
    default:
      return Sign::kUnknown;
  }
}

bool keeps_sign_of_first(std::string_view op) {
  constexpr std::string_view kOps[] = {"broadcast",  "copy",        "expand",     "flip",    "full",
                                       "reduce_max", "reduce_mean", "reduce_min", "repeat",  "reshape",
                                       "roll",       "slice",       "sort",       "squeeze", "stop_gradient",
                                       "take",       "tile",        "transpose"};
  return std::binary_search(std::begin(kOps), std::end(kOps), op);
}

}  // namespace

Sign ValueFacts::sign(ValueId wanted) {
  while (signs_.size() <= wanted) {
    const auto id = static_cast<ValueId>(signs_.size());
    const Value& value = function_.value(id);
    Sign sign = is_unsigned_int(value.type.dtype) || value.type.dtype == DType::kBool ? Sign::kNonNegative
                                                                                      : Sign::kUnknown;
    if (value.kind == ValueKind::kConstant) {
      sign = sign_of(module_.constants[value.index].data);
    } else if (value.kind == ValueKind::kNode) {
      const Node& node = function_.node(value.index);
      std::vector<Sign> in;
      for (const ValueId input : node.inputs) in.push_back(signs_[input]);
      const std::string_view op = node.op->name;
      const bool floats = is_float(value.type.dtype);
      if (node.op->scalar == ScalarOp::k_cast) {
        const bool narrows = !floats || dtype_bytes(value.type.dtype) < 8;
        if (floats) sign = narrows ? std::min(in[0], Sign::kNonNegative) : in[0];
      } else if (is_scalar(node)) {
        sign = std::max(sign, sign_of_scalar_op(node.op->scalar, in, floats));
      } else if (keeps_sign_of_first(op)) {
        sign = std::max(sign, in[0]);
        if (op == "reduce_mean") sign = std::min(sign, Sign::kNonNegative);
      } else if (floats && (op == "reduce_sum" || op == "reduce_prod")) {
        sign = std::min(in[0], Sign::kNonNegative);
      } else if (op == "softmax") {
        sign = Sign::kNonNegative;
      }
    }
    signs_.push_back(sign);
  }
  return signs_[wanted];
}

std::optional<Scalar> uniform_element(const Tensor& tensor) {
  if (tensor.size() == 0) return std::nullopt;
  const auto width = static_cast<std::size_t>(dtype_bytes(tensor.dtype()));
  const std::byte* bytes = tensor.data();
  for (std::int64_t i = 1; i < tensor.size(); ++i)
    if (std::memcmp(bytes, bytes + static_cast<std::size_t>(i) * width, width) != 0) return std::nullopt;
  return load_scalar(tensor, 0);
}

std::optional<Scalar> ValueFacts::uniform_value(ValueId id) const {
  constexpr int kDepth = 8;
  for (int depth = 0; depth < kDepth; ++depth) {
    const Value& value = function_.value(id);
    if (value.kind == ValueKind::kConstant) {
      const Tensor& data = module_.constants[value.index].data;
      return data.size() > kMostElements ? std::nullopt : uniform_element(data);
    }
    if (value.kind != ValueKind::kNode) return std::nullopt;
    const Node& node = function_.node(value.index);
    const std::string_view op = node.op->name;
    if (op != "broadcast" && op != "full" && op != "reshape") return std::nullopt;
    id = node.inputs[0];
  }
  return std::nullopt;
}

}  // namespace cohort
