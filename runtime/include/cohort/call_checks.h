// Checks of a call's arguments before anything is touched: null, size, alignment, named dims, overlap. All is
// well in nearly every call, so that is what is found out fast; what is wrong is looked for only if something
// is.
#pragma once

#include "module.h"

inline namespace cohort_rt {

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
  if (a.bytes < a.needed) {
    return rt_fail(workspace, COHORT_SHORT_BUFFER, function, a.name, a.type, static_cast<int64_t>(a.needed),
                   static_cast<int64_t>(a.bytes));
  }
  if (!a.data && a.needed) return rt_fail(workspace, COHORT_NULL_ARGUMENT, function, a.name, a.type, 0, 0);
  if (reinterpret_cast<uintptr_t>(a.data) & (a.alignment - 1))
    return rt_fail(workspace, COHORT_MISALIGNED, function, a.name, a.type, a.alignment, 0);
  if (rt_overlap(a.data, a.needed, workspace, module.workspace_bytes))
    return rt_fail(workspace, COHORT_ALIAS, function, a.name, "the workspace", 0, 0);
  return COHORT_OK;
}
template <size_t Count>
RT_CALL int32_t rt_check_argument_list(const rt_module& module, rt_workspace* workspace, const char* function,
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

// The same for a few arguments: whether all is well in some tens of instructions, and only
// if not, what is wrong.
RT_INLINE bool rt_is_fine(const rt_module& module, const rt_workspace* workspace, const rt_argument& a) {
  const bool there = a.data != nullptr || a.needed == 0;
  const bool aligned = (reinterpret_cast<uintptr_t>(a.data) & (a.alignment - 1)) == 0;
  return a.bytes >= a.needed && there && aligned &&
         !rt_overlap(a.data, a.needed, workspace, module.workspace_bytes);
}
RT_INLINE bool rt_is_apart(const rt_argument& a, const rt_argument& b) {
  return !(a.written || b.written) || !rt_overlap(a.data, a.needed, b.data, b.needed);
}
RT_INLINE bool rt_are_apart() { return true; }
template <class... Rest>
RT_INLINE bool rt_are_apart(const rt_argument& first, const Rest&... rest) {
  return (rt_is_apart(first, rest) && ... && rt_are_apart(rest...));
}
template <class... Arguments>
RT_INLINE int32_t rt_check_arguments(const rt_module& module, rt_workspace* workspace, const char* function,
                                     const Arguments&... arguments) {
  if (RT_LIKELY((rt_is_fine(module, workspace, arguments) && ...) && rt_are_apart(arguments...)))
    return COHORT_OK;
  const rt_argument list[] = {arguments...};
  return rt_check_argument_list(module, workspace, function, list);
}

}  // namespace cohort_rt
