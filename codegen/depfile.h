// Depfiles in the form of make, which Ninja and CMake read as well.
#pragma once

#include <string>
#include <vector>

namespace cohort {

// "target: input input". Paths stand as given; the characters that make treats specially are escaped.
std::string depfile_text(const std::string& target, const std::vector<std::string>& inputs);

}  // namespace cohort
