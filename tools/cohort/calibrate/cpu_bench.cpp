// What `cohort calibrate` measures of a CPU, compiled as emitted modules are. Reports under the names of
// compiler/device/constants.def; what cannot be measured is left out.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <cohort/prelude.h>

namespace {

// So that a loop's result counts as used and the next round as new.
template <class T>
void keep(T* data) {
  asm volatile("" : : "r"(data) : "memory");
}

// Nanoseconds of one call of `body`: of rounds of a few milliseconds the lower quartile, or one of another
// rank. What else the machine does makes half of the rounds slow at times, and none fast.
constexpr int kRounds = 15;
template <class Body>
double time_of(const Body& body, int rank = kRounds / 4) {
  constexpr double kRound = 4e6;
  const auto round = [&](long calls) {
    const auto begin = std::chrono::steady_clock::now();
    for (long i = 0; i < calls; ++i) body();
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
  };
  long calls = 1;
  while (calls < (1L << 30) && round(calls) < kRound) calls *= 2;
  std::vector<double> times;
  for (int r = 0; r < kRounds; ++r) times.push_back(round(calls) / static_cast<double>(calls));
  std::nth_element(times.begin(), times.begin() + rank, times.end());
  return times[static_cast<std::size_t>(rank)];
}

constexpr std::int64_t kCount = 1024;  // f64 elements that stay in the first-level cache
constexpr std::int64_t kLanes = rt_vector_bytes / 8;

std::vector<double> sample(std::int64_t count) {
  std::vector<double> values(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i)
    values[static_cast<std::size_t>(i)] = 0.25 + 0.5 * ((i * 37) % 101) / 101.0;
  return values;
}

// A typical elementwise loop: 12 instructions by the count of loop_cost.h, the loop's own included.
double instruction() {
  const std::vector<double> x = sample(kCount);
  std::vector<double> y(x.size());
  const double* in = x.data();
  double* out = y.data();
  const double loop = time_of([&] {
    keep(out);
    rt_simd_for<rt_width<double>>(kCount, [&](auto i) {
      const auto a = rt_load(in, i);
      const auto b = rt_add(rt_mul(a, 1.25), 0.5);
      const auto c = rt_max(rt_sub(b, a), 0.125);
      rt_store(out, i, rt_where(rt_gt(a, 0.5), rt_mul(b, c), rt_sub(c, rt_mul(a, 0.75))));
    });
  });
  return loop / (kCount / kLanes) / 12;
}

// A vector's exp and tanh, one with the other.
double function() {
  const std::vector<double> x = sample(kCount);
  std::vector<double> y(x.size());
  const double* in = x.data();
  double* out = y.data();
  const double both = time_of([&] {
    keep(out);
    rt_simd_for<rt_width<double>>(kCount, [&](auto i) { rt_store(out, i, rt_exp(rt_load(in, i))); });
    keep(out);
    rt_simd_for<rt_width<double>>(kCount, [&](auto i) { rt_store(out, i, rt_tanh(rt_load(in, i))); });
  });
  return both / (kCount / kLanes) / 2;
}

// One sum, whose additions no compiler may reorder.
double latency() {
  const std::vector<double> x = sample(kCount);
  const double* in = x.data();
  double sum = 0;
  return time_of([&] {
           keep(in);
           double total = sum;
           for (std::int64_t i = 0; i < kCount; ++i) total += in[i];
           sum = total;
           keep(&sum);
         }) /
         kCount;
}

void small_kernel(const double* in, double* out, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = in[i] * 2;
}

double kernel_call() {
  void (*volatile call)(const double*, double*, std::int64_t) = small_kernel;
  const double in = 1;
  double out = 0;
  return time_of([&] {
    keep(&out);
    call(&in, &out, 1);
  });
}

double bytes_per_ns(std::int64_t bytes) {
  const std::int64_t count = bytes / 16;
  const std::vector<double> x = sample(count);
  std::vector<double> y(x.size());
  const double* in = x.data();
  double* out = y.data();
  const double loop = time_of([&] {
    keep(out);
    rt_simd_for<rt_width<double>>(count, [&](auto i) { rt_store(out, i, rt_mul(rt_load(in, i), 1.25)); });
  });
  return static_cast<double>(16 * count) / loop;
}

template <class T>
double product() {
  constexpr std::int64_t n = 384;
  std::vector<T> a(n * n, T(0.5)), b(n * n, T(0.25)), c(n * n);
  std::vector<T> scratch(static_cast<std::size_t>(rt_gemm_scratch<T>(n, n, n)));
  const double one = time_of([&] {
    keep(a.data());
    rt_gemm<T>(n, n, n, a.data(), n, 1, b.data(), n, 1, c.data(), n, scratch.data());
    keep(c.data());
  });
  return 2.0 * n * n * n / one;
}

#ifdef _OPENMP
// The fastest round: others on the machine can only make it slower, a thousand times where they have the core
// that the second thread waits for.
double fork_join() {
  long done[2] = {};
  return time_of(
      [&] {
#pragma omp parallel for num_threads(2) schedule(static)
        for (int i = 0; i < 2; ++i) done[i] = done[i] + 1;
        keep(done);
      },
      0);
}
#endif

}  // namespace

extern "C" void cohort_measure_cpu(void (*report)(void* context, const char* name, double value),
                                   void* context) {
  const double one = instruction();
  report(context, "lanes", kLanes);
  report(context, "instruction_ns", one);
  report(context, "function_instructions", function() / one);
  report(context, "latency_instructions", latency() / one);
  long l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
  if (l2 > 0) report(context, "l2_bytes", static_cast<double>(l2));
#ifdef _OPENMP
  constexpr double kBusy = 1e5;  // ns: what is measured then is the wait for a core
  const double fork = sysconf(_SC_NPROCESSORS_ONLN) > 1 ? fork_join() : kBusy;
  if (fork < kBusy) report(context, "fork_join_ns", fork);
#endif
  report(context, "kernel_ns", kernel_call());
  report(context, "cache_bytes_per_ns", bytes_per_ns(l2 > 0 ? l2 / 2 : 1 << 18));
  report(context, "memory_bytes_per_ns", bytes_per_ns(std::int64_t{1} << 28));
  report(context, "f32_product_flops_per_ns", product<float>());
  report(context, "f64_product_flops_per_ns", product<double>());
}
