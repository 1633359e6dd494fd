// Numbers that the runtime, which includes nothing of ours, and the compiler have in common.
#include <doctest/doctest.h>

#include <type_traits>

#include "cohort/device.h"
#include "compiler/compiled.h"
#include "compiler/placement/aside.h"

namespace cohort {

TEST_CASE("the workspace's header has room for what the compiler plans with, and the compiler for it") {
  CHECK(std::extent_v<decltype(rt_workspace::events)> == kMostAsideEvents + 1);
  CHECK(sizeof(rt_workspace) <= kHeaderBytes);
  CHECK(rt_failure_offset + sizeof(rt_failure) <= kHeaderBytes);  // the block's
}

}  // namespace cohort
