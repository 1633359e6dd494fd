/* What the header of every emitted module includes: status codes, the error record, half types, the hooks.
 * C11 and C++. */
#ifndef COHORT_ABI_H
#define COHORT_ABI_H

#include <stddef.h>
#include <stdint.h>

#define COHORT_ABI_VERSION 1

/* What a call gives back. Numbers are never reused. */
enum cohort_status {
  COHORT_OK = 0,
  COHORT_NULL_ARGUMENT = 1,       /* argument */
  COHORT_STRUCT_SIZE = 2,         /* expected, got: bytes */
  COHORT_WORKSPACE_TOO_SMALL = 3, /* expected, got: bytes */
  COHORT_MISALIGNED = 4,          /* argument; expected: alignment */
  COHORT_NOT_INITIALISED = 5,     /* the workspace was not made by this module's init */
  COHORT_SHORT_BUFFER = 6,        /* argument, detail: its type; expected, got: bytes */
  COHORT_DIM_OUT_OF_RANGE = 7,   /* argument: the dim; expected: the bound that is violated, got: the value */
  COHORT_ALIAS = 8,              /* argument: the output; detail: what it overlaps */
  COHORT_INDEX_OUT_OF_RANGE = 9, /* argument: the operator; expected: the size, got: the index */
  COHORT_ASSERT_FAILED = 10,     /* detail: the message */
  COHORT_UNKNOWN_NAME = 11,      /* detail: the name is no state variable */
  COHORT_IO_ERROR = 12,          /* detail: what failed; got: errno */
  COHORT_FILE_MISMATCH = 13,     /* argument: the state variable; detail: what does not fit */
  COHORT_NO_DEVICE = 14,         /* detail: why the module's GPU code cannot run */
  COHORT_DEVICE_ERROR = 15,      /* detail: what the GPU's runtime says; got: its number */
  COHORT_NOT_SETTABLE = 16       /* argument: the state variable, which only calls change */
};

/* What the last failed call saw. Texts live as long as the module is loaded. */
typedef struct cohort_error {
  int32_t status; /* enum cohort_status */
  int32_t reserved;
  const char* function; /* "f", "init", "get", ... */
  const char* argument; /* argument, dimension, operator or state variable, or null */
  const char* detail;   /* its type or a message, or null */
  int64_t expected;
  int64_t got;
} cohort_error;

/* Storage of the half types: their 16 bits. */
typedef uint16_t cohort_f16;
typedef uint16_t cohort_bf16;

/* In the order of the compiler's dtypes. */
enum cohort_dtype {
  COHORT_BOOL,
  COHORT_I8,
  COHORT_I16,
  COHORT_I32,
  COHORT_I64,
  COHORT_U8,
  COHORT_U16,
  COHORT_U32,
  COHORT_U64,
  COHORT_F16,
  COHORT_BF16,
  COHORT_F32,
  COHORT_F64
};

/* What the operator `print` hands to the hook: valid during the call of the hook only. */
typedef struct cohort_value {
  const char* message;
  const void* data;       /* contiguous, row-major */
  const int64_t* extents; /* rank of them */
  int32_t rank;
  int32_t dtype; /* enum cohort_dtype */
} cohort_value;
typedef void (*cohort_print_fn)(void* user, const cohort_value* value);

/* How a module shares a loop of `count` iterations among threads: the hook calls body(context, begin, end) on
 * ranges that make up [0, count), each iteration in one of them, on any threads and in any order, and returns
 * when all are done. Results do not depend on the ranges. Fewer than `grain` iterations (count >= 2 * grain)
 * are not worth a thread; if it is a multiple of 64, ranges that begin at multiples of 64 are fastest. */
typedef void (*cohort_range_fn)(void* context, int64_t begin, int64_t end);
typedef void (*cohort_parallel_for_fn)(void* user, cohort_range_fn body, void* context, int64_t count,
                                       int64_t grain);

#endif
