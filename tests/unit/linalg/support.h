// What the tests of linear algebra share: random matrices, one operator run on its own, plain products to
// rebuild what was factored, and gradients against differences.
#pragma once

#include <string>
#include <vector>

#include "ir/builder.h"
#include "ir/diagnostics.h"

namespace cohort::test {

// Elements between -1 and 1, the same for the same arguments.
Tensor random_matrix(DType dtype, const Extents& extents, int seed = 0);
// x x' + n, or its like for each matrix of a batch.
Tensor positive_matrix(DType dtype, Extents extents, int seed = 0);
// With n on the diagonal, so that no pivot is small and triangles can be inverted.
Tensor dominant_matrix(DType dtype, const Extents& extents, int seed = 0);
Tensor values(DType dtype, const Extents& extents, const std::vector<double>& elements);

// Runs the operator; its loops, as lowered, must give the same bits in both orders.
std::vector<Tensor> run(const std::string& op, const std::vector<Tensor>& inputs, Attrs attrs = {});
// The message that making the node gives; empty if there is none.
std::string error_of(const std::string& op, const std::vector<Type>& types, Attrs attrs = {});

// By the operators of the same names, in f64 whatever the operands.
Tensor times(const Tensor& a, const Tensor& b);
Tensor flipped(const Tensor& a);  // the last two axes exchanged
Tensor identity(std::int64_t n);
// x where column - row is at least `from` and at most `to`, 0 elsewhere.
Tensor band(const Tensor& x, std::int64_t from, std::int64_t to);
inline Tensor lower_part(const Tensor& x) { return band(x, -1000, 0); }
inline Tensor upper_part(const Tensor& x) { return band(x, 0, 1000); }
double greatest(const Tensor& x);
double difference(const Tensor& a, const Tensor& b);  // greatest difference of two elements
bool all_nan(const Tensor& x);
// The relative precision that results of `n` steps may lose: a small multiple of n units in the last place.
double allowed(DType dtype, std::int64_t n);

// The gradients of sum(w * results) by each float input against central differences; `symmetric` inputs are
// moved in one triangle only, the lower one.
struct GradientCase {
  std::string op;
  std::vector<Tensor> inputs;
  Attrs attrs = {};
  std::vector<int> results = {0};  // that are summed; squared first where `squares`
  bool squares = false;            // of results whose signs are free
};
void check_gradient(const GradientCase& c, double tolerance = 1e-6);

}  // namespace cohort::test
