#include "compiler/placement/can_run.h"

#include "compiler/kernel_passes/device_checks.h"
#include "compiler/kernel_passes/walk.h"
#include "ir/ops/extern_call.h"

namespace cohort {

using namespace kernel;

std::string why_not_on_gpu(const Program&, const Kernel& kernel) {
  const std::vector<Stmt>& body = kernel.body;
  if (body.size() == 1 && body[0].kind == StmtKind::kCall && body[0].text == "rt_gemm") return {};
  std::string reason;
  for_each_stmt(body, [&](const Stmt& s) {
    if (!reason.empty()) return;
    if (s.kind == StmtKind::kPrint) reason = "it prints";
    const auto own = s.kind == StmtKind::kCall ? ops::extern_call(s.text) : std::nullopt;
    if (s.kind == StmtKind::kCall) reason = "it calls " + (own ? own->function : s.text);
  });
  if (reason.empty() && !checks_have_order(body)) reason = "it checks in a loop of a computed extent";
  return reason;
}

}  // namespace cohort
