// The loop IR as text: one statement a line, two spaces per level.
#include <fmt/format.h>

#include "ir/kernel.h"

#include "ir/custom_function.h"

namespace cohort::kernel {

namespace {

struct Printer {
  const Program& program;
  const Dims& dims;
  std::string text;
  int depth = 0;

  std::string buffer(BufferId id) const { return fmt::format("{}#{}", program.buffers[id].name, id); }

  std::string list(const std::vector<ExprRef>& exprs) const {
    std::string out;
    for (const ExprRef& e : exprs) out += (out.empty() ? "" : ", ") + expr(e);
    return out;
  }

  static std::string scalar(DType dtype, std::uint64_t bits) {
    const Scalar value{dtype, bits};
    if (dtype == DType::kBool) return bits ? "true" : "false";
    if (dtype == DType::kI64) return std::to_string(static_cast<std::int64_t>(bits));
    if (!is_float(dtype)) return fmt::format("{}:{}", scalar_as_int(value), dtype_name(dtype));
    return fmt::format("{}:{}", scalar_as_double(value), dtype_name(dtype));
  }

  // Of a check or assert that has one, behind `at` other exprs.
  std::string order(const Stmt& s, std::size_t at) const {
    return s.index.size() > at ? " order " + expr(s.index[at]) : std::string();
  }
  std::string expr(const ExprRef& e) const {
    switch (e->kind) {
      case ExprKind::kConst:
        return scalar(e->dtype, e->bits);
      case ExprKind::kVar:
        return fmt::format("v{}", e->id);
      case ExprKind::kDim:
        return to_string(e->dim, dims);
      case ExprKind::kLoad:
        return fmt::format("{}[{}]", buffer(e->id), list(e->args));
      case ExprKind::kFinish:
        return fmt::format("finish(v{})", e->id);
      case ExprKind::kCustom:
        return fmt::format("custom {}({})", e->custom->definition().name, list(e->args));
      case ExprKind::kOp:
        break;
    }
    const std::string_view name = scalar_op_info(e->op).name;
    if (e->op == ScalarOp::k_cast) return fmt::format("{}({})", dtype_name(e->dtype), list(e->args));
    return fmt::format("{}({})", name, list(e->args));
  }

  std::string grain(const Stmt& s) const { return s.grain ? " grain " + expr(s.grain) : ""; }

  void line(const std::string& what) {
    text += std::string(static_cast<std::size_t>(2 * depth), ' ') + what + "\n";
  }

  void block(const std::string& head, const std::vector<Stmt>& body) {
    line(head + " {");
    ++depth;
    for (const Stmt& s : body) stmt(s);
    --depth;
    line("}");
  }

  std::string tile_product(const Stmt& s) const {
    return fmt::format("product({}, {}; {})", buffer(s.buffers[0]), buffer(s.buffers[1]), list(s.index));
  }

