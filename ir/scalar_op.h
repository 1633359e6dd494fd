// The scalar operators: enumerators, properties and reference values, all read from the rows of ops.def.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "ir/type.h"

namespace cohort {

enum class ScalarOp : std::uint8_t {
  kNone,
#define OP(name, arity, operands, result, traits, ulp, meaning, eval, ...) k_##name,
#include "ir/ops.def"
};
inline constexpr int kScalarOpCount = 0
#define OP(name, arity, operands, result, traits, ulp, meaning, eval, ...) +1
#include "ir/ops.def"
    ;

// Which dtypes the operands may have; `infer` refuses others, the builder casts where the row says so.
enum class Operands : std::uint8_t {
  kAny,      // every dtype
  kNumber,   // integers and floats
  kAddable,  // numbers, and bool with NumPy's meaning (add is or, mul is and)
  kInteger,
  kBits,   // integers and bool
  kFloat,  // floats; the builder casts integers and bool to f64
  kBool,   // bool; the builder casts numbers by `!= 0`
  kSelect  // first operand bool, the others any dtype alike (where)
};
// Whether operands of this kind may have `dtype` (of kSelect: the operands after the first).
constexpr bool accepts(Operands operands, DType dtype) {
  switch (operands) {
    case Operands::kNumber:
      return dtype != DType::kBool;
    case Operands::kInteger:
      return is_integer(dtype);
    case Operands::kBits:
      return dtype == DType::kBool || is_integer(dtype);
    case Operands::kFloat:
      return is_float(dtype);
    case Operands::kBool:
      return dtype == DType::kBool;
    default:
      return true;
  }
}
enum class Result : std::uint8_t {
  kSame,  // dtype of the operands (of the last operand for kSelect)
  kBool,
  kAttr  // the attribute `dtype` (cast)
};
enum Trait : std::uint32_t {
  kNoTrait = 0,
  kCommutative = 1,
  kCheap = 2,  // a few instructions: recomputing beats storing
  kTranscendental = 4,
  kSlow = 8  // a division or a root: several times an addition, and not pipelined
};

struct ScalarOpInfo {
  std::string_view name;  // "tanh"
  int arity;
  Operands operands;
  Result result;
  std::uint32_t traits;
  double ulp;                // compiled code's stated distance from the true value in f32 and f64; 0: exact
  std::string_view meaning;  // "hyperbolic tangent"
};
const ScalarOpInfo& scalar_op_info(ScalarOp op);

// One scalar held in the bits of its dtype (zero-extended): the currency of constant folding and both
// interpreters.
struct Scalar {
  DType dtype = DType::kF64;
  std::uint64_t bits = 0;
  bool operator==(const Scalar&) const = default;
};
Scalar make_scalar(DType dtype, double value);            // as `cast` from f64
Scalar make_scalar_int(DType dtype, std::int64_t value);  // as `cast` from i64
double scalar_as_double(Scalar value);
std::int64_t scalar_as_int(Scalar value);

// The meaning of one operator on one element: operands of equal dtype (kSelect: bool first). `target` is the
// result dtype and matters for `cast` only. This is the definition that everything else is compared with.
Scalar evaluate_scalar(ScalarOp op, std::span<const Scalar> operands, DType target);

// The same over arrays: count elements, operand k read at k_ptr + i * stride_k elements (stride 0 repeats one
// element).
void evaluate_array(ScalarOp op, DType operand_dtype, DType target, std::int64_t count,
                    std::span<const void* const> operands, std::span<const std::int64_t> strides,
                    void* result);

}  // namespace cohort
