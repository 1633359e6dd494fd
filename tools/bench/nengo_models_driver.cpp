// The loop of nengo_models.py: steps through a module's C interface with nothing in between.
#include <chrono>
#include <cstdint>

extern "C" double time_steps(int32_t (*step)(void*, const void*), void* workspace, const void* arguments,
                             int64_t count) {
  const auto start = std::chrono::steady_clock::now();
  for (int64_t i = 0; i < count; ++i)
    if (step(workspace, arguments) != 0) return -1;
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}
