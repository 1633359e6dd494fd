// Prints a digest of what the prelude computes. Built at several levels of optimisation, vector widths and
// settings of contraction, it must print the same each time: neither may change a bit.
#include <cohort/prelude.h>

#include <cstdio>
#include <vector>

namespace {

struct Digest {
  uint64_t hash = 14695981039346656037u;
  template <class T>
  void add(T x) {
    if (x != x) x = static_cast<T>(__builtin_nan(""));  // which NaN is the machine's affair
    unsigned char bytes[sizeof(T)];
    __builtin_memcpy(bytes, &x, sizeof(T));
    for (unsigned char byte : bytes) hash = (hash ^ byte) * 1099511628211u;
  }
};

template <class T>
std::vector<T> inputs(int n) {
  std::vector<T> x;
  for (int i = 0; i < n; ++i)
    x.push_back(static_cast<T>(rt_random_normal<double>(3, 0, int64_t{i})) * (i % 7 ? T(1) : T(200)));
  return x;
}

template <class T>
std::vector<T> shifted(const std::vector<T>& x) {
  std::vector<T> y(x.begin() + 1, x.end());
  y.push_back(x[0]);
  return y;
}

template <class T>
void elementwise(const char* name) {
  const auto x = inputs<T>(1003), y = shifted(x);
  std::vector<T> out(x.size());
  Digest digest;
  const auto map = [&](auto f) {
    rt_simd_for<rt_width<T>>(static_cast<int64_t>(x.size()), [&](auto i) {
      rt_store(out.data(), i, f(rt_load(x.data(), i), rt_load(y.data(), i)));
    });
    for (T v : out) digest.add(v);
  };
  map([](auto a, auto b) { return a * b + a; });  // two roundings
  map([](auto a, auto b) { return rt_sub(rt_mul(a, a), rt_mul(b, b)); });
  map([](auto a, auto b) { return rt_tanh(a) * rt_sigmoid(b) + rt_softplus(a); });
  map([](auto a, auto b) { return rt_sin(a) + rt_exp(b) * rt_log(rt_abs(a)); });
  map([](auto a, auto b) { return rt_pow(rt_abs(a), b) - rt_erf(a) * rt_mod(a, b); });
  T sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum = x[i] * y[i] + sum;  // scalar code of the caller's own
  digest.add(sum);
  std::printf("%s elementwise %016llx\n", name, static_cast<unsigned long long>(digest.hash));
}

template <class T>
void reductions(const char* name) {
  const auto x = inputs<T>(1003);
  Digest digest;
  for (int64_t n : {0, 1, 5, 16, 17, 100, 1003}) {
    const auto load = [&](auto i) { return rt_load(x.data(), i); };
    digest.add(rt_reduce_sum<T>(n, load));
    digest.add(rt_reduce_prod<T>(n, load));
    digest.add(rt_reduce_max<T>(n, load));
    digest.add(rt_reduce_min<T>(n, [&](auto i) { return rt_exp(load(i)); }));
  }
  std::printf("%s reductions %016llx\n", name, static_cast<unsigned long long>(digest.hash));
}

template <class T>
void products(const char* name) {
  const auto x = inputs<T>(1200), y = inputs<T>(1600);
  std::vector<T> out(30 * 40);
  alignas(64) static char scratch[1 << 16];
  Digest digest;
  for (int64_t m : {1, 3, 30}) {
    rt_gemm<T>(m, 40, 40, x.data(), 40, 1, y.data(), 40, 1, out.data(), 40, scratch);
    for (T v : out) digest.add(v);
  }
  std::printf("%s products %016llx\n", name, static_cast<unsigned long long>(digest.hash));
}

}  // namespace

int main() {
  elementwise<float>("f32");
  elementwise<double>("f64");
  reductions<float>("f32");
  reductions<double>("f64");
  products<float>("f32");
  products<double>("f64");
}
