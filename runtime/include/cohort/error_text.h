// Error records in words.
#pragma once
#include <stdio.h>
#include <string.h>

#include "module.h"

inline namespace cohort_rt {

// As snprintf: writes at most `bytes`, gives the length of the whole text.
RT_CALL size_t rt_error_text(const rt_module& module, const void* workspace, char* text, size_t bytes) {
  const cohort_error* e = rt_error(module, workspace);
  if (!e) return static_cast<size_t>(snprintf(text, bytes, "`%s`: no workspace of this module", module.name));
  const char* function = e->function ? e->function : "";
  const char* argument = e->argument ? e->argument : "";
  const char* detail = e->detail ? e->detail : "";
  const long long expected = e->expected, got = e->got;
  int n = 0;
  switch (e->status) {
    case COHORT_OK:
      n = snprintf(text, bytes, "no error");
      break;
    case COHORT_NULL_ARGUMENT:
      n = snprintf(text, bytes, "`%s`: `%s` is null", function, argument);
      break;
    case COHORT_STRUCT_SIZE:
      n = snprintf(text, bytes, "`%s`: `struct_size` is %lld, the module has %lld", function, got, expected);
      break;
    case COHORT_MISALIGNED:
      n = snprintf(text, bytes, "`%s`: `%s` is not aligned to %lld bytes", function, argument, expected);
      break;
    case COHORT_SHORT_BUFFER:
      n = snprintf(text, bytes, "`%s`: `%s`%s%s needs %lld bytes and has %lld", function, argument,
                   *detail ? ": " : "", detail, expected, got);
      break;
    case COHORT_DIM_OUT_OF_RANGE:
      n = snprintf(text, bytes, "`%s`: dimension `%s` is %lld, its %s is %lld", function, argument, got,
                   detail, expected);
      break;
    case COHORT_ALIAS:
      n = snprintf(text, bytes, "`%s`: `%s` overlaps %s", function, argument, detail);
      break;
    case COHORT_INDEX_OUT_OF_RANGE:
      n = snprintf(text, bytes, "`%s`: `%s`: index %lld is out of range for size %lld", function, argument,
                   got, expected);
      break;
    case COHORT_ASSERT_FAILED:
      n = snprintf(text, bytes, "`%s`: assertion failed: %s", function, detail);
      break;
    case COHORT_NO_DEVICE:
      if (expected)
        n = snprintf(text, bytes, "`%s`: its code is for the architectures %s, and this GPU's is %lld",
                     function, detail, expected);
      else
        n = snprintf(text, bytes, "`%s`: no GPU runs it: %s", function, detail);
      break;
    case COHORT_DEVICE_ERROR:
      n = snprintf(text, bytes, "`%s`: error %lld of the GPU: %s", function, got, detail);
      break;
    case COHORT_IO_ERROR:
      n = snprintf(text, bytes, "`%s`: %s: %s", function, detail,
                   got ? strerror(static_cast<int>(got)) : "unknown reason");
      break;
    default:
      n = snprintf(text, bytes, "`%s`: `%s`: %s", function, argument, detail);
      break;
  }
  return n < 0 ? 0 : static_cast<size_t>(n);
}

}  // namespace cohort_rt
