// What a pass is: a pure function from function to function. It walks the nodes in order and re-emits what it
// wants to keep (ir/rewriter.h); it edits nothing in place and keeps nothing between runs. What all passes
// share (verifying, finding out whether anything changed, printing, timing, switching off) is done once for
// all by run_passes.h.
#pragma once

#include <span>
#include <string_view>

#include "ir/builder.h"

namespace cohort {

// What a pass or a rule may do to values.
enum class Exactness : std::uint8_t {
  kExact,     // the same bits (a NaN is a NaN, whatever its payload)
  kAccuracy,  // gains accuracy or range: may differ from the interpreter's answer for the source
  kFast       // re-associates or trades an ulp for speed: runs only under --fp=fast
};

struct PassOptions {
  bool fast = false;  // --fp=fast
};

struct Pass {
  std::string_view name;  // also its flag, its file and its folder in tests/passes
  Exactness exactness = Exactness::kExact;
  std::string_view description;  // one line for `cohort opt --list`
  // `module` receives new constants; its functions are not to be read, they may be older than `function`.
  Function (*run)(ModuleBuilder& module, const Function& function, const PassOptions& options) = nullptr;
};

// All passes, in the order of passes/list.def, which is no order of execution (pipeline.cpp has that).
std::span<const Pass> all_passes();
const Pass* find_pass(std::string_view name);

// The passes themselves; each is described at the top of passes/<name>.cpp.
namespace passes {
#define PASS(name, exactness, description) \
  Function name(ModuleBuilder& module, const Function& function, const PassOptions& options);
#include "compiler/passes/list.def"
}  // namespace passes

}  // namespace cohort
