// The special functions beyond those of math_special.h.
#pragma once
#include "special_bessel.h"
#include "special_beta.h"
#include "special_gamma.h"
#include "special_normal.h"
#include "special_quantile.h"
