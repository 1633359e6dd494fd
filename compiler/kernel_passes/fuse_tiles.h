// Which kernels the pass `fuse_tiles` joins, before it is known what runs on the GPU.
#pragma once

#include <cstddef>
#include <vector>

#include "ir/kernel.h"

namespace cohort::kernel {

struct TileReader {
  std::size_t product = 0, reader = 0;  // kernels of the program
};
// If all of a program were on the GPU. Each kernel is the reader of one product at most.
std::vector<TileReader> tile_readers(Program program);

}  // namespace cohort::kernel
