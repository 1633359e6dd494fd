// evaluate_array: one loop per operator and dtype, made from the eval column of ops.def and found through a
// table.
#include <array>
#include <utility>

#include "ir/diagnostics.h"
#include "ir/scalar_math.h"
#include "ir/scalar_op.h"
#include "ir/tensor.h"

namespace cohort {

namespace {

// How elements of a dtype lie in memory and what they are computed in.
template <typename T>
struct Plain {
  using Element = T;
  using Value = T;
  static T load(T element) { return element; }
  static T store(T value) { return value; }
};
template <DType kDType>
struct Storage;
template <>
struct Storage<DType::kBool> {
  using Element = std::uint8_t;
  using Value = bool;
  static bool load(std::uint8_t element) { return element != 0; }
  static std::uint8_t store(bool value) { return value; }
};
template <>
struct Storage<DType::kF16> {
  using Element = std::uint16_t;
  using Value = float;
  static float load(std::uint16_t element) { return f16_to_f32(element); }
  static std::uint16_t store(float value) { return f32_to_f16(value); }
};
template <>
struct Storage<DType::kBF16> {
  using Element = std::uint16_t;
  using Value = float;
  static float load(std::uint16_t element) { return bf16_to_f32(element); }
  static std::uint16_t store(float value) { return f32_to_bf16(value); }
};
template <>
struct Storage<DType::kI8> : Plain<std::int8_t> {};
template <>
struct Storage<DType::kI16> : Plain<std::int16_t> {};
template <>
struct Storage<DType::kI32> : Plain<std::int32_t> {};
template <>
struct Storage<DType::kI64> : Plain<std::int64_t> {};
template <>
struct Storage<DType::kU8> : Plain<std::uint8_t> {};
template <>
struct Storage<DType::kU16> : Plain<std::uint16_t> {};
template <>
struct Storage<DType::kU32> : Plain<std::uint32_t> {};
template <>
struct Storage<DType::kU64> : Plain<std::uint64_t> {};
template <>
struct Storage<DType::kF32> : Plain<float> {};
template <>
struct Storage<DType::kF64> : Plain<double> {};

using Loop = void (*)(std::int64_t count, const void* const* operands, const std::int64_t* strides,
                      void* result);

}  // namespace

// The rows' values, beside the functions that the eval column names.
namespace meaning {
namespace {
template <ScalarOp kOp>
struct Row;
#define OP(name, arity_, operands_, result_, traits, ulp, text, eval, ...)                \
  template <>                                                                             \
  struct Row<ScalarOp::k_##name> {                                                        \
    static constexpr int kArity = arity_;                                                 \
    static constexpr Operands kOperands = Operands::operands_;                            \
    static constexpr Result kResult = Result::result_;                                    \
    template <typename A, typename T>                                                     \
    static auto value([[maybe_unused]] A a, [[maybe_unused]] T b, [[maybe_unused]] T c) { \
      return eval;                                                                        \
    }                                                                                     \
  };
#include "ir/ops.def"
}  // namespace
}  // namespace meaning

namespace {

// Operand k of a loop: elements a fixed distance apart.
template <typename S>
struct Operand {
  const typename S::Element* elements;
  std::int64_t stride;
  Operand(const void* memory, std::int64_t distance)
      : elements(static_cast<const typename S::Element*>(memory)), stride(distance) {}
  typename S::Value operator[](std::int64_t i) const { return S::load(elements[i * stride]); }
};

template <ScalarOp kOp, DType kDType>
void row_loop(std::int64_t count, const void* const* operands, const std::int64_t* strides, void* result) {
  using Meaning = meaning::Row<kOp>;
  using S = Storage<kDType>;
  using First = std::conditional_t<Meaning::kOperands == Operands::kSelect, Storage<DType::kBool>, S>;
  using Out = std::conditional_t<Meaning::kResult == Result::kBool, Storage<DType::kBool>, S>;
  using T = typename S::Value;
  auto* out = static_cast<typename Out::Element*>(result);
  const Operand<First> a(operands[0], strides[0]);
  if constexpr (Meaning::kArity == 1) {
    for (std::int64_t i = 0; i < count; ++i) out[i] = Out::store(Meaning::value(a[i], T(), T()));
  } else if constexpr (Meaning::kArity == 2) {
    const Operand<S> b(operands[1], strides[1]);
    for (std::int64_t i = 0; i < count; ++i) out[i] = Out::store(Meaning::value(a[i], b[i], T()));
  } else {
    const Operand<S> b(operands[1], strides[1]), c(operands[2], strides[2]);
    for (std::int64_t i = 0; i < count; ++i) out[i] = Out::store(Meaning::value(a[i], b[i], c[i]));
  }
}

template <DType kFrom, DType kTo>
void cast_loop(std::int64_t count, const void* const* operands, const std::int64_t* strides, void* result) {
  using To = Storage<kTo>;
  auto* out = static_cast<typename To::Element*>(result);
  const Operand<Storage<kFrom>> a(operands[0], strides[0]);
  for (std::int64_t i = 0; i < count; ++i) out[i] = To::store(meaning::convert<typename To::Value>(a[i]));
}

template <ScalarOp kOp, DType kDType>
constexpr Loop loop_of() {
  if constexpr (kOp != ScalarOp::k_cast && accepts(meaning::Row<kOp>::kOperands, kDType)) {
    return &row_loop<kOp, kDType>;
  } else {
    return nullptr;
  }
}

constexpr auto kDTypeIndices = std::make_integer_sequence<int, kDTypeCount>();
using LoopsOfOp = std::array<Loop, kDTypeCount>;

template <ScalarOp kOp, int... kIndex>
constexpr LoopsOfOp loops_of(std::integer_sequence<int, kIndex...>) {
  return {loop_of<kOp, static_cast<DType>(kIndex)>()...};
}
template <DType kFrom, int... kIndex>
constexpr LoopsOfOp casts_from(std::integer_sequence<int, kIndex...>) {
  return {&cast_loop<kFrom, static_cast<DType>(kIndex)>...};
}
template <int... kIndex>
constexpr std::array<LoopsOfOp, kDTypeCount> all_casts(std::integer_sequence<int, kIndex...>) {
  return {casts_from<static_cast<DType>(kIndex)>(kDTypeIndices)...};
}

constexpr std::array<LoopsOfOp, kScalarOpCount> kLoops = {{
#define OP(name, arity, operands, result, traits, ulp, text, eval, ...) \
  loops_of<ScalarOp::k_##name>(kDTypeIndices),
#include "ir/ops.def"
}};
constexpr std::array<LoopsOfOp, kDTypeCount> kCasts = all_casts(kDTypeIndices);

}  // namespace

void evaluate_array(ScalarOp op, DType operand_dtype, DType target, std::int64_t count,
                    std::span<const void* const> operands, std::span<const std::int64_t> strides,
                    void* result) {
  require(op != ScalarOp::kNone, "evaluate_array of no operator");
  require(static_cast<int>(operands.size()) == scalar_op_info(op).arity && strides.size() == operands.size(),
          "evaluate_array: number of operands");
  const std::size_t from = static_cast<std::size_t>(operand_dtype);
  const Loop loop = op == ScalarOp::k_cast ? kCasts[from][static_cast<std::size_t>(target)]
                                           : kLoops[static_cast<std::size_t>(op) - 1][from];
  require(loop != nullptr, "evaluate_array: the operator does not take this dtype");
  loop(count, operands.data(), strides.data(), result);
}

}  // namespace cohort
