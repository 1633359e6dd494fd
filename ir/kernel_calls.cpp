#include "ir/kernel_calls.h"

#include <array>
#include <cmath>

#include "ir/diagnostics.h"
#include "ir/op_def.h"
#include "ir/ops/extern_call.h"
#include "ir/ops/matrix_calls.h"
#include "ir/ops/product_call.h"
#include "ir/ops/sorting.h"

namespace cohort {

namespace {

// Where a sum of products begins in its operands, and how it goes on.
struct Chain {
  std::int64_t a_at, b_at, a_step, b_step, length;
};

template <typename T>
T add_up(const Tensor& a, const Tensor& b, const Chain& chain) {
  T sum = 0;
  for (std::int64_t l = 0; l < chain.length; ++l) {
    const std::int64_t x = chain.a_at + l * chain.a_step, y = chain.b_at + l * chain.b_step;
    require(x >= 0 && x < a.size() && y >= 0 && y < b.size(), "a product reads outside an operand");
    sum = std::fma(a.as<T>()[x], b.as<T>()[y], sum);
  }
  return sum;
}

// rt_gemm(c, a, b; ...): see ir/ops/product_call.h.
template <typename T>
void multiply(Tensor& c, const Tensor& a, const Tensor& b, std::span<const std::int64_t> s) {
  require(s.size() >= 16, "rt_gemm takes sixteen scalars, and one more where it may be divided");
  using namespace gemm;
  T* out = c.mutable_as<T>();
  for (std::int64_t p = 0; p < s[kBatch]; ++p) {
    for (std::int64_t i = 0; i < s[kM]; ++i) {
      for (std::int64_t j = 0; j < s[kN]; ++j) {
        const Chain chain{s[kAAt] + p * s[kABatch] + i * s[kARow], s[kBAt] + p * s[kBBatch] + j * s[kBColumn],
                          s[kAColumn], s[kBRow], s[kK]};
        const std::int64_t at = s[kCAt] + p * s[kCBatch] + i * s[kCRow] + j * s[kCColumn];
        require(at >= 0 && at < c.size(), "rt_gemm writes outside its result");
        out[at] = add_up<T>(a, b, chain);
      }
    }
  }
}

// Where element [k, j] of a matrix of `depth` rows lies in its packed copy.
template <typename T>
std::int64_t packed_place(std::int64_t k, std::int64_t j, std::int64_t depth) {
  constexpr std::int64_t kColumns = kPackedRowBytes / static_cast<std::int64_t>(sizeof(T));
  return (j / kColumns * depth + k) * kColumns + j % kColumns;
}

// rt_gemm_pack(packed, b; packed_at, b_at, at, n, rows, b_row, b_column, k)
template <typename T>
void pack(Tensor& packed, const Tensor& b, std::span<const std::int64_t> s) {
  require(s.size() == 8, "rt_gemm_pack takes eight scalars");
  using namespace gemm_pack;
  for (std::int64_t j = 0; j < s[kN]; ++j) {
    for (std::int64_t k = 0; k < s[kRows]; ++k) {
      const std::int64_t from = s[kBAt] + k * s[kRow] + j * s[kColumn];
      const std::int64_t to = s[kPackedAt] + packed_place<T>(k, s[kAt] + j, s[kK]);
      require(from >= 0 && from < b.size(), "rt_gemm_pack reads outside its operand");
      require(to >= 0 && to < packed.size(), "rt_gemm_pack writes outside its result");
      packed.mutable_as<T>()[to] = b.as<T>()[from];
    }
  }
}

// rt_gemm_packed(c, a, packed; c_at, a_at, packed_at, m, n, k, c_row, a_row, a_column)
template <typename T>
void multiply_packed(Tensor& c, const Tensor& a, const Tensor& packed, std::span<const std::int64_t> s) {
  require(s.size() == 9, "rt_gemm_packed takes nine scalars");
  using namespace gemm_packed;
  for (std::int64_t i = 0; i < s[kM]; ++i) {
    for (std::int64_t j = 0; j < s[kN]; ++j) {
      T sum = 0;
      for (std::int64_t k = 0; k < s[kK]; ++k) {
        const std::int64_t x = s[kAAt] + i * s[kARow] + k * s[kAColumn];
        const std::int64_t y = s[kPackedAt] + packed_place<T>(k, j, s[kK]);
        require(x >= 0 && x < a.size() && y >= 0 && y < packed.size(),
                "rt_gemm_packed reads outside an operand");
        sum = std::fma(a.as<T>()[x], packed.as<T>()[y], sum);
      }
      const std::int64_t at = s[kCAt] + i * s[kCRow] + j;
      require(at >= 0 && at < c.size(), "rt_gemm_packed writes outside its result");
      c.mutable_as<T>()[at] = sum;
    }
  }
}

template <typename T>
void call_product(const std::string& name, std::span<Tensor> outputs, std::span<const Tensor> inputs,
                  std::span<const std::int64_t> scalars) {
  if (name == "rt_gemm_pack") return pack<T>(outputs[0], inputs[0], scalars);
  if (name == "rt_gemm_packed") return multiply_packed<T>(outputs[0], inputs[0], inputs[1], scalars);
  if (outputs.size() > 1) {  // scratch, of several pieces perhaps
    using namespace gemm;
    const bool divided = scalars.size() > kRoom;
    const std::int64_t pieces = divided ? scalars[kPieces] : 1;
    const std::int64_t room = divided ? scalars[kRoom] : outputs[1].size();
    require(room >= product_scratch_bytes(scalars[kM], scalars[kN], scalars[kK], sizeof(T)) &&
                outputs[1].size() >= pieces * room,
            "rt_gemm has room for its scratch");
  }
  multiply<T>(outputs[0], inputs[0], inputs[1], scalars);
}

bool is_product(const std::string& name) { return name.starts_with("rt_gemm"); }

// The operator `name` along the middle axis of the operand seen as [outer, n, inner].
void run_operator(const char* name, Attrs attrs, std::span<Tensor> outputs, const Tensor& input,
                  std::span<const std::int64_t> scalars) {
  const Tensor view = input.reshaped({scalars[0], scalars[1], scalars[2]});
  set_attr(attrs, "axis", std::int64_t{1});
  std::vector<Tensor> results;
  std::vector<Type> types;
  for (const Tensor& output : outputs) {
    const std::int64_t n = attr_or(attrs, "k", scalars[1]);
    results.emplace_back(output.dtype(), Extents{scalars[0], n, scalars[2]});
    types.push_back({output.dtype(), {scalars[0], n, scalars[2]}});
  }
  const OpDef* op = find_op(name);
  const DimValues no_dims;
  EvalContext context{*op, {&view, 1}, attrs, no_dims, types, results};
  op->evaluate(context);
  for (std::size_t i = 0; i < outputs.size(); ++i) outputs[i] = results[i].reshaped(outputs[i].extents());
}

}  // namespace

void call_reference(const std::string& name, std::span<Tensor> outputs, std::span<const Tensor> inputs,
                    std::span<const std::int64_t> scalars) {
  if (is_product(name) && outputs[0].dtype() == DType::kF32)
    return call_product<float>(name, outputs, inputs, scalars);
  if (is_product(name)) return call_product<double>(name, outputs, inputs, scalars);
  if (name == "rt_sort") return run_operator("sort", {}, outputs, inputs[0], scalars);
  if (name == "rt_argsort") return run_operator("argsort", {}, outputs, inputs[0], scalars);
  if (name == "rt_topk") return run_operator("topk", {{"k", scalars[3]}}, outputs, inputs[0], scalars);
  if (const auto call = ops::extern_call(name)) {
    // The status is the first output.
    set_element_int(outputs[0], 0, ops::run_extern(*call, outputs.subspan(1), inputs, scalars));
    return;
  }
  if (ops::is_matrix_call(name)) return ops::run_matrix_call(name, outputs, inputs, scalars);
  internal_error("the loop interpreter has no runtime function `" + name + "`");
}

Scalar product_element(const Tensor& a, const Tensor& b, std::span<const std::int64_t> s, std::int64_t batch,
                       std::int64_t row, std::int64_t column) {
  using namespace gemm_tiles;
  require(s.size() == kCount, "a product of tiles takes twelve scalars");
  const Chain chain{s[kAAt] + batch * s[kABatch] + row * s[kARow],
                    s[kBAt] + batch * s[kBBatch] + column * s[kBColumn], s[kAColumn], s[kBRow], s[kK]};
  return a.dtype() == DType::kF32 ? make_scalar(DType::kF32, add_up<float>(a, b, chain))
                                  : make_scalar(DType::kF64, add_up<double>(a, b, chain));
}

bool call_has_starts(const std::string& name) { return is_product(name) || ops::is_matrix_call(name); }

}  // namespace cohort
