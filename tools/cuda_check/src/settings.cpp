#include "settings.h"

#include <cstdlib>
#include <cstring>

namespace cuda_check {
namespace {

int number(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text ? std::atoi(text) : otherwise;
}

bool is(const char* name, const char* value) {
  const char* text = std::getenv(name);
  return text && std::strcmp(text, value) == 0;
}

Settings from_environment() {
  Settings s;
  s.seed = static_cast<uint64_t>(number("CUDA_CHECK_SEED", 1));
  if (is("CUDA_CHECK_ORDER", "forward")) s.order = Order::kForward;
  if (is("CUDA_CHECK_ORDER", "reverse")) s.order = Order::kReverse;
  if (is("CUDA_CHECK_STREAMS", "eager")) s.streams = StreamOrder::kEager;
  if (is("CUDA_CHECK_STREAMS", "lazy")) s.streams = StreamOrder::kLazy;
  s.preempt = number("CUDA_CHECK_PREEMPT", s.preempt);
  s.most_reports = number("CUDA_CHECK_REPORTS", s.most_reports);
  s.no_code = number("CUDA_CHECK_NO_CODE", 0) != 0;
  s.no_blas = number("CUDA_CHECK_NO_BLAS", 0) != 0;
  s.counts = number("CUDA_CHECK_COUNTS", 0) != 0;
  s.statistics = number("CUDA_CHECK_STATISTICS", 0) != 0;
  s.trace = number("CUDA_CHECK_TRACE", 0) != 0;
  return s;
}

}  // namespace

const Settings& settings() {
  static const Settings s = from_environment();
  return s;
}

uint64_t random_bits() {
  static uint64_t state = 0x9e3779b97f4a7c15ull * (settings().seed + 1);
  uint64_t z = (state += 0x9e3779b97f4a7c15ull);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

}  // namespace cuda_check
