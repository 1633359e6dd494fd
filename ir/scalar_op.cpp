// The rows of ops.def as data, and the conversions between scalars and C++ values.
#include "ir/scalar_op.h"

#include <array>
#include <cstring>

#include "ir/diagnostics.h"

namespace cohort {

namespace {

constexpr std::array<ScalarOpInfo, kScalarOpCount> kInfos = {{
#define OP(name, arity, operands, result, traits, ulp, meaning, eval, ...) \
  {#name, arity, Operands::operands, Result::result, traits, ulp, meaning},
#include "ir/ops.def"
}};

// The bits of a scalar as they lie in memory, whatever the byte order.
template <typename Word>
void put_word(std::uint64_t bits, void* memory) {
  Word word = static_cast<Word>(bits);
  std::memcpy(memory, &word, sizeof(word));
}
template <typename Word>
std::uint64_t word_at(const void* memory) {
  Word word;
  std::memcpy(&word, memory, sizeof(word));
  return word;
}

void put_bits(Scalar value, void* memory) {
  switch (dtype_bytes(value.dtype)) {
    case 1:
      return put_word<std::uint8_t>(value.bits, memory);
    case 2:
      return put_word<std::uint16_t>(value.bits, memory);
    case 4:
      return put_word<std::uint32_t>(value.bits, memory);
    default:
      return put_word<std::uint64_t>(value.bits, memory);
  }
}
Scalar scalar_at(DType dtype, const void* memory) {
  switch (dtype_bytes(dtype)) {
    case 1:
      return {dtype, word_at<std::uint8_t>(memory)};
    case 2:
      return {dtype, word_at<std::uint16_t>(memory)};
    case 4:
      return {dtype, word_at<std::uint32_t>(memory)};
    default:
      return {dtype, word_at<std::uint64_t>(memory)};
  }
}

Scalar cast_from(DType from, const void* memory, DType to) {
  const std::int64_t stride = 0;
  std::uint64_t result = 0;
  evaluate_array(ScalarOp::k_cast, from, to, 1, {&memory, 1}, {&stride, 1}, &result);
  return scalar_at(to, &result);
}

}  // namespace

const ScalarOpInfo& scalar_op_info(ScalarOp op) {
  require(op != ScalarOp::kNone, "scalar_op_info of no operator");
  return kInfos[static_cast<std::size_t>(op) - 1];
}

Scalar make_scalar(DType dtype, double value) { return cast_from(DType::kF64, &value, dtype); }
Scalar make_scalar_int(DType dtype, std::int64_t value) { return cast_from(DType::kI64, &value, dtype); }

double scalar_as_double(Scalar value) {
  std::uint64_t memory = 0;
  put_bits(value, &memory);
  Scalar wide = cast_from(value.dtype, &memory, DType::kF64);
  double result;
  std::memcpy(&result, &wide.bits, sizeof(result));
  return result;
}

std::int64_t scalar_as_int(Scalar value) {
  std::uint64_t memory = 0;
  put_bits(value, &memory);
  return static_cast<std::int64_t>(cast_from(value.dtype, &memory, DType::kI64).bits);
}

Scalar evaluate_scalar(ScalarOp op, std::span<const Scalar> operands, DType target) {
  require(!operands.empty() && operands.size() <= 3, "evaluate_scalar: number of operands");
  std::array<std::uint64_t, 3> memory{};
  std::array<const void*, 3> pointers{};
  const std::array<std::int64_t, 3> strides{};
  for (std::size_t i = 0; i < operands.size(); ++i) {
    put_bits(operands[i], &memory[i]);
    pointers[i] = &memory[i];
  }
  std::uint64_t result = 0;
  evaluate_array(op, operands.back().dtype, target, 1, {pointers.data(), operands.size()},
                 {strides.data(), operands.size()}, &result);
  return scalar_at(scalar_op_info(op).result == Result::kSame ? operands.back().dtype : target, &result);
}

}  // namespace cohort
