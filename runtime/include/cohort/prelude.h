// The prelude of emitted C++: include this and nothing else. See ../../README.md for what it offers and
// promises.
#pragma once
#include "arithmetic.h"
#include "base.h"
#include "cast.h"
#include "half.h"
#include "hardware.h"
#include "math.h"
#include "memory.h"
#include "sort.h"
#include "vector.h"
