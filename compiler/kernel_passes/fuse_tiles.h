// Which kernels the pass `fuse_tiles` joins, for placement to ask before it knows what runs on the GPU.
#pragma once

#include <cstddef>
#include <vector>

#include "ir/kernel.h"

namespace cohort::kernel {

struct TileReader {
  std::size_t product = 0, reader = 0;  // kernels of the program
};
// Of the kernels on the GPU. Each is the reader of one product at most.
std::vector<TileReader> tile_readers(Program program);

}  // namespace cohort::kernel
