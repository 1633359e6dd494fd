// The standard headers that functions of the user's can include: a private set, so that a header means the
// same on every machine, needs no toolkit and is parsed in a millisecond. What they declare without a body is
// CustomKind::kMath; what has a body is translated as it stands and is rt_std::name in emitted code
// (runtime/include/cohort/custom.h).
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace cohort {

inline constexpr const char* kPrivateHeaders = "/cohort-headers";

// Name and text of each.
std::vector<std::pair<std::string, std::string>> private_headers();
// These, and what emitted code and the runtime's headers include: of the C library and of CUDA.
std::vector<std::pair<std::string, std::string>> code_headers();

}  // namespace cohort
