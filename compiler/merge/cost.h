// When one loop over members is worth it: merging must never lose.
#pragma once

#include <span>
#include <string>

#include "ir/kernel.h"

namespace cohort::merge {

struct Verdict {
  bool pays = true;
  std::string reason;  // why not
};
// Of kernels that may become one loop.
Verdict merging_pays(const kernel::Program& program, const Dims& dims,
                     std::span<const std::uint32_t> kernels);

}  // namespace cohort::merge
