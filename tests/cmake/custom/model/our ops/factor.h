#pragma once
constexpr float kFactor = 2;
