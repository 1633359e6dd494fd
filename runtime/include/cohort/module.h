// What the source of an emitted module stands on beside the prelude: the workspace's header, argument checks,
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
  cohort_error error;
};
static_assert(sizeof(rt_workspace) <= 256, "the compiler reserves 256 bytes for the header");

constexpr uint64_t rt_zeros = UINT64_MAX;  // init_offset of a variable that starts with all bytes zero
constexpr size_t rt_alignment = 64;

struct rt_state {
  const char* name;
  uint64_t offset;       // bytes into the workspace
  uint64_t init_offset;  // bytes into the weights of the contiguous initial value, or rt_zeros
  int32_t dtype;         // enum cohort_dtype
  int32_t rank;
  const int64_t* shape;  // rank extents, then rank strides in elements
};

// One as it lies in the weights of a module with many, whose records are sorted by name. `name` and `shape`
// are bytes from the first record to what they point to in rt_state.
struct rt_state_record {
  uint64_t name, offset, init_offset, shape;
  int32_t dtype, rank;
};
static_assert(sizeof(rt_state_record) == 40, "the emitter writes records of 40 bytes");

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

// --- Checks before a call ---

// One array of the caller's: what is needed and what there is.
struct rt_argument {
  const char* name;
  const char* type;
  const void* data;
  size_t bytes;
  size_t needed;
  uint32_t alignment;
  bool written;
};

RT_INLINE int32_t rt_check_call(const rt_module& module, const char* function, void* workspace,
                                const void* args, size_t args_bytes) {
  if (const int32_t status = rt_check_workspace(module, workspace)) return status;
  rt_workspace* header = static_cast<rt_workspace*>(workspace);
  if (RT_UNLIKELY(!args)) {
    if (args_bytes == sizeof(size_t)) return COHORT_OK;  // a function that takes nothing
    return rt_fail(header, COHORT_NULL_ARGUMENT, function, "args", nullptr, 0, 0);
  }
  const size_t got = *static_cast<const size_t*>(args);
  if (RT_UNLIKELY(got != args_bytes)) {
    return rt_fail(header, COHORT_STRUCT_SIZE, function, "struct_size", nullptr,
                   static_cast<int64_t>(args_bytes), static_cast<int64_t>(got));
  }
  return COHORT_OK;
}

RT_INLINE int32_t rt_check_dim(rt_workspace* workspace, const char* function, const char* name, int64_t value,
                               int64_t min, int64_t max) {
  if (RT_UNLIKELY(value < min))
    return rt_fail(workspace, COHORT_DIM_OUT_OF_RANGE, function, name, "min", min, value);
  if (RT_UNLIKELY(value > max))
    return rt_fail(workspace, COHORT_DIM_OUT_OF_RANGE, function, name, "max", max, value);
  return COHORT_OK;
}

RT_INLINE bool rt_overlap(const void* a, size_t a_bytes, const void* b, size_t b_bytes) {
  const uintptr_t x = reinterpret_cast<uintptr_t>(a), y = reinterpret_cast<uintptr_t>(b);
  return a_bytes && b_bytes && x < y + b_bytes && y < x + a_bytes;
}

