#include "compiler/pass.h"

#include <algorithm>

namespace cohort {

namespace {
constexpr Pass kGraphPasses[] = {
#define PASS(name, exactness, description) {#name, Exactness::exactness, description, &passes::name},
#include "compiler/passes/list.def"
};
}  // namespace

std::span<const Pass> all_passes() { return kGraphPasses; }

const Pass* find_pass(std::string_view name) {
  const auto* it = std::find_if(std::begin(kGraphPasses), std::end(kGraphPasses),
                                [&](const Pass& p) { return p.name == name; });
  return it == std::end(kGraphPasses) ? nullptr : it;
}

}  // namespace cohort
