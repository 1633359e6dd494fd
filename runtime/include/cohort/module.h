// What the source of an emitted module stands on beside the prelude: the workspace's header,
// state by name, error records. Everything is static and free of the standard library; a module hands its
// tables over as rt_module.
#pragma once
#include "abi.h"
#include "base.h"

// A kernel; a part of a function; a symbol shared by the module's sources and by nobody else.
#define RT_KERNEL static __attribute__((noinline))
#define RT_HIDDEN __attribute__((visibility("hidden")))
#ifdef COHORT_SEVERAL_SOURCES
#define RT_PART extern "C" RT_HIDDEN
#else
#define RT_PART static
#endif

// Inside a kernel that gives a status and has the workspace's `header`.
#ifdef COHORT_NO_CHECKS
#define RT_CHECK_INDEX(good, function, op, index, size) ((void)(good))
#else
#define RT_CHECK_INDEX(good, function, op, index, size) \
  if (RT_UNLIKELY(!(good))) return rt_fail_index(header, function, op, index, size)
#endif

inline namespace cohort_rt {

// The first bytes of a workspace. The compiler reserves 256 for it.
struct rt_workspace {
  uint64_t hash;  // of the module that initialised it
  uint64_t reserved;
  cohort_print_fn print;
  void* print_user;
  cohort_parallel_for_fn parallel_for;  // null: OpenMP or one thread, see parallel.h
  void* parallel_user;
  void* device;  // the block in the GPU's memory and the stream of calls; null: not attached, see device.h
  void* stream;
  uint64_t owns;           // of these, what detach releases: 1 the block, 2 the stream
  void* blas;              // the handle of cuBLAS of a module that calls it
  void* aside_streams[2];  // of one with transfers beside kernels, see aside.h: by direction
  void* events[8];         // of those; the compiler's kMostAsideEvents and one more
  cohort_error error;
};
static_assert(sizeof(rt_workspace) <= 256, "the compiler reserves 256 bytes for the header");

constexpr uint64_t rt_zeros = UINT64_MAX;     // init_offset of a variable that starts with all bytes zero
constexpr uint64_t rt_settable = UINT64_MAX;  // lead of a variable that `set` may change
constexpr size_t rt_alignment = 64;

struct rt_state {
  const char* name;
  uint64_t offset;       // bytes into the workspace
  uint64_t init_offset;  // bytes into the weights of the contiguous initial value, or rt_zeros
  int32_t dtype;         // enum cohort_dtype
  int32_t rank;
  const int64_t* shape;  // rank extents, then rank strides in elements
  // The number, in order of name, of the first variable in the same place: all in one place are always equal.
  uint64_t lead = rt_settable;
};

// One as it lies in the weights of a module with many, whose records are sorted by name. `name` and `shape`
// are bytes from the first record to what they point to in rt_state.
struct rt_state_record {
  uint64_t name, offset, init_offset, shape, lead;
  int32_t dtype, rank;
};
static_assert(sizeof(rt_state_record) == 48, "the emitter writes records of 48 bytes");

struct rt_module {
  const char* name;
  uint64_t hash;  // of code, layout and weights
  size_t workspace_bytes;
  size_t state_offset;
  size_t state_bytes;
  const rt_state* states;  // sorted by name; null: they are records in the weights
  size_t state_count;
  size_t state_directory;  // bytes into the weights of the first record
  const unsigned char* weights;
};

// The T at `offset` bytes.
template <class T>
RT_INLINE T* rt_place(void* base, uint64_t offset) {
  return reinterpret_cast<T*>(static_cast<unsigned char*>(base) + offset);
}
template <class T>
RT_INLINE const T* rt_place(const void* base, uint64_t offset) {
  return reinterpret_cast<const T*>(static_cast<const unsigned char*>(base) + offset);
}

// --- Errors ---

RT_CALL int32_t rt_fail(rt_workspace* workspace, int32_t status, const char* function, const char* argument,
                        const char* detail, int64_t expected, int64_t got) {
  workspace->error = cohort_error{status, 0, function, argument, detail, expected, got};
  return status;
}
RT_CALL int32_t rt_fail_index(rt_workspace* workspace, const char* function, const char* op, int64_t index,
                              int64_t size) {
  return rt_fail(workspace, COHORT_INDEX_OUT_OF_RANGE, function, op, nullptr, size, index);
}
RT_CALL int32_t rt_fail_assert(rt_workspace* workspace, const char* function, const char* message) {
  return rt_fail(workspace, COHORT_ASSERT_FAILED, function, "assert", message, 0, 0);
}

// The workspace if this module may use it; null, and the status, if not. There is no record then.
RT_INLINE int32_t rt_check_workspace(const rt_module& module, const void* workspace) {
  if (RT_UNLIKELY(!workspace)) return COHORT_NULL_ARGUMENT;
  if (RT_UNLIKELY(reinterpret_cast<uintptr_t>(workspace) % rt_alignment)) return COHORT_MISALIGNED;
  if (RT_UNLIKELY(static_cast<const rt_workspace*>(workspace)->hash != module.hash))
    return COHORT_NOT_INITIALISED;
  return COHORT_OK;
}
RT_CALL const cohort_error* rt_error(const rt_module& module, const void* workspace) {
  return rt_check_workspace(module, workspace) ? nullptr
                                               : &static_cast<const rt_workspace*>(workspace)->error;
}

// --- State by name ---

RT_INLINE size_t rt_dtype_bytes(int32_t dtype) {
  return static_cast<size_t>("\1\1\2\4\10\1\2\4\10\2\2\4\10"[dtype]);
}
RT_INLINE size_t rt_state_elements(const rt_state& state) {
  size_t count = 1;
  for (int32_t k = 0; k < state.rank; ++k) count *= static_cast<size_t>(state.shape[k]);
  return count;
}
RT_INLINE size_t rt_state_bytes(const rt_state& state) {
  return rt_state_elements(state) * rt_dtype_bytes(state.dtype);
}

// Copies between the variable's place in the workspace and a contiguous array.
RT_CALL void rt_copy_state(const rt_state& state, void* workspace, unsigned char* contiguous,
                           bool into_workspace) {
  const size_t bytes = rt_dtype_bytes(state.dtype), count = rt_state_elements(state);
  const int64_t* strides = state.shape + state.rank;
  int32_t inner = state.rank;  // axes from here on are contiguous in the workspace
  size_t run = 1;
  while (inner > 0 && (state.shape[inner - 1] == 1 || strides[inner - 1] == static_cast<int64_t>(run))) {
    run *= static_cast<size_t>(state.shape[--inner]);
  }
  for (size_t done = 0; done < count; done += run) {
    size_t rest = done / run;
    int64_t at = 0;
    for (int32_t k = inner; k-- > 0;) {
      const size_t extent = static_cast<size_t>(state.shape[k]);
      at += static_cast<int64_t>(rest % extent) * strides[k];
      rest /= extent;
    }
    unsigned char* place =
        rt_place<unsigned char>(workspace, state.offset) + at * static_cast<int64_t>(bytes);
    if (into_workspace) {
      __builtin_memcpy(place, contiguous + done * bytes, run * bytes);
    } else {
      __builtin_memcpy(contiguous + done * bytes, place, run * bytes);
    }
  }
}

// Number `k` in order of name. What it points to lives as long as the module.
RT_CALL rt_state rt_state_at(const rt_module& module, size_t k) {
  if (module.states) return module.states[k];
  const unsigned char* directory = module.weights + module.state_directory;
  rt_state_record record;
  __builtin_memcpy(&record, directory + k * sizeof record, sizeof record);
  return rt_state{rt_place<char>(directory, record.name),
                  record.offset,
                  record.init_offset,
                  record.dtype,
                  record.rank,
                  rt_place<int64_t>(directory, record.shape),
                  record.lead};
}

// Less, equal, greater as bytes.
RT_INLINE int rt_compare_names(const char* a, const char* b) { return __builtin_strcmp(a, b); }
// The variable's number, or their count.
RT_CALL size_t rt_find_state(const rt_module& module, const char* name) {
  size_t low = 0, high = module.state_count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const int order = rt_compare_names(rt_state_at(module, middle).name, name);
    if (order == 0) return middle;
    if (order < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return module.state_count;
}

RT_CALL void rt_reset_state(const rt_module& module, void* workspace) {
  __builtin_memset(rt_place<unsigned char>(workspace, module.state_offset), 0, module.state_bytes);
  for (size_t k = 0; k < module.state_count; ++k) {
    const rt_state state = rt_state_at(module, k);
    if (state.init_offset == rt_zeros) continue;
    rt_copy_state(state, workspace, const_cast<unsigned char*>(module.weights) + state.init_offset, true);
  }
}
RT_CALL int32_t rt_init(const rt_module& module, void* workspace, size_t bytes) {
  if (!workspace) return COHORT_NULL_ARGUMENT;
  if (reinterpret_cast<uintptr_t>(workspace) % rt_alignment) return COHORT_MISALIGNED;
  if (bytes < module.workspace_bytes) return COHORT_WORKSPACE_TOO_SMALL;
  rt_workspace* header = static_cast<rt_workspace*>(workspace);
  *header = rt_workspace{};
  header->hash = module.hash;
  rt_reset_state(module, workspace);
  return COHORT_OK;
}
RT_CALL int32_t rt_reset(const rt_module& module, void* workspace) {
  if (const int32_t status = rt_check_workspace(module, workspace)) return status;
  rt_reset_state(module, workspace);
  return COHORT_OK;
}

// get and set: `data` holds the whole variable, contiguous.
RT_CALL int32_t rt_transfer(const rt_module& module, const char* function, void* workspace, const char* name,
                            void* data, size_t bytes, bool into_workspace) {
  if (const int32_t status = rt_check_workspace(module, workspace)) return status;
  rt_workspace* header = static_cast<rt_workspace*>(workspace);
  if (!name) return rt_fail(header, COHORT_NULL_ARGUMENT, function, "name", nullptr, 0, 0);
  const size_t found = rt_find_state(module, name);
  if (found == module.state_count)
    return rt_fail(header, COHORT_UNKNOWN_NAME, function, "name", "no state variable has this name", 0, 0);
  const rt_state state = rt_state_at(module, found);
  if (into_workspace && state.lead != rt_settable)
    return rt_fail(header, COHORT_NOT_SETTABLE, function, state.name,
                   "the model says that it is not settable", 0, 0);
  const size_t needed = rt_state_bytes(state);
  if (bytes < needed) {
    return rt_fail(header, COHORT_SHORT_BUFFER, function, state.name, nullptr, static_cast<int64_t>(needed),
                   static_cast<int64_t>(bytes));
  }
  if (!data && needed) return rt_fail(header, COHORT_NULL_ARGUMENT, function, "data", nullptr, 0, 0);
  rt_copy_state(state, workspace, static_cast<unsigned char*>(data), into_workspace);
  return COHORT_OK;
}

// --- Hooks ---

RT_CALL int32_t rt_set_parallel(const rt_module& module, void* workspace, cohort_parallel_for_fn parallel_for,
                                void* user) {
  if (const int32_t status = rt_check_workspace(module, workspace)) return status;
  static_cast<rt_workspace*>(workspace)->parallel_for = parallel_for;
  static_cast<rt_workspace*>(workspace)->parallel_user = user;
  return COHORT_OK;
}

RT_CALL int32_t rt_set_print(const rt_module& module, void* workspace, cohort_print_fn print, void* user) {
  if (const int32_t status = rt_check_workspace(module, workspace)) return status;
  static_cast<rt_workspace*>(workspace)->print = print;
  static_cast<rt_workspace*>(workspace)->print_user = user;
  return COHORT_OK;
}
RT_CALL void rt_print(const rt_workspace* workspace, const char* message, const void* data, int32_t dtype,
                      int32_t rank, const int64_t* extents) {
  if (!workspace->print) return;
  const cohort_value value = {message, data, extents, rank, dtype};
  workspace->print(workspace->print_user, &value);
}

}  // namespace cohort_rt
