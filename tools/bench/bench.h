// Timing for the benches: contenders run in turns within one process, and medians and ratios are what counts.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace bench {

// Keeps the optimiser from removing what only writes to `p`.
inline void keep(const void* p) { asm volatile("" : : "g"(p) : "memory"); }

struct Contender {
  std::string name;
  std::function<void()> run;
  std::vector<double> nanoseconds{};  // of one run, by round
};

// Runs every contender `rounds` times in turns, each time as often as fills about `milliseconds`.
inline void measure(std::vector<Contender>& contenders, int rounds = 15, double milliseconds = 20) {
  using Clock = std::chrono::steady_clock;
  const auto time = [](const std::function<void()>& run, long times) {
    const auto start = Clock::now();
    for (long i = 0; i < times; ++i) run();
    return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
  };
  std::vector<long> times;
  for (Contender& c : contenders) {
    c.run();
    long n = 1;
    while (time(c.run, n) < 1e6 * milliseconds / 4 && n < (1L << 30)) n *= 2;
    times.push_back(
        std::max(1L, static_cast<long>(static_cast<double>(n) * 1e6 * milliseconds / time(c.run, n))));
  }
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < contenders.size(); ++i)
      contenders[i].nanoseconds.push_back(time(contenders[i].run, times[i]) / static_cast<double>(times[i]));
}

inline double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

}  // namespace bench
