#include "compiler/placement/can_run.h"

#include "compiler/kernel_passes/device_checks.h"
#include "compiler/kernel_passes/device_products.h"
#include "compiler/kernel_passes/walk.h"
#include "ir/ops/extern_call.h"

namespace cohort {

using namespace kernel;

std::string why_not_on_gpu(const Program&, const Kernel& kernel) {
  const std::vector<Stmt>& body = kernel.body;
  std::string reason;
  for_each_stmt(body, [&](const Stmt& s) {
    if (!reason.empty()) return;
    if (s.kind == StmtKind::kPrint) reason = "it prints";
    if (s.kind != StmtKind::kCall || is_product_call(s)) return;
    const auto own = ops::extern_call(s.text);
    reason = "it calls " + (own ? own->function : s.text);
  });
  if (reason.empty() && !checks_have_order(body)) reason = "it checks in a loop of a computed extent";
  return reason;
}

}  // namespace cohort
