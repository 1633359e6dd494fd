// Checks that fail on the GPU: the error is that of the first check as one thread would meet them, under
// every schedule; state is what it was; the next call is as if nothing had happened. Runs under
// tools/cuda_check.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "../../codegen/drivers/check.h"
#include "errors.h"

namespace {

constexpr size_t kRows = 5000, kFew = 40;

struct Call {
  std::vector<int64_t> i = std::vector<int64_t>(kRows), j = std::vector<int64_t>(kFew);
  std::vector<float> x = std::vector<float>(kRows), b = std::vector<float>(kRows);
  Call() {
    for (size_t k = 0; k < kRows; ++k)
      i[k] = static_cast<int64_t>(k * 7 % 1000), x[k] = static_cast<float>(k % 8);
    for (size_t k = 0; k < kFew; ++k) j[k] = static_cast<int64_t>(k);
  }
  errors_gathered_args args() {
    errors_gathered_args args = {};
    args.struct_size = sizeof args;
    args.i = i.data(), args.j = j.data(), args.x = x.data(), args.b = b.data();
    args.i_bytes = sizeof(int64_t) * kRows, args.j_bytes = sizeof(int64_t) * kFew;
    args.x_bytes = args.b_bytes = sizeof(float) * kRows;
    return args;
  }
};

struct State {
  float table[1000], s[64];
  explicit State(void* workspace) {
    CHECK(errors_get(workspace, "table", table, sizeof table) == COHORT_OK);
    CHECK(errors_get(workspace, "s", s, sizeof s) == COHORT_OK);
  }
  bool operator==(const State& other) const { return std::memcmp(this, &other, sizeof *this) == 0; }
};

void expect_index(void* workspace, const char* op, int64_t index, int64_t size) {
  const cohort_error* error = errors_error(workspace);
  char text[200];
  errors_error_text(workspace, text, sizeof text);
  std::printf("%s\n", text);
  CHECK(error->status == COHORT_INDEX_OUT_OF_RANGE);
  CHECK(std::strcmp(error->function, "gathered") == 0 && std::strcmp(error->argument, op) == 0);
  CHECK(error->got == index && error->expected == size);
}

}  // namespace

int main() {
  void* workspace = std::aligned_alloc(ERRORS_WORKSPACE_ALIGN, (ERRORS_WORKSPACE_SIZE + 63) / 64 * 64);
  CHECK(errors_init(workspace, ERRORS_WORKSPACE_SIZE) == COHORT_OK);
  CHECK(errors_attach(workspace, nullptr, 0, nullptr) == COHORT_OK);
  Call good, bad;
  const errors_gathered_args good_args = good.args(), bad_args = bad.args();
  CHECK(errors_gathered(workspace, &good_args) == COHORT_OK);
  const State before(workspace);
  CHECK(before.table[0] == 0 && before.table[7] == 1 + 1 + 1 + 1 + 1);

  // Several fail, in several blocks: the first one is told.
  bad.i[4321] = -1001, bad.i[700] = int64_t{1} << 40, bad.i[699] = -5000000000, bad.i[4000] = 1000;
  CHECK(errors_gathered(workspace, &bad_args) == COHORT_INDEX_OUT_OF_RANGE);
  expect_index(workspace, "take", -5000000000, 1000);
  CHECK(State(workspace) == before);

  // Of an index that was computed on the GPU, after other checks have held.
  bad = good;  // in place: the arguments point there
  bad.x[11] = 64, bad.x[12] = 99;
  CHECK(errors_gathered(workspace, &bad_args) == COHORT_INDEX_OUT_OF_RANGE);
  expect_index(workspace, "scatter_set", 64 + static_cast<int64_t>(before.table[77]), 64);
  CHECK(State(workspace) == before);

  // Asked for without waiting: the first error stays until somebody waits, and calls after it do nothing.
  bad = good;  // in place: the arguments point there
  bad.j[3] = 5000;
  CHECK(errors_gathered_async(workspace, &bad_args) == COHORT_OK);
  CHECK(errors_gathered_async(workspace, &good_args) == COHORT_OK);
  CHECK(errors_wait(workspace) == COHORT_INDEX_OUT_OF_RANGE);
  expect_index(workspace, "take", 5000, 5000);
  CHECK(State(workspace) == before);
  CHECK(errors_wait(workspace) == COHORT_OK);

  float x[64] = {};
  int64_t at = 64;
  errors_asserted_args args = {};
  args.struct_size = sizeof args;
  args.x = x, args.x_bytes = sizeof x, args.i = &at, args.i_bytes = sizeof at;
  x[63] = -1;
  CHECK(errors_asserted(workspace, &args) == COHORT_ASSERT_FAILED);
  CHECK(std::strcmp(errors_error(workspace)->detail, "x is negative") == 0);
  x[63] = 3;
  CHECK(errors_asserted(workspace, &args) == COHORT_INDEX_OUT_OF_RANGE);
  CHECK(State(workspace) == before);
  at = -1;
  CHECK(errors_asserted(workspace, &args) == COHORT_OK);
  CHECK(errors_gathered(workspace, &good_args) == COHORT_OK);
  CHECK(State(workspace).s[5] != before.s[5] && !(State(workspace) == before));

  // What nobody has waited for is told by detach, which lets go of all; so it is by attach, which detaches.
  const State last(workspace);
  bad = good;  // in place: the arguments point there
  bad.i[17] = 1000;
  CHECK(errors_gathered_async(workspace, &bad_args) == COHORT_OK);
  CHECK(errors_detach(workspace) == COHORT_INDEX_OUT_OF_RANGE);
  expect_index(workspace, "take", 1000, 1000);
  CHECK(errors_gathered(workspace, &good_args) == COHORT_NO_DEVICE);
  CHECK(errors_detach(workspace) == COHORT_OK);
  CHECK(errors_attach(workspace, nullptr, 0, nullptr) == COHORT_OK);
  CHECK(State(workspace) == last);
  CHECK(errors_gathered_async(workspace, &bad_args) == COHORT_OK);
  CHECK(errors_attach(workspace, nullptr, 0, nullptr) == COHORT_INDEX_OUT_OF_RANGE);
  expect_index(workspace, "take", 1000, 1000);
  CHECK(errors_attach(workspace, nullptr, 0, nullptr) == COHORT_OK);
  CHECK(State(workspace) == last);
  CHECK(errors_asserted(workspace, &args) == COHORT_OK);
  CHECK(errors_detach(workspace) == COHORT_OK);
  std::free(workspace);
}
