// The driver of chain.py: three ways to compute tanh(1.25 x + 0.5) * sigmoid(-0.75 x).
#include <sys/mman.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "chain.h"
#include "tools/bench/bench.h"
#include "tools/bench/hand_vectors.h"

namespace {

void scalar(const float* x, float* y, long n) {
  for (long i = 0; i < n; ++i)
    y[i] = std::tanh(1.25f * x[i] + 0.5f) * (1.0f / (1.0f + std::exp(0.75f * x[i])));
}

void hand(const float* x, float* y, long n) {
  using namespace hand_vectors;
  for (long i = 0; i + kWidth <= n; i += kWidth) {
    const vf v = *reinterpret_cast<const vf*>(x + i);
    *reinterpret_cast<vf*>(y + i) = tanh(1.25f * v + 0.5f) * sigmoid(-0.75f * v);
  }
  for (long i = n - n % kWidth; i < n; ++i) scalar(x + i, y + i, 1);
}

// Room for n floats, in pages of 2 MiB if asked for: over long arrays a good part of the time goes into
// finding the 4 KiB pages.
float* allocate(long n, bool huge_pages) {
  constexpr std::size_t huge_page = std::size_t{2} << 20;
  const std::size_t bytes = (static_cast<std::size_t>(n) * 4 + huge_page) / huge_page * huge_page;
  void* memory = std::aligned_alloc(huge_pages ? huge_page : 64, bytes);
  if (huge_pages) madvise(memory, bytes, MADV_HUGEPAGE);
  return static_cast<float*>(memory);
}

template <typename Args>
void bench_size(long n, void* workspace, int32_t (*call)(void*, const Args*), bool huge_pages = false) {
  float* x = allocate(n, huge_pages);
  float* y = allocate(n, huge_pages);
  for (long i = 0; i < n; ++i) x[i] = static_cast<float>(i % 2001 - 1000) * 0.005f;
  const std::size_t bytes = static_cast<std::size_t>(n) * 4;
  const Args args{sizeof(Args), x, bytes, y, bytes};
  std::vector<bench::Contender> contenders{{"emitted",
                                            [&] {
                                              call(workspace, &args);
                                              bench::keep(y);
                                            }},
                                           {"hand",
                                            [&] {
                                              hand(x, y, n);
                                              bench::keep(y);
                                            }},
                                           {"libm", [&] {
                                              scalar(x, y, n);
                                              bench::keep(y);
                                            }}};
  bench::measure(contenders);
  const double emitted = bench::median(contenders[0].nanoseconds),
               by_hand = bench::median(contenders[1].nanoseconds),
               libm = bench::median(contenders[2].nanoseconds);
  const double count = static_cast<double>(n);
  std::printf("%9ld  %8.3f  %8.3f  %8.2f  %14.2f  %14.1f%s\n", n, emitted / count, by_hand / count,
              libm / count, emitted / by_hand, libm / emitted, huge_pages ? "  (pages of 2 MiB)" : "");
  std::free(x);
  std::free(y);
}

}  // namespace

int main() {
  void* workspace = std::aligned_alloc(64, CHAIN_WORKSPACE_SIZE);
  if (chain_init(workspace, CHAIN_WORKSPACE_SIZE) != COHORT_OK) return 1;
  std::printf("tanh(a*x+b)*sigmoid(c*x), f32, one thread; ns an element, medians of 15 rounds in turns\n");
  std::printf("        n   emitted      hand      libm    emitted/hand    libm/emitted\n");
  bench_size<chain_chain_4096_args>(4096, workspace, chain_chain_4096);
  bench_size<chain_chain_100000_args>(100000, workspace, chain_chain_100000);
  bench_size<chain_chain_10000000_args>(10000000, workspace, chain_chain_10000000);
  bench_size<chain_chain_10000000_args>(10000000, workspace, chain_chain_10000000, true);
  std::free(workspace);
}
