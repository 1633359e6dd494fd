// Values to try functions on: what `--verify-passes`, the prover of rules and the differential tests feed
// them. Everything follows from a seed alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "ir/scalar_op.h"

namespace cohort {

// splitmix64: small, well mixed, the same everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  std::int64_t below(std::int64_t bound);                     // 0 <= result < bound
  std::int64_t between(std::int64_t low, std::int64_t high);  // both included
  bool chance(int percent) { return below(100) < percent; }
  double uniform(double low, double high);

 private:
  std::uint64_t state_;
};

// Zeros, ones, infinities, NaN, denormals, extremes: the values where rewrites go wrong.
std::vector<Scalar> special_values(DType dtype);
// A special value, or one of everyday size (floats within ±4, integers within ±5), or any bits.
Scalar sample_scalar(DType dtype, Random& random);
Tensor sample_tensor(DType dtype, const Extents& extents, Random& random);
void store_scalar(Tensor& tensor, std::int64_t index, Scalar value);
Scalar load_scalar(const Tensor& tensor, std::int64_t index);

struct SampleCall {
  std::vector<Tensor> inputs;
  std::vector<Tensor> state;  // by StateId
  DimValues dims;
};
// Odd seeds give everyday values only, even ones special values too; dims are between their minimum and 7
// above it.
SampleCall sample_call(const Module& module, const Function& function, std::uint64_t seed);

// Nothing if the tensors agree bit for bit, a NaN being equal to every NaN; else the first difference in
// words.
std::optional<std::string> first_difference(const Tensor& expected, const Tensor& actual);

}  // namespace cohort
