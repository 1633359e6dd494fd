// The prelude of emitted C++: include this and nothing else. runtime/README.md says what it offers.
#pragma once
#include "arithmetic.h"
#include "base.h"
#include "cast.h"
#include "fma.h"
#include "gemm.h"
#include "half.h"
#include "hardware.h"
#include "math.h"
#include "memory.h"
#include "philox.h"
#include "sort.h"
#include "vector.h"
