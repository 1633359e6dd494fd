// The driver of merging.py.
#include <cstdlib>
#include <new>

#include "double1000_array.h"
#include "double1000_merged.h"
#include "double1000_unmerged.h"
#include "double50_array.h"
#include "double50_merged.h"
#include "double50_unmerged.h"
#include "log1000_array.h"
#include "log1000_merged.h"
#include "log1000_unmerged.h"
#include "log50_array.h"
#include "log50_merged.h"
#include "log50_unmerged.h"
#include "tools/bench/bench.h"

namespace {

using Init = int32_t (*)(void*, size_t);

template <class Args>
bench::Contender stepping(const char* name, size_t bytes, Init init, int32_t (*step)(void*, const Args*)) {
  void* workspace = ::operator new (bytes, std::align_val_t{64});
  if (init(workspace, bytes) != COHORT_OK) std::abort();
  return {name, [workspace, step] {
            static const Args arguments{sizeof(Args)};
            if (step(workspace, &arguments) != COHORT_OK) std::abort();
          }};
}

// What one would write by hand: one loop over one array.
bench::Contender by_hand(std::size_t n) {
  double* values = static_cast<double*>(::operator new (n * sizeof(double), std::align_val_t{64}));
  for (std::size_t i = 0; i < n; ++i) values[i] = 0;
  return {"hand", [values, n] {
            for (std::size_t i = 0; i < n; ++i) values[i] *= 2;
            bench::keep(values);
          }};
}

void report(const char* what, std::vector<bench::Contender> contenders) {
  bench::measure(contenders);
  const double merged = bench::median(contenders[0].nanoseconds);
  for (const bench::Contender& c : contenders) {
    const double median = bench::median(c.nanoseconds);
    std::printf("%-28s %-9s %10.1f ns  %6.2f x merged\n", what, c.name.c_str(), median, median / merged);
  }
}

#define VARIANT(module, macro, name) stepping(name, macro##_WORKSPACE_SIZE, module##_init, module##_step)

}  // namespace

int main() {
  report("26 of 50, s <- 2s", {VARIANT(double50_merged, DOUBLE50_MERGED, "merged"),
                               VARIANT(double50_unmerged, DOUBLE50_UNMERGED, "unmerged"),
                               VARIANT(double50_array, DOUBLE50_ARRAY, "array"), by_hand(26 * 50)});
  report("26 of 1000, s <- 2s", {VARIANT(double1000_merged, DOUBLE1000_MERGED, "merged"),
                                 VARIANT(double1000_unmerged, DOUBLE1000_UNMERGED, "unmerged"),
                                 VARIANT(double1000_array, DOUBLE1000_ARRAY, "array"), by_hand(26 * 1000)});
  report("26 of 50, s <- log(2+cos s)",
         {VARIANT(log50_merged, LOG50_MERGED, "merged"), VARIANT(log50_unmerged, LOG50_UNMERGED, "unmerged"),
          VARIANT(log50_array, LOG50_ARRAY, "array")});
  report("26 of 1000, s <- log(2+cos s)", {VARIANT(log1000_merged, LOG1000_MERGED, "merged"),
                                           VARIANT(log1000_unmerged, LOG1000_UNMERGED, "unmerged"),
                                           VARIANT(log1000_array, LOG1000_ARRAY, "array")});
}
