// How often a checked program has asked CUDA for what: for tests of what a call may do.
#pragma once
#include <cstddef>

struct cuda_check_calls {
  std::size_t allocations;  // and releases, of memory, streams, events and executable graphs
  std::size_t waits;        // of the host for the device
  std::size_t copies;       // one way or the other, captured ones included
  std::size_t launches;     // of kernels, the same
  std::size_t captures, replays;
  std::size_t products;  // of cuBLAS, captured ones included
};
extern "C" const cuda_check_calls* cuda_check_called(void);
