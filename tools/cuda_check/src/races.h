// Races and values that do not exist: what the cells remember against what an access is about to do.
#pragma once
#include "access.h"

namespace cuda_check {

// Bytes that are watched: `offset` is from the first cell, `address` is what reports name.
struct Watched {
  Cells cells;
  uintptr_t offset, address;
  size_t bytes;
  bool shared;  // a new block finds it empty
};

// Says that the bytes have a value, or have none.
void set_value(const Watched& watched, bool has_value);
void check_cells(const Watched& watched, Use use, const Access& access, Site site);
// What an atomic of the current thread at `a` acquires and releases.
void order_blocks(uintptr_t a);

}  // namespace cuda_check
