// The driver of profiles.py.
#include <cstdlib>
#include <cstring>
#include <new>

#include "counted.h"
#include "fast.h"
#include "plain.h"
#include "tools/bench/bench.h"

namespace {

constexpr int kMost = 64;

struct Arrays {
  std::vector<float> x = std::vector<float>(kMost * kMost);
  std::vector<float> y = x;
  Arrays() {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 13) / 8 - 0.75f;
  }
};

template <class Args>
bench::Contender calling(const char* name, void* workspace, int32_t (*call)(void*, const Args*),
                         Arrays& arrays, std::int64_t n) {
  Args args{};
  args.struct_size = sizeof(Args);
  args.n = n;
  args.x = arrays.x.data();
  args.x_bytes = arrays.x.size() * sizeof(float);
  args.y = arrays.y.data();
  args.y_bytes = arrays.y.size() * sizeof(float);
  return {name, [workspace, call, args] {
            if (call(workspace, &args) != COHORT_OK) std::abort();
          }};
}

template <class Init>
void* workspace_of(std::size_t bytes, Init init) {
  void* workspace = ::operator new (bytes, std::align_val_t{64});
  if (init(workspace, bytes) != COHORT_OK) std::abort();
  return workspace;
}

void report(const char* what, std::int64_t n, std::vector<bench::Contender> contenders,
            const std::vector<Arrays>& arrays) {
  bench::measure(contenders);
  const double plain = bench::median(contenders[0].nanoseconds);
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    const double median = bench::median(contenders[i].nanoseconds);
    const bool same =
        std::memcmp(arrays[i].y.data(), arrays[0].y.data(), arrays[0].y.size() * sizeof(float)) == 0;
    std::printf("%-10s n = %d  %-8s %9.1f ns   plain / it %5.2f   %s\n", what, static_cast<int>(n),
                contenders[i].name.c_str(), median, plain / median, same ? "same bits" : "OTHER BITS");
  }
}

#define REPORT(function)                                                    \
  for (const std::int64_t n : {8, 7}) {                                     \
    std::vector<Arrays> arrays(3);                                          \
    report(#function, n,                                                    \
           {calling("plain", plain, plain_##function, arrays[0], n),        \
            calling("profile", fast, fast_##function, arrays[1], n),        \
            calling("counted", counted, counted_##function, arrays[2], n)}, \
           arrays);                                                         \
  }

}  // namespace

int main() {
  void* plain = workspace_of(PLAIN_WORKSPACE_SIZE, plain_init);
  void* fast = workspace_of(FAST_WORKSPACE_SIZE, fast_init);
  void* counted = workspace_of(COUNTED_WORKSPACE_SIZE, counted_init);
  REPORT(tanh)
  REPORT(softmax)
  REPORT(product)
  REPORT(cumsum)
  REPORT(squares)
  REPORT(row_sums)
  REPORT(transposed)
  REPORT(gram)
}
