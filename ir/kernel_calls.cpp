#include "ir/kernel_calls.h"

#include <array>
#include <cmath>

#include "ir/diagnostics.h"
#include "ir/op_def.h"
#include "ir/ops/matrix_calls.h"
#include "ir/ops/sorting.h"

namespace cohort {

namespace {

// rt_gemm(c, a, b; ...): see ir/ops/product_call.h.
template <typename T>
void multiply(Tensor& c, const Tensor& a, const Tensor& b, std::span<const std::int64_t> s) {
  require(s.size() >= 16, "rt_gemm takes sixteen scalars, and one more where it may be divided");
  enum {
    kC,
    kA,
    kB,
    kBatch,
    kM,
    kN,
    kK,
    kCBatch,
    kCRow,
    kCColumn,
    kABatch,
    kARow,
    kAColumn,
    kBBatch,
    kBRow,
    kBColumn
  };
  T* out = c.mutable_as<T>();
  for (std::int64_t p = 0; p < s[kBatch]; ++p) {
    for (std::int64_t i = 0; i < s[kM]; ++i) {
      for (std::int64_t j = 0; j < s[kN]; ++j) {
        T sum = 0;
        for (std::int64_t l = 0; l < s[kK]; ++l) {
          const std::int64_t x = s[kA] + p * s[kABatch] + i * s[kARow] + l * s[kAColumn];
          const std::int64_t y = s[kB] + p * s[kBBatch] + l * s[kBRow] + j * s[kBColumn];
          require(x >= 0 && x < a.size() && y >= 0 && y < b.size(), "rt_gemm reads outside an operand");
          sum = std::fma(a.as<T>()[x], b.as<T>()[y], sum);
        }
        const std::int64_t at = s[kC] + p * s[kCBatch] + i * s[kCRow] + j * s[kCColumn];
        require(at >= 0 && at < c.size(), "rt_gemm writes outside its result");
        out[at] = sum;
      }
    }
  }
}

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
  if (name == "rt_gemm" && outputs[0].dtype() == DType::kF32)
    return multiply<float>(outputs[0], inputs[0], inputs[1], scalars);
  if (name == "rt_gemm") return multiply<double>(outputs[0], inputs[0], inputs[1], scalars);
  if (name == "rt_sort") return run_operator("sort", {}, outputs, inputs[0], scalars);
  if (name == "rt_argsort") return run_operator("argsort", {}, outputs, inputs[0], scalars);
  if (name == "rt_topk") return run_operator("topk", {{"k", scalars[3]}}, outputs, inputs[0], scalars);
  if (ops::is_matrix_call(name)) return ops::run_matrix_call(name, outputs, inputs, scalars);
  internal_error("the loop interpreter has no runtime function `" + name + "`");
}

bool call_has_starts(const std::string& name) { return name == "rt_gemm" || ops::is_matrix_call(name); }

}  // namespace cohort