// Sifts `order[root]` down: a heap by address, so that long argument lists are compared in O(n log n).
RT_CALL void rt_sift_arguments(const rt_argument* arguments, uint32_t* order, size_t root, size_t count) {
  for (;;) {
    size_t child = 2 * root + 1;
    if (child >= count) return;
    if (child + 1 < count && arguments[order[child]].data < arguments[order[child + 1]].data) ++child;
    if (arguments[order[root]].data >= arguments[order[child]].data) return;
    const uint32_t swapped = order[root];
    order[root] = order[child];
    order[child] = swapped;
    root = child;
  }
}
RT_CALL int32_t rt_fail_alias(rt_workspace* workspace, const char* function, const rt_argument& a,
                              const rt_argument& b) {
  const rt_argument& output = a.written ? a : b;
  const rt_argument& other = a.written ? b : a;
  return rt_fail(workspace, COHORT_ALIAS, function, output.name, other.name, 0, 0);
}
// Sorted by address, an output overlaps something exactly if it overlaps the furthest-reaching array before
// it, or an input overlaps the furthest-reaching output before it.
RT_CALL int32_t rt_check_apart_sorted(rt_workspace* workspace, const char* function,
                                      const rt_argument* arguments, uint32_t* order, size_t count) {
  for (size_t i = 0; i < count; ++i) order[i] = static_cast<uint32_t>(i);
  for (size_t i = count / 2; i-- > 0;) rt_sift_arguments(arguments, order, i, count);
  for (size_t end = count; end-- > 1;) {
    const uint32_t swapped = order[0];
    order[0] = order[end];
    order[end] = swapped;
    rt_sift_arguments(arguments, order, 0, end);
  }
  const rt_argument* furthest = nullptr;
  const rt_argument* furthest_output = nullptr;
  const auto reach = [](const rt_argument* a) { return reinterpret_cast<uintptr_t>(a->data) + a->needed; };
  for (size_t i = 0; i < count; ++i) {
    const rt_argument* now = &arguments[order[i]];
    if (!now->needed) continue;
    const rt_argument* before = now->written ? furthest : furthest_output;
    if (before && rt_overlap(before->data, before->needed, now->data, now->needed)) {
      return rt_fail_alias(workspace, function, *before, *now);
    }
    if (!furthest || reach(now) > reach(furthest)) furthest = now;
    if (now->written && (!furthest_output || reach(now) > reach(furthest_output))) furthest_output = now;
  }
  return COHORT_OK;
}
RT_CALL int32_t rt_check_apart(rt_workspace* workspace, const char* function, const rt_argument* arguments,
                               size_t count) {
  for (size_t i = 0; i < count; ++i) {
    for (size_t k = 0; k < i; ++k) {
      if (!arguments[i].written && !arguments[k].written) continue;
      if (RT_UNLIKELY(
              rt_overlap(arguments[i].data, arguments[i].needed, arguments[k].data, arguments[k].needed))) {
        return rt_fail_alias(workspace, function, arguments[i], arguments[k]);
      }
    }
  }
  return COHORT_OK;
}

// Null, alignment, size, overlap with the workspace.
RT_CALL int32_t rt_check_argument(const rt_module& module, rt_workspace* workspace, const char* function,
                                  const rt_argument& a) {
  if (RT_UNLIKELY(a.bytes < a.needed)) {
    return rt_fail(workspace, COHORT_SHORT_BUFFER, function, a.name, a.type, static_cast<int64_t>(a.needed),
                   static_cast<int64_t>(a.bytes));
  }
  if (RT_UNLIKELY(!a.data && a.needed)) {
    return rt_fail(workspace, COHORT_NULL_ARGUMENT, function, a.name, a.type, 0, 0);
  }
  if (RT_UNLIKELY(reinterpret_cast<uintptr_t>(a.data) & (a.alignment - 1))) {
    return rt_fail(workspace, COHORT_MISALIGNED, function, a.name, a.type, a.alignment, 0);
  }
  if (RT_UNLIKELY(rt_overlap(a.data, a.needed, workspace, module.workspace_bytes))) {
    return rt_fail(workspace, COHORT_ALIAS, function, a.name, "the workspace", 0, 0);
  }
  return COHORT_OK;
}
template <size_t Count>
RT_CALL int32_t rt_check_arguments(const rt_module& module, rt_workspace* workspace, const char* function,
                                   const rt_argument (&arguments)[Count]) {
  for (const rt_argument& argument : arguments) {
    if (const int32_t status = rt_check_argument(module, workspace, function, argument)) return status;
  }
  if constexpr (Count <= 16) {
    return rt_check_apart(workspace, function, arguments, Count);
  } else {
    uint32_t order[Count];
    return rt_check_apart_sorted(workspace, function, arguments, order, Count);
  }
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
  return rt_state{
      rt_place<char>(directory, record.name),    record.offset, record.init_offset, record.dtype, record.rank,
      rt_place<int64_t>(directory, record.shape)};
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
