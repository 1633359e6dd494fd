#include "compiler/pass.h"

#include <algorithm>

namespace cohort {

namespace {
constexpr Pass kPasses[] = {
#define PASS(name, exactness, description) {#name, Exactness::exactness, description, &passes::name},
#include "compiler/passes/list.def"
};
}  // namespace

std::span<const Pass> all_passes() { return kPasses; }

const Pass* find_pass(std::string_view name) {
  const auto* it =
      std::find_if(std::begin(kPasses), std::end(kPasses), [&](const Pass& p) { return p.name == name; });
  return it == std::end(kPasses) ? nullptr : it;
}

}  // namespace cohort
