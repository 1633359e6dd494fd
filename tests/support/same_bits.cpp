#include "tests/support/same_bits.h"

#include <cstring>

namespace cohort::test {

bool same(const Tensor& a, const Tensor& b) {
  if (a == b) return true;
  if (a.dtype() != b.dtype() || a.extents() != b.extents() || !is_float(a.dtype())) return false;
  const auto width = static_cast<std::size_t>(dtype_bytes(a.dtype()));
  for (std::int64_t i = 0; i < a.size(); ++i) {
    const std::size_t at = static_cast<std::size_t>(i) * width;
    const double x = element_as_double(a, i), y = element_as_double(b, i);
    if (std::memcmp(a.data() + at, b.data() + at, width) != 0 && !(x != x && y != y)) return false;
  }
  return true;
}

}  // namespace cohort::test
