// The driver of call_overhead.py.
#include <cstdlib>

#include "overhead.h"
#include "tools/bench/bench.h"

int main() {
  void* workspace = std::aligned_alloc(64, OVERHEAD_WORKSPACE_SIZE);
  if (overhead_init(workspace, OVERHEAD_WORKSPACE_SIZE) != COHORT_OK) return 1;
  double u[2] = {1.0, 1.0}, y[2] = {0, 0};
  const overhead_update_io_args args{sizeof(overhead_update_io_args), u, sizeof u, y, sizeof y};
  double x[2] = {1, 2};
  std::vector<bench::Contender> contenders{{"update",
                                            [&] {
                                              overhead_update(workspace, nullptr);
                                              bench::keep(workspace);
                                            }},
                                           {"update with input and output",
                                            [&] {
                                              overhead_update_io(workspace, &args);
                                              bench::keep(y);
                                            }},
                                           {"the loop alone, inlined", [&] {
                                              for (double& e : x) e = 1.0 - e;
                                              bench::keep(x);
                                            }}};
  bench::measure(contenders);
  std::printf("ns a call, checks on, medians of 15 rounds in turns\n");
  for (const bench::Contender& c : contenders)
    std::printf("%-30s %7.2f\n", c.name.c_str(), bench::median(c.nanoseconds));
  std::free(workspace);
}
