#include "compiler/product_width.h"

#include <algorithm>

#include "ir/ops/product_call.h"

namespace cohort {

bool gain_from_standing_side_by_side(std::span<const std::int64_t> columns, DType dtype) {
  // Measured with f32 on 500 rows: 100 columns gain 10 to 15 % on three or four products, 250 lose 10 %.
  constexpr std::int64_t kFewPanels = 4;
  constexpr double kLeastGain = 1.15;
  const std::int64_t panel = kPackedRowBytes / dtype_bytes(dtype);
  std::int64_t apart = 0, all = 0, least = INT64_MAX;
  for (const std::int64_t c : columns) {
    apart += (c + panel - 1) / panel;
    all += c;
    least = std::min(least, c);
  }
  const std::int64_t together = (all + panel - 1) / panel;
  return least < kFewPanels * panel ||
         static_cast<double>(apart) >= kLeastGain * static_cast<double>(together);
}

}  // namespace cohort
