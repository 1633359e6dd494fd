// Calls every part of the interface of the module `model` (tests/slow/codegen/models.h).
#include "model.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "check.h"

static std::string text(const void* workspace) {
  char words[256];
  model_error_text(workspace, words, sizeof words);
  return words;
}

// The workspace ends where unreadable memory begins, so that one byte too far is a crash.
static void* guarded_workspace() {
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t pages = (MODEL_WORKSPACE_SIZE + page - 1) / page;
  void* block = mmap(nullptr, (pages + 1) * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(block != MAP_FAILED);
  char* end = static_cast<char*>(block) + pages * page;
  CHECK(mprotect(end, page, PROT_NONE) == 0);
  std::memset(block, 0xa5, pages * page);
  return end - MODEL_WORKSPACE_SIZE;
}

static void check_updates(void* w) {
  double x[2], y[2];
  CHECK(model_step(w, nullptr) == 0 && model_step(w, nullptr) == 0);
  CHECK(model_get(w, "x", x, sizeof x) == 0 && model_get(w, "y", y, sizeof y) == 0);
  CHECK(x[0] == 4 && x[1] == 8 && y[0] == 6 && y[1] == 10);
  CHECK(model_swap(w, nullptr) == 0);
  CHECK(model_get(w, "x", x, sizeof x) == 0 && model_get(w, "y", y, sizeof y) == 0);
  CHECK(x[0] == 6 && x[1] == 10 && y[0] == 4 && y[1] == 8);
  CHECK(reinterpret_cast<double*>(static_cast<char*>(w) + MODEL_OFFSET_x)[1] == 10);
  CHECK(model_reset(w) == 0 && model_get(w, "x", x, sizeof x) == 0 && x[0] == 1 && x[1] == 2);
}

static void check_affine(void* w) {
  float u[8] = {1, 0, 0, 0, 0, 1, 0, 2}, p[6];
  uint8_t m[2] = {1, 0}, n[2];
  cohort_f16 h[2] = {0x4000, 0xc200}, h2[2];  // 2, -3
  model_affine_args a = {sizeof a, 2, u,        sizeof u, m,         sizeof m, h,
                         sizeof h, p, sizeof p, h2,       sizeof h2, n,        sizeof n};
  CHECK(model_affine(w, &a) == 0);
  const float expected[6] = {1, 5, 9, 10, 22, 34};
  CHECK(std::memcmp(p, expected, sizeof p) == 0);
  CHECK(h2[0] == 0x4400 && h2[1] == 0x4880 && n[0] == 0 && n[1] == 1);
  a.batch = 33;
  CHECK(model_affine(w, &a) == COHORT_DIM_OUT_OF_RANGE);
  CHECK(text(w) == "`affine`: dimension `batch` is 33, its max is 32");
  a.batch = 2;
  a.u_bytes = 31;
  CHECK(model_affine(w, &a) == COHORT_SHORT_BUFFER);
  CHECK(text(w) == "`affine`: `u`: f32[batch,4] needs 32 bytes and has 31");
  a.u_bytes = sizeof u;
  a.u = nullptr;
  CHECK(model_affine(w, &a) == COHORT_NULL_ARGUMENT && text(w) == "`affine`: `u` is null");
  a.u = reinterpret_cast<float*>(reinterpret_cast<char*>(u) + 1);
  CHECK(model_affine(w, &a) == COHORT_MISALIGNED);
  a.u = p;
  CHECK(model_affine(w, &a) == COHORT_ALIAS);
  a.u = reinterpret_cast<float*>(static_cast<char*>(w) + MODEL_OFFSET_table);
  CHECK(model_affine(w, &a) == COHORT_ALIAS && text(w) == "`affine`: `u` overlaps the workspace");
  a.u = u;
  a.struct_size = 8;
  CHECK(model_affine(w, &a) == COHORT_STRUCT_SIZE);
  CHECK(model_affine(w, nullptr) == COHORT_NULL_ARGUMENT);
}

static void check_errors_leave_state(void* w) {
  int32_t count = -1;
  int64_t i[3] = {2, -3, 0};
  float row[12];
  model_look_args a = {sizeof a, 3, i, sizeof i, row, sizeof row};
  CHECK(model_look(w, &a) == 0 && row[0] == 9 && row[4] == 1 && row[8] == 1);
  CHECK(model_get(w, "count", &count, sizeof count) == 0 && count == 1);
  i[1] = 13;
  CHECK(model_look(w, &a) == COHORT_INDEX_OUT_OF_RANGE);
  CHECK(text(w) == "`look`: `take`: index 13 is out of range for size 3");
  CHECK(model_error(w)->got == 13 && model_error(w)->expected == 3);
  CHECK(model_get(w, "count", &count, sizeof count) == 0 && count == 1);
  double v[3] = {1, -1, 1}, out[3];
  model_guarded_args g = {sizeof g, v, sizeof v, out, sizeof out};
  CHECK(model_guarded(w, &g) == COHORT_ASSERT_FAILED &&
        text(w) == "`guarded`: assertion failed: v is positive");
  CHECK(model_get(w, "count", &count, sizeof count) == 0 && count == 1);
  v[1] = 2;
  std::string shown;
  const auto print = [](void* user, const cohort_value* value) {
    CHECK(value->dtype == COHORT_F64 && value->rank == 1 && value->extents[0] == 3);
    static_cast<std::string*>(user)
        ->append(value->message)
        .append(std::to_string(static_cast<const double*>(value->data)[1]));
  };
  CHECK(model_set_print(w, print, &shown) == 0 && model_guarded(w, &g) == 0 && shown == "w is2.000000" &&
        out[1] == 2);
  CHECK(model_set_print(w, nullptr, nullptr) == 0 && model_guarded(w, &g) == 0);
  CHECK(model_get(w, "count", &count, sizeof count) == 0 && count == 3);
}

// The index is the new value of one variable, what it picks from is another: nothing is read and nothing
// changes before the index is known to be good.
static void check_moving_index(void* w) {
  int64_t by = int64_t{1} << 40, cursor[3];
  double x[2], picked[3], negated[3];
  model_move_args a = {sizeof a, &by, sizeof by, picked, sizeof picked, negated, sizeof negated};
  CHECK(model_reset(w) == 0 && model_move(w, &a) == COHORT_INDEX_OUT_OF_RANGE);
  CHECK(model_get(w, "cursor", cursor, sizeof cursor) == 0 && cursor[0] == 0 && cursor[1] == 1);
  CHECK(model_get(w, "x", x, sizeof x) == 0 && x[0] == 1 && x[1] == 2);
  by = -1;
  CHECK(model_move(w, &a) == 0 && picked[0] == 2 && picked[1] == 1 && negated[0] == -2 && negated[1] == -1);
  CHECK(model_get(w, "cursor", cursor, sizeof cursor) == 0 && cursor[0] == -1 && cursor[1] == 0);
  CHECK(model_get(w, "x", x, sizeof x) == 0 && x[0] == -1 && x[1] == -2);
}

static void check_special(void* w) {
  const uint32_t expected[6] = {0x7fc00000u, 0xff800000u, 0x7f800000u, 0x80000000u, 1u, 0x7f7fffffu};
  float c[6];
  model_special_args a = {sizeof a, c, sizeof c};
  CHECK(model_special(w, &a) == 0 && std::memcmp(c, expected, sizeof c) == 0);
}

static void check_files(void* w, const std::string& folder) {
  const std::string path = folder + "/state.safetensors";
  double x[2] = {7, 8};
  CHECK(model_set(w, "x", x, sizeof x) == 0 && model_save(w, path.c_str()) == 0);
  CHECK(model_reset(w) == 0 && model_load(w, path.c_str()) == 0);
  CHECK(model_get(w, "x", x, sizeof x) == 0 && x[0] == 7 && x[1] == 8);
  CHECK(model_get(w, "z", x, sizeof x) == COHORT_UNKNOWN_NAME);
  CHECK(model_get(w, "x", x, 15) == COHORT_SHORT_BUFFER);
  CHECK(model_save(w, "/no such folder/x") == COHORT_IO_ERROR &&
        model_load(w, "/no such folder/x") == COHORT_IO_ERROR);
  // Whatever byte of the header changes, loading says no or gives what was saved, and never changes half of
  // the state.
  FILE* file = std::fopen(path.c_str(), "rb");
  char bytes[2048];
  const size_t size = std::fread(bytes, 1, sizeof bytes, file);
  std::fclose(file);
  const std::string broken = folder + "/broken.safetensors";
  for (size_t cut = 0; cut < size; cut += 7) {
    file = std::fopen(broken.c_str(), "wb");
    std::fwrite(bytes, 1, cut, file);
    std::fclose(file);
    CHECK(model_load(w, broken.c_str()) == COHORT_FILE_MISMATCH);
  }
  for (size_t at = 0; at < size - 100; ++at) {
    const char kept = bytes[at];
    bytes[at] = static_cast<char>(kept ^ 5);
    file = std::fopen(broken.c_str(), "wb");
    std::fwrite(bytes, 1, size, file);
    std::fclose(file);
    bytes[at] = kept;
    const int32_t status = model_load(w, broken.c_str());
    CHECK(status == 0 || status == COHORT_FILE_MISMATCH);
  }
}

int main(int, char** argv) {
  alignas(64) static unsigned char small[MODEL_WORKSPACE_SIZE + 64];
  CHECK(model_init(nullptr, MODEL_WORKSPACE_SIZE) == COHORT_NULL_ARGUMENT);
  CHECK(model_init(small + 1, MODEL_WORKSPACE_SIZE) == COHORT_MISALIGNED);
  CHECK(model_init(small, MODEL_WORKSPACE_SIZE - 1) == COHORT_WORKSPACE_TOO_SMALL);
  CHECK(model_step(small, nullptr) == COHORT_NOT_INITIALISED && model_error(small) == nullptr);
  CHECK(model_step(nullptr, nullptr) == COHORT_NULL_ARGUMENT);
  CHECK(model_step(small + 1, nullptr) == COHORT_MISALIGNED);
  void* w = guarded_workspace();
  CHECK(model_init(w, MODEL_WORKSPACE_SIZE) == 0);
  check_updates(w);
  check_affine(w);
  check_errors_leave_state(w);
  check_moving_index(w);
  check_special(w);
  check_files(w, argv[1]);
  return 0;
}
