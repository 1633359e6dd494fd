#pragma once
#include "factor.h"

inline float scaled(float x) { return kFactor * x; }
