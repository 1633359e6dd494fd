// The loop of pymc_models.py: calls of a sampler's function with nothing in between.
#include <chrono>
#include <cstdint>

using SamplerFunction = int64_t (*)(uint64_t, const double*, double*, double*, void*);

// Seconds for `count` calls; negative if one failed. Each call sees another point.
extern "C" double time_calls(SamplerFunction function, uint64_t size, double* x, double* gradient,
                             double* logp, void* user, int64_t count) {
  const auto start = std::chrono::steady_clock::now();
  for (int64_t i = 0; i < count; ++i) {
    x[0] += 1e-9;
    if (function(size, x, gradient, logp, user) != 0) return -1;
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}
