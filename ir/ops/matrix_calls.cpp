#include "ir/ops/matrix_calls.h"

#include <algorithm>

#include "ir/diagnostics.h"
#include "ir/ops/elimination.h"
#include "ir/ops/orthogonal.h"

namespace cohort::ops {

namespace {

// The arguments of a call.
struct Arguments {
  std::span<Tensor> outputs;
  std::span<const Tensor> inputs;
  std::span<const std::int64_t> scalars;

  template <typename T>
  T* output(std::size_t i, std::int64_t count) const {
    const std::int64_t at = scalars[i];
    require(at >= 0 && at + count <= outputs[i].size(), "a call writes outside its result");
    return outputs[i].mutable_as<T>() + at;
  }
  template <typename T>
  const T* input(std::size_t i, std::int64_t count) const {
    const std::int64_t at = scalars[outputs.size() + i];
    require(at >= 0 && at + count <= inputs[i].size(), "a call reads outside an operand");
    return inputs[i].as<T>() + at;
  }
  std::int64_t size(std::size_t i) const { return scalars[outputs.size() + inputs.size() + i]; }
  bool flag(std::size_t i) const { return size(i) != 0; }
};

template <typename T>
std::vector<T> copied(const T* from, std::int64_t count) {
  return std::vector<T>(from, from + count);
}

template <typename T>
void cholesky(const Arguments& call) {
  const std::int64_t n = call.size(0);
  const bool lower = call.flag(1);
  T* l = call.output<T>(0, n * n);
  std::vector<T> u;
  if (!upper_factor(n, call.input<T>(0, n * n), lower, u)) return void(std::fill(l, l + n * n, kNaN<T>));
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j)
      l[i * n + j] = u[static_cast<std::size_t>(lower ? j * n + i : i * n + j)];
}

template <typename T>
void solve_triangular(const Arguments& call) {
  const std::int64_t n = call.size(0), columns = call.size(1);
  const bool lower = call.flag(2), transpose = call.flag(3), unit = call.flag(4);
  T* x = call.output<T>(0, n * columns);
  std::copy_n(call.input<T>(1, n * columns), n * columns, x);
  const View<T> a{call.input<T>(0, n * n), transpose ? 1 : n, transpose ? n : 1};
  substitute(n, columns, a, lower != transpose, unit, x);
}

template <typename T>
void solve_positive(std::int64_t n, std::int64_t columns, const T* a, const T* b, T* x) {
  std::vector<T> u;
  if (!upper_factor(n, a, true, u)) return void(std::fill(x, x + n * columns, kNaN<T>));
  std::copy_n(b, n * columns, x);
  substitute(n, columns, View<T>{u.data(), 1, n}, true, false, x);
  substitute(n, columns, View<T>{u.data(), n, 1}, false, false, x);
}

// `order` has one entry for each row.
template <typename T>
void solve_factored(std::int64_t n, std::int64_t columns, const std::vector<T>& factors, T* x) {
  const View<T> view{factors.data(), n, 1};
  substitute(n, columns, view, true, true, x);
  substitute(n, columns, view, false, false, x);
}

template <typename T>
void solve(const Arguments& call) {
  const std::int64_t n = call.size(0), columns = call.size(1);
  const T *a = call.input<T>(0, n * n), *b = call.input<T>(1, n * columns);
  T* x = call.output<T>(0, n * columns);
  if (call.flag(2)) return solve_positive(n, columns, a, b, x);
  std::vector<T> factors = copied(a, n * n);
  std::vector<std::int64_t> order(static_cast<std::size_t>(n));
  factor_lu(n, n, factors.data(), order.data());
  for (std::int64_t i = 0; i < n; ++i)
    std::copy_n(b + order[static_cast<std::size_t>(i)] * columns, columns, x + i * columns);
  solve_factored(n, columns, factors, x);
}

template <typename T>
void lu(const Arguments& call) {
  const std::int64_t m = call.size(0), n = call.size(1);
  T* packed = call.output<T>(0, m * n);
  std::copy_n(call.input<T>(0, m * n), m * n, packed);
  factor_lu(m, n, packed, call.output<std::int64_t>(1, m));
}

template <typename T>
void inv(const Arguments& call) {
  const std::int64_t n = call.size(0);
  T* x = call.output<T>(0, n * n);
  std::vector<T> factors = copied(call.input<T>(0, n * n), n * n);
  std::vector<std::int64_t> order(static_cast<std::size_t>(n));
  factor_lu(n, n, factors.data(), order.data());
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) x[i * n + j] = j == order[static_cast<std::size_t>(i)] ? T(1) : T(0);
  solve_factored(n, n, factors, x);
}

