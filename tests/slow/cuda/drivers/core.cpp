// Calls each function of goldens/core.txt once, so that its accesses are counted. Runs under
// tools/cuda_check.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "core.h"

namespace {

// Arrays of the greatest size for all arguments: inputs are zeros, what is written is not looked at.
std::vector<float> first(8192),
    second(8192), written[2] = {std::vector<float>(8192), std::vector<float>(8192)};

void check(int32_t status) {
  if (status == COHORT_OK) return;
  std::printf("core: status %d\n", status);
  std::exit(1);
}

}  // namespace

#define CALL(function, ...)                                         \
  do {                                                              \
    const core_##function##_args args = {sizeof args, __VA_ARGS__}; \
    check(core_##function(workspace, &args));                       \
  } while (0)
#define X first.data(), 32768
#define Y second.data(), 32768
#define OUT written[0].data(), 32768
#define OUT2 written[1].data(), 32768

int main() {
  void* workspace = std::aligned_alloc(CORE_WORKSPACE_ALIGN, (CORE_WORKSPACE_SIZE + 63) / 64 * 64);
  check(core_init(workspace, CORE_WORKSPACE_SIZE));
  check(core_attach(workspace, nullptr, 0, nullptr));
  CALL(elementwise, X, Y, OUT);
  const core_double_precision_args doubles = {sizeof doubles, reinterpret_cast<const double*>(first.data()),
                                              32768, reinterpret_cast<double*>(written[0].data()), 32768};
  check(core_double_precision(workspace, &doubles));
  CALL(rows, X, OUT);
  CALL(columns, X, OUT);
  CALL(everything, X, OUT);
  CALL(softmax, X, OUT);
  CALL(gather, X, OUT);
  CALL(scatter, X, Y, OUT);
  CALL(transposed, X, OUT);
  CALL(product, X, Y, OUT);
  CALL(layer, X, Y, X, OUT);
  CALL(steps, X, Y, OUT, OUT2);
  check(core_detach(workspace));
  std::free(workspace);
}
