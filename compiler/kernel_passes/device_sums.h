// Few very long rows on the GPU: pieces of them are added up side by side, then the pieces' sums.
#pragma once

#include "ir/kernel.h"

namespace cohort::kernel {

// A reduction of at least so many elements, of a known number, is in two stages where it has few rows.
inline constexpr std::int64_t kLongSum = 1 << 16;
inline constexpr std::int64_t kSumPiece = 4096;  // elements
inline constexpr std::int64_t kFewSums = 1024;   // rows; more of them keep the GPU busy as they are

//   for v0 < 4 {                                          parallel v3 < 100 {
//     accumulator v1 = add lanes                            accumulator v4 = add lanes
//     simd v2 < 102400 { accumulate v1, w[v0, v2] }   ⇒     simd v5 < 4096 { accumulate v4, w[v3 / 25, ...] }
//     y[v0] = finish(v1)                                    sums[v3] = finish(v4)
//   }                                                     }
//                                                         for v0 < 4 {
//                                                           accumulator v1 = add lanes
//                                                           simd v6 < 25 { accumulate v1, sums[v0 * 25 + v6]
//                                                           } y[v0] = finish(v1)
//                                                         }
//
// Both stages have the order of sixteen accumulators (ir/README.md), so the result is the same on every GPU
// and under every schedule; of floats it is not that of the CPU to the last bit. Gives the first stages;
// `nest` becomes the last one.
std::vector<std::vector<Stmt>> sum_pieces(Program& program, std::vector<Stmt>& nest);

}  // namespace cohort::kernel
