// Every operator with a mathematical name; arithmetic.h and cast.h have the plain ones.
#pragma once
#include "integer.h"
#include "math_divide.h"
#include "math_exp.h"
#include "math_log.h"
