// Loops around launches (Note [threads] in ir/kernel.h): a function of the host that goes through the steps.
#include <fmt/format.h>

#include <map>
#include <set>

#include "codegen/emit_expr.h"
#include "codegen/emit_kernel.h"
#include "codegen/text.h"
#include "codegen/touched.h"
#include "compiler/kernel_passes/device_checks.h"

namespace cohort {

using kernel::BufferId;
using kernel::Kernel;
using kernel::Stmt;
using kernel::StmtKind;

namespace {

// A kernel for each launch of a step.
std::vector<Kernel> launches_of(const Kernel& kernel) {
  const Stmt& loop = kernel.body.back();
  std::vector<Kernel> launches;
  std::vector<Stmt> body;
  for (const Stmt& s : loop.body) {
    body.push_back(s);
    if (s.kind != StmtKind::kCall && (s.kind != StmtKind::kFor || !is_of_threads(s.mode))) continue;
    Kernel launch;
    launch.name = kernel.name;
    launch.body = std::move(body);
    launch.scalars = {{loop.var, DType::kI64}};
    launch.device = kernel::Device::kGpu;
    launches.push_back(std::move(launch));
    body.clear();
  }
  return launches;
}

}  // namespace

EmittedKernel emit_steps(const KernelEnvironment& environment, const Kernel& kernel) {
  const kernel::Program& program = environment.code.program;
  const Module& module = environment.compiled.module;
  EmittedKernel out;
  out.name =
      environment.file_names.unique(environment.prefix + "_" + module.functions[environment.function]->name +
                                    environment.suffix + "_" + kernel.name + "_steps");
  out.header = out.fails = true;
  out.checks = kernel::has_checks(kernel.body);
  KernelEnvironment each = environment;
  each.after_checks = environment.after_checks || out.checks;  // also those of the step before
  std::vector<EmittedKernel> parts;
  for (const Kernel& launch : launches_of(kernel)) {
    parts.push_back(emit_kernel(each, launch));
    out.text += parts.back().text + "\n";
  }

  Touched touched;
  touched.stmts(program, kernel.body);
  Identifiers names{"header", "status"};
  std::vector<std::string> dims(module.dims.size());
  for (const DimId d : touched.dims) dims[d] = names.unique(module.dims[d].name);
  const std::string step = names.unique("step");
  std::map<BufferId, std::string> buffers;
  std::vector<std::string> parameters{"rt_workspace* header"};
  for (const EmittedKernel& part : parts) {
    for (const BufferId id : part.buffers) {
      if (buffers.contains(id)) continue;
      buffers[id] = names.unique(program.buffers[id].name);
      parameters.push_back(fmt::format("{}{}* {}", touched.written.contains(id) ? "" : "const ",
                                       environment.dialect.storage_type(program.buffers[id].dtype),
                                       buffers[id]));
      out.buffers.push_back(id);
    }
  }
  for (const DimId d : touched.dims) {
    parameters.push_back("int64_t " + dims[d]);
    out.dims.push_back(d);
  }
  const std::string head = fmt::format("extern \"C\" RT_HIDDEN int32_t {}(", out.name);
  out.declaration = wrapped(head, parameters, ");\n");
  const ExprPrinter exprs(environment.dialect, program, dims);
  out.text +=
      wrapped(head, parameters, ") {\n") + fmt::format("  for (int64_t {0} = 0; {0} < {1}; ++{0}) {{\n", step,
                                                       exprs.index(kernel.body.back().value));
  for (const EmittedKernel& part : parts) {
    std::vector<std::string> arguments{"header"};
    for (const BufferId id : part.buffers) arguments.push_back(buffers[id]);
    for (const DimId d : part.dims) arguments.push_back(dims[d]);
    arguments.push_back(step);
    out.text += wrapped(fmt::format("    if (const int32_t status = {}(", part.name), arguments,
                        "))\n      return status;\n");
  }
  out.text += "  }\n  return COHORT_OK;\n}\n";
  return out;
}

}  // namespace cohort
