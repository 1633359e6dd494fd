// One graph as three modules: state by name as a table in the source (`few`), as records in a file (`many`)
// and as records inline (`inlined`). Each variable through each of them, and files from each to each.
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "check.h"
#include "expected.h"
#include "few.hpp"
#include "inlined.hpp"
#include "many.hpp"

using Bytes = std::vector<unsigned char>;

// A module with a workspace of its own.
struct Model {
  void* workspace;
  size_t size;
  decltype(&few_init) init;
  decltype(&few_reset) reset;
  decltype(&few_get) get;
  decltype(&few_set) set;
  decltype(&few_save) save;
  decltype(&few_load) load;
  decltype(&few_error_text) error_text;
};

static std::string text(const Model& m) {
  char words[256];
  m.error_text(m.workspace, words, sizeof words);
  return words;
}
static Bytes initial(const Variable& v) { return Bytes(v.init, v.init + v.bytes); }
static Bytes pattern(const Variable& v, unsigned seed) {
  Bytes bytes(v.bytes);
  const auto index = static_cast<unsigned>(&v - kVariables);
  for (unsigned k = 0; k < v.bytes; ++k)
    bytes[k] = static_cast<unsigned char>((seed * 57 + index * 31 + k * 7 + 1) & (v.is_bool ? 1u : 255u));
  return bytes;
}
static Bytes got(const Model& m, const Variable& v) {
  Bytes bytes(v.bytes, 0xa5);
  CHECK(m.get(m.workspace, v.name, bytes.data(), bytes.size()) == 0);
  return bytes;
}
static void set_all(const Model& m, unsigned seed) {
  for (const Variable& v : kVariables) {
    const Bytes bytes = pattern(v, seed);
    CHECK(m.set(m.workspace, v.name, bytes.data(), bytes.size()) == 0);
  }
}
static bool holds(const Model& m, unsigned seed) {
  for (const Variable& v : kVariables)
    if (got(m, v) != pattern(v, seed)) return false;
  return true;
}
static bool is_known(const std::string& name) {
  for (const Variable& v : kVariables)
    if (name == v.name) return true;
  return false;
}

static void check_each(const Model& m) {
  CHECK(m.init(m.workspace, m.size) == 0);
  for (const Variable& v : kVariables) CHECK(got(m, v) == initial(v));
  set_all(m, 1);
  CHECK(holds(m, 1));
  unsigned char byte = 0;
  for (const Variable& v : kVariables) {
    for (const std::string& name :
         {std::string(v.name) + "!", std::string(v.name) + "\xff", "\x01" + std::string(v.name)}) {
      if (!is_known(name)) CHECK(m.get(m.workspace, name.c_str(), &byte, 1) == COHORT_UNKNOWN_NAME);
    }
    if (v.bytes < 1) continue;
    CHECK(m.get(m.workspace, v.name, &byte, v.bytes - 1) == COHORT_SHORT_BUFFER);
    CHECK(text(m).find(v.name) != std::string::npos);
  }
  CHECK(m.get(m.workspace, "\xff", &byte, 1) == COHORT_UNKNOWN_NAME);
  CHECK(m.get(m.workspace, nullptr, &byte, 1) == COHORT_NULL_ARGUMENT);
  CHECK(holds(m, 1));
  CHECK(m.reset(m.workspace) == 0);
  for (const Variable& v : kVariables) CHECK(got(m, v) == initial(v));
}

static std::string slurp(const std::string& path) {
  FILE* file = std::fopen(path.c_str(), "rb");
  CHECK(file);
  std::string bytes(1 << 20, '\0');
  bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file));
  std::fclose(file);
  return bytes;
}

static void check_between(const Model& from, const Model& to, const std::string& path) {
  set_all(from, 2);
  CHECK(from.save(from.workspace, path.c_str()) == 0);
  const std::string written = slurp(path);
  CHECK(to.reset(to.workspace) == 0 && !holds(to, 2));
  CHECK(to.load(to.workspace, path.c_str()) == 0 && holds(to, 2));
  CHECK(to.save(to.workspace, path.c_str()) == 0 && slurp(path) == written);
}

// Headers with one byte changed: either all is as it was or all is what the file says.
static void check_broken(const Model& m, const std::string& path) {
  set_all(m, 3);
  CHECK(m.save(m.workspace, path.c_str()) == 0);
  std::string bytes = slurp(path);
  const size_t header = bytes.find("]}}") + 3;
  int refused = 0;
  for (size_t at = 0; at < header; at += 5) {
    const char kept = bytes[at];
    bytes[at] = static_cast<char>(kept ^ 5);
    FILE* file = std::fopen(path.c_str(), "wb");
    std::fwrite(bytes.data(), 1, bytes.size(), file);
    std::fclose(file);
    bytes[at] = kept;
    set_all(m, 4);
    const int32_t status = m.load(m.workspace, path.c_str());
    CHECK(status == 0 || status == COHORT_FILE_MISMATCH);
    if (status != 0) CHECK(holds(m, 4));
    refused += status != 0;
  }
  CHECK(refused > 100);
}

static void check_functions(const Model& few, const Model& many, const Model& inlined) {
  CHECK(few.reset(few.workspace) == 0 && many.reset(many.workspace) == 0 &&
        inlined.reset(inlined.workspace) == 0);
  CHECK(few_turn(few.workspace, nullptr) == 0 && many_turn(many.workspace, nullptr) == 0);
  CHECK(inlined_turn(inlined.workspace, nullptr) == 0);
  int changed = 0;
  for (const Variable& v : kVariables) {
    CHECK(got(few, v) == got(many, v) && got(few, v) == got(inlined, v));
    changed += got(few, v) != initial(v);
  }
  CHECK(changed == 12);
}

static void check_wrappers() {
  few::module with_spans;
  many::module by_name;
  by_name.set("alike 3", std::vector<float>{7, 8, 9});
  std::vector<float> values(3);
  by_name.get("alike 3", values);
  CHECK(values[2] == 9);
  with_spans.set("alike 3", values);
  CHECK(with_spans.alike_3()[1] == 8);
}

static void* memory(size_t bytes) { return ::operator new (bytes, std::align_val_t{64}); }

int main(int, char** argv) {
  const std::string path = std::string(argv[1]) + "/state.safetensors";
  Model models[] = {
      {memory(FEW_WORKSPACE_SIZE), FEW_WORKSPACE_SIZE, few_init, few_reset, few_get, few_set, few_save,
       few_load, few_error_text},
      {memory(MANY_WORKSPACE_SIZE), MANY_WORKSPACE_SIZE, many_init, many_reset, many_get, many_set, many_save,
       many_load, many_error_text},
      {memory(INLINED_WORKSPACE_SIZE), INLINED_WORKSPACE_SIZE, inlined_init, inlined_reset, inlined_get,
       inlined_set, inlined_save, inlined_load, inlined_error_text},
  };
  for (const Model& m : models) check_each(m);
  for (const Model& from : models)
    for (const Model& to : models)
      if (&from != &to) check_between(from, to, path);
  for (const Model& m : models) check_broken(m, path);
  check_functions(models[0], models[1], models[2]);
  check_wrappers();
  for (const Model& m : models) ::operator delete (m.workspace, std::align_val_t{64});
  return 0;
}
