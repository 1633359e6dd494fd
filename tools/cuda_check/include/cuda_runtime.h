// Stands in for the CUDA toolkit's <cuda_runtime.h> when a .cu file is compiled as C++ to be checked on a
// CPU: put this folder first on the include path. It declares the part of CUDA that emitted code uses, and
// nothing that can be done without, since every emitted file includes it. What is missing is a compile error,
// never a silent difference.
#pragma once
#define CUDA_CHECK 1

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "cuda_check/arithmetic.h"
#include "cuda_check/language.h"
#include "cuda_check/launch.h"
#include "cuda_check/ranges.h"
#include "cuda_check/runtime_api.h"
#include "cuda_check/threads.h"
