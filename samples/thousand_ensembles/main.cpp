// Steps the same model merged and unmerged: every output and every state variable must have the same bits.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

#include "merged.h"
#include "unmerged.h"

namespace {

constexpr int kSteps = 1000, kEnsembles = 1000, kNeurons = 5;

double input(int step) { return std::sin(2 * 3.14159265358979 * step / 500.0); }

template <class Args>
struct Model {
  int32_t (*step)(void*, const Args*);
  int32_t (*get)(void*, const char*, void*, size_t);
  void* workspace;
  double y = 0, microseconds = 0;

  void run(double x) {
    const Args args{sizeof args, &x, sizeof x, &y, sizeof y};
    const auto start = std::chrono::steady_clock::now();
    if (step(workspace, &args) != COHORT_OK) std::abort();
    microseconds +=
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
  }
};

template <class Args>
Model<Args> make(size_t bytes, int32_t (*init)(void*, size_t), int32_t (*step)(void*, const Args*),
                 int32_t (*get)(void*, const char*, void*, size_t)) {
  void* workspace = ::operator new (bytes, std::align_val_t{64});
  if (init(workspace, bytes) != COHORT_OK) std::abort();
  return {step, get, workspace};
}

template <class A, class B>
bool same_state(const Model<A>& a, const Model<B>& b) {
  for (int k = 0; k < kEnsembles; ++k) {
    for (const char* what : {"voltage", "refractory", "filtered"}) {
      const std::string name = "ensemble" + std::to_string(k) + "." + what;
      double one[kNeurons], other[kNeurons];
      const size_t bytes = std::strcmp(what, "filtered") == 0 ? sizeof(double) : sizeof one;
      if (a.get(a.workspace, name.c_str(), one, bytes) != COHORT_OK ||
          b.get(b.workspace, name.c_str(), other, bytes) != COHORT_OK ||
          std::memcmp(one, other, bytes) != 0) {
        std::printf("%s differs\n", name.c_str());
        return false;
      }
    }
  }
  return true;
}

}  // namespace

int main() {
  auto merged = make(MERGED_WORKSPACE_SIZE, merged_init, merged_step, merged_get);
  auto unmerged = make(UNMERGED_WORKSPACE_SIZE, unmerged_init, unmerged_step, unmerged_get);
  double largest = 0;
  for (int step = 0; step < kSteps; ++step) {
    merged.run(input(step));
    unmerged.run(input(step));
    if (std::memcmp(&merged.y, &unmerged.y, sizeof merged.y) != 0) {
      std::printf("the output differs at step %d\n", step);
      return 1;
    }
    largest = std::fmax(largest, std::fabs(merged.y));
  }
  if (!same_state(merged, unmerged)) return 1;
  std::printf("%d ensembles of %d neurons, %d steps: the same bits merged and unmerged\n", kEnsembles,
              kNeurons, kSteps);
  std::printf("  merged   %7.1f us a step\n  unmerged %7.1f us a step, %.1f times as long\n",
              merged.microseconds / kSteps, unmerged.microseconds / kSteps,
              unmerged.microseconds / merged.microseconds);
  return largest > 0 ? 0 : 1;  // a model that does nothing would compare equal
}