// The diagonal of u; its sign goes first.
template <typename T>
std::vector<T> pivots(const Arguments& call) {
  const std::int64_t n = call.size(0);
  std::vector<T> factors = copied(call.input<T>(0, n * n), n * n);
  std::vector<std::int64_t> order(static_cast<std::size_t>(n));
  std::vector<T> result{static_cast<T>(factor_lu(n, n, factors.data(), order.data()))};
  for (std::int64_t i = 0; i < n; ++i) result.push_back(factors[static_cast<std::size_t>(i * n + i)]);
  return result;
}

template <typename T>
void det(const Arguments& call) {
  T product = 1;
  for (const T pivot : pivots<T>(call)) product *= pivot;
  *call.output<T>(0, 1) = product;
}

template <typename T>
void slogdet(const Arguments& call) {
  T product = 1, sum = 0;
  for (const T pivot : pivots<T>(call)) {
    product *= pivot > 0 ? T(1) : pivot < 0 ? T(-1) : pivot;
    sum += std::log(std::fabs(pivot));
  }
  *call.output<T>(0, 1) = product + T(0);  // no -0
  *call.output<T>(1, 1) = sum;
}

template <typename T>
void qr(const Arguments& call) {
  const std::int64_t m = call.size(0), n = call.size(1), k = std::min(m, n);
  factor_qr(m, n, call.input<T>(0, m * n), call.output<T>(0, m * k), call.output<T>(1, k * n));
}

template <typename T>
void eigh(const Arguments& call) {
  const std::int64_t n = call.size(0);
  T *w = call.output<T>(0, n), *v = call.output<T>(1, n * n);
  if (eigen(n, call.input<T>(0, n * n), w, v)) return;
  std::fill(w, w + n, kNaN<T>);
  std::fill(v, v + n * n, kNaN<T>);
}

template <typename T>
void svd(const Arguments& call) {
  const std::int64_t m = call.size(0), n = call.size(1), k = std::min(m, n);
  T *u = call.output<T>(0, m * k), *s = call.output<T>(1, k), *vt = call.output<T>(2, k * n);
  if (singular(m, n, call.input<T>(0, m * n), u, s, vt)) return;
  std::fill(u, u + m * k, kNaN<T>);
  std::fill(s, s + k, kNaN<T>);
  std::fill(vt, vt + k * n, kNaN<T>);
}

struct Function {
  std::string_view name;
  void (*f32)(const Arguments&);
  void (*f64)(const Arguments&);
};
#define MATRIX_CALL(name) \
  { "rt_" #name, name<float>, name<double> }
constexpr Function kFunctions[] = {MATRIX_CALL(cholesky), MATRIX_CALL(solve_triangular),
                                   MATRIX_CALL(solve),    MATRIX_CALL(lu),
                                   MATRIX_CALL(inv),      MATRIX_CALL(det),
                                   MATRIX_CALL(slogdet),  MATRIX_CALL(qr),
                                   MATRIX_CALL(eigh),     MATRIX_CALL(svd)};
#undef MATRIX_CALL

const Function* find_function(std::string_view name) {
  const auto* found = std::find_if(std::begin(kFunctions), std::end(kFunctions),
                                   [&](const Function& f) { return f.name == name; });
  return found == std::end(kFunctions) ? nullptr : found;
}

}  // namespace

bool is_matrix_call(std::string_view name) { return find_function(name) != nullptr; }

void run_matrix_call(std::string_view name, std::span<Tensor> outputs, std::span<const Tensor> inputs,
                     std::span<const std::int64_t> scalars) {
  const Function* function = find_function(name);
  require(function != nullptr, "the runtime has this function of linear algebra");
  require(scalars.size() > outputs.size() + inputs.size(), "each buffer has a start");
  const bool wide = inputs[0].dtype() == DType::kF64;
  (wide ? function->f64 : function->f32)({outputs, inputs, scalars});
}

}  // namespace cohort::ops