  void stmt(const Stmt& s);
};

constexpr std::string_view kModes[] = {"for",  "simd", "unroll", "parallel", "ranges", "launches",
                                       "grid", "team", "lane",   "block",    "thread"};

void Printer::stmt(const Stmt& s) {
  const std::string_view type = dtype_name(s.dtype);
  switch (s.kind) {
    case StmtKind::kFor:
      if (s.mode == LoopMode::kTiles)
        return block(fmt::format("tiles v{} : {} at v{}, v{}, v{} of {}", s.var, type, s.count, s.count + 1,
                                 s.count + 2, tile_product(s)),
                     s.body);
      return block(fmt::format("{} v{}{} < {}{}", kModes[static_cast<int>(s.mode)], s.var,
                               s.mode == LoopMode::kRanges ? fmt::format(", v{}", s.count) : "",
                               expr(s.value), grain(s)),
                   s.body);
    case StmtKind::kIf:
      block(fmt::format("if {}", expr(s.value)), s.body);
      if (!s.else_body.empty()) block("else", s.else_body);
      return;
    case StmtKind::kStore:
      return line(
          fmt::format("{}[{}] {}= {}", buffer(s.buffer), list(s.index),
                      s.op == ScalarOp::kNone ? "" : fmt::format("atomic {} ", scalar_op_info(s.op).name),
                      expr(s.value)));
    case StmtKind::kLet:
      return line(fmt::format("let v{} : {} = {}", s.var, type, expr(s.value)));
    case StmtKind::kVar:
      return line(fmt::format("var v{} : {} = {}", s.var, type, expr(s.value)));
    case StmtKind::kAssign:
      return line(fmt::format("v{} = {}", s.var, expr(s.value)));
    case StmtKind::kAccumulator:
      return line(fmt::format("accumulator v{} : {} = {} {}", s.var, type, scalar_op_info(s.op).name,
                              s.lanes ? "lanes" : "serial"));
    case StmtKind::kAccumulate:
      return line(fmt::format("accumulate v{}, {}{}", s.var, expr(s.value),
                              s.index.empty() ? "" : " lane " + expr(s.index[0])));
    case StmtKind::kCheck:
      return line(fmt::format("check {} else index {} of {} in {}{}", expr(s.value), expr(s.index[0]),
                              expr(s.index[1]), s.text, order(s, 2)));
    case StmtKind::kAssert:
      return line(fmt::format("assert {} else \"{}\"{}", expr(s.value), s.text, order(s, 0)));
    case StmtKind::kPrint:
      return line(fmt::format("print \"{}\" {}", s.text, buffer(s.buffer)));
    case StmtKind::kCall: {
      std::string outputs, inputs;
      for (std::size_t i = 0; i < s.buffers.size(); ++i) {
        std::string& list = i < s.outputs ? outputs : inputs;
        list += (list.empty() ? "" : ", ") + buffer(s.buffers[i]);
      }
      return line(fmt::format("{} = call {}({}; {}){}", outputs, s.text, inputs, list(s.index), grain(s)));
    }
    case StmtKind::kBarrier:
      return line("barrier");
    case StmtKind::kTransfer: {
      const bool up = program.buffers[s.buffer].device == Device::kGpu;
      return line(
          fmt::format("{} = {} {}", buffer(s.buffer), up ? "upload" : "download", buffer(s.buffers[0])));
    }
  }
}

constexpr std::string_view kKinds[] = {"input", "output", "state", "constant", "temporary"};

}  // namespace

std::string to_string(const ExprRef& e, const Program& program, const Dims& dims) {
  return Printer{program, dims, {}, 0}.expr(e);
}

std::string to_string(const Program& program, const Dims& dims) {
  Printer printer{program, dims, {}, 0};
  printer.line("program " + program.name);
  for (std::size_t i = 0; i < program.buffers.size(); ++i) {
    const Buffer& b = program.buffers[i];
    printer.line(fmt::format("buffer {} : {} {}{}", printer.buffer(static_cast<BufferId>(i)),
                             cohort::to_string(Type{b.dtype, b.shape}, dims),
                             kKinds[static_cast<int>(b.kind)], b.device == Device::kGpu ? " device" : ""));
  }
  for (const Kernel& kernel : program.kernels) {
    printer.block("kernel " + kernel.name + (kernel.device == Device::kGpu ? " gpu" : ""), kernel.body);
    for (const KernelRow& row : kernel.rows) {
      std::string what = "row";
      for (const BufferId id : row.buffers) what += " " + printer.buffer(id);
      for (std::size_t s = 0; s < row.scalars.size(); ++s)
        what += fmt::format(" v{} = {}", kernel.scalars[s].var,
                            Printer::scalar(kernel.scalars[s].dtype, row.scalars[s]));
      printer.line(what);
    }
  }
  for (const KernelCall& call : program.calls)
    printer.line(fmt::format("call {} rows {}..{}", program.kernels[call.kernel].name, call.first_row,
                             call.first_row + call.row_count));
  return printer.text;
}

}  // namespace cohort::kernel
