// Two modules in one program; 32 threads, each with a workspace of its own.
#include <cmath>
#include <new>
#include <thread>
#include <vector>

#include "check.h"
#include "hostile.h"
#include "model.h"

static void* workspace(size_t bytes) { return ::operator new (bytes, std::align_val_t{64}); }

static void work(int seed) {
  void* model = workspace(MODEL_WORKSPACE_SIZE);
  void* hostile = workspace(HOSTILE_WORKSPACE_SIZE);
  CHECK(model_init(model, MODEL_WORKSPACE_SIZE) == 0 && hostile_init(hostile, HOSTILE_WORKSPACE_SIZE) == 0);
  CHECK(model_step(hostile, nullptr) == COHORT_NOT_INITIALISED);
  const double start[2] = {static_cast<double>(seed), 1};
  CHECK(model_set(model, "x", start, sizeof start) == 0);
  for (int k = 0; k < 100; ++k) {
    CHECK(model_step(model, nullptr) == 0);
    const hostile_init_2_args none = {sizeof none};
    CHECK(hostile_init_2(hostile, &none) == 0);
  }
  double x[2];
  CHECK(model_get(model, "x", x, sizeof x) == 0 && x[0] == std::ldexp(seed, 100));
  float a = 0;
  CHECK(hostile_get(hostile, "a", &a, sizeof a) == 0 && a == 8);
  CHECK(hostile_get(hostile, "", &a, sizeof a) == 0 && a == 7);
  CHECK(hostile_get(hostile, "quote\"\\?\n", &a, sizeof a) == 0 && a == 10);
  ::operator delete (model, std::align_val_t{64});
  ::operator delete (hostile, std::align_val_t{64});
}

int main() {
  std::vector<std::thread> threads;
  for (int k = 0; k < 32; ++k) threads.emplace_back(work, k);
  for (std::thread& thread : threads) thread.join();
  return 0;
}
