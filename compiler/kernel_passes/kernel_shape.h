// What kind of kernel a list of statements is, for `fuse_loops`.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/kernel.h"

namespace cohort::kernel {

// One loop; scalar statements; those with loops between them.
enum class KernelShape : std::uint8_t { kNest, kScalars, kList, kOther };
KernelShape shape_of(const std::vector<Stmt>& body);

// Scalar statements and loops so short that two threads are never worth it: joining a loop with a reduction
// takes that chance away.
bool is_short_list(const std::vector<Stmt>& body);

// Note [flat nests]: 10,000 spiking neurons in rows, decoded row by row (samples/thousand_ensembles, f64,
// AVX-512, one thread): joined with the decoding the neurons took 4.0, 1.35, 2.2, 1.9, 1.16, 1.5 and 1.3
// times as long as in one flat loop, for rows of 5, 8, 12, 20, 32, 50 and 100.
//
// The extents of a nest that is one flat loop in the end: loops in loops around elementwise statements, the
// last one in lanes. Empty: it is none, or an extent is not known.
std::vector<std::int64_t> flat_extents(const Stmt& nest);
// `cached`: elements of an array beyond which it pays no more.
bool is_better_flat(const std::vector<std::int64_t>& extents, std::int64_t cached);

}  // namespace cohort::kernel
