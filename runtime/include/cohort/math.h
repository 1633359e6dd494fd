// Every operator with a mathematical name; arithmetic.h, integer.h and cast.h have the plain ones.
#pragma once
#include "integer.h"
#include "math_divide.h"
#include "math_exp.h"
#include "math_inverse.h"
#include "math_log.h"
#include "math_power.h"
#include "math_special.h"
#include "math_trig.h"
