// --cuda-graph: captured calls of a workspace that is moved, whose state `a` is at home there, and calls on
// the null stream, which cannot be captured. Runs under tools/cuda_check.
#include "cuda_check/calls.h"
#include "pinned.h"

namespace {

float first(void* workspace) {
  float values[kCount];
  CHECK(order_get(workspace, "a", values, sizeof values) == COHORT_OK);
  return values[0];
}

}  // namespace

int main() {
  void *workspace = pinned(ORDER_WORKSPACE_SIZE), *const moved = pinned(ORDER_WORKSPACE_SIZE);
  CHECK(order_init(workspace, ORDER_WORKSPACE_SIZE) == COHORT_OK);
  CHECK(order_attach(workspace, nullptr, 0, nullptr) == COHORT_OK);
  order_grow_args grow = {};
  grow.struct_size = sizeof grow;
  grow.x = filled(1), grow.x_bytes = kCount * sizeof(float);
  for (int call = 0; call < 2; ++call) CHECK(order_grow(workspace, &grow) == COHORT_OK);
  CHECK(first(workspace) == 3 && cuda_check_called()->captures == 1 && cuda_check_called()->replays == 2);

  std::memcpy(moved, workspace, ORDER_WORKSPACE_SIZE);
  std::memset(workspace, 0, ORDER_WORKSPACE_SIZE);
  for (int call = 0; call < 2; ++call) CHECK(order_grow(moved, &grow) == COHORT_OK);
  CHECK(first(moved) == 5 && cuda_check_called()->captures == 2 && cuda_check_called()->replays == 4);

  CHECK(order_set_stream(moved, nullptr) == COHORT_OK);
  CHECK(order_grow(moved, &grow) == COHORT_OK);
  CHECK(first(moved) == 6 && cuda_check_called()->captures == 2 && cuda_check_called()->replays == 4);
  CHECK(order_detach(moved) == COHORT_OK);
}
