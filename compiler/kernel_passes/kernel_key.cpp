#include "compiler/kernel_passes/kernel_key.h"

#include <unordered_map>

#include "compiler/kernel_passes/walk.h"

namespace cohort::kernel {
namespace {

class KeyWriter {
 public:
  KeyWriter(const Program& program, KernelKey& key) : program_(program), key_(key) {}

  void list(const std::vector<Stmt>& statements) {
    number(statements.size());
    for (const Stmt& s : statements) statement(s);
  }
  void number(std::uint64_t value) {  // seven bits a byte, the last one below 128
    for (; value >= 128; value >>= 7) key_.shape += static_cast<char>(value | 128);
    key_.shape += static_cast<char>(value);
  }

 private:
  template <typename E>
  void code(E value) {
    number(static_cast<std::uint64_t>(value));
  }
  void text(const std::string& value) {
    number(value.size());
    key_.shape += value;
  }
  void variable(VarId var) {
    const auto [found, fresh] = variables_.try_emplace(var, variables_.size());
    number(found->second);
  }
  void buffer(BufferId id) {
    const Buffer& b = program_.buffers[id];
    if (b.kind == BufferKind::kInput || b.kind == BufferKind::kOutput) {
      number(0);
      number(id);
      return;
    }
    const auto [found, fresh] = buffers_.try_emplace(id, buffers_.size());
    if (fresh) key_.buffers.push_back(id);
    number(1 + found->second);
    code(b.dtype);
    code(b.kind == BufferKind::kConstant);
  }
  void expr(const ExprRef& e) {
    code(e->kind);
    code(e->dtype);
    switch (e->kind) {
      case ExprKind::kConst:
        if (is_float(e->dtype))
          key_.scalars.push_back(e->bits);
        else
          number(e->bits);
        return;
      case ExprKind::kVar:
      case ExprKind::kFinish:
        return variable(e->id);
      case ExprKind::kDim:
        number(static_cast<std::uint64_t>(e->dim.offset));
        number(static_cast<std::uint64_t>(e->dim.scale));
        return number(e->dim.symbol);
      case ExprKind::kLoad:
        buffer(e->id);
        break;
      case ExprKind::kOp:
        code(e->op);
        break;
    }
    for (const ExprRef& arg : e->args) expr(arg);
  }
  void statement(const Stmt& s) {
    code(s.kind);
    code(s.mode);
    code(s.lanes);
    code(s.op);
    code(s.dtype);
    if (s.kind == StmtKind::kStore) buffer(s.buffer);
    if (s.value) expr(s.value);
    number(s.grain != nullptr);
    if (s.grain) expr(s.grain);
    number(s.index.size());
    for (const ExprRef& e : s.index) expr(e);
    if (s.kind == StmtKind::kFor || s.kind == StmtKind::kLet || s.kind == StmtKind::kVar ||
        s.kind == StmtKind::kAssign || s.kind == StmtKind::kAccumulator || s.kind == StmtKind::kAccumulate)
      variable(s.var);
    number(s.buffers.size());
    for (const BufferId b : s.buffers) buffer(b);
    number(s.outputs);
    text(s.text);
    list(s.body);
    list(s.else_body);
  }

  const Program& program_;
  KernelKey& key_;
  std::unordered_map<VarId, std::size_t> variables_;
  std::unordered_map<BufferId, std::size_t> buffers_;
};

}  // namespace

KernelKey kernel_key(const Program& program, std::uint32_t kernel) {
  KernelKey key;
  bool alone = program.kernels[kernel].device == Device::kGpu || is_transfer(program.kernels[kernel]);
  for_each_stmt(program.kernels[kernel].body,
                [&](const Stmt& s) { alone = alone || s.kind == StmtKind::kPrint; });
  KeyWriter writer(program, key);
  writer.number(alone ? kernel + 1 : 0);
  writer.list(program.kernels[kernel].body);
  return key;
}

void rewrite_scalars(std::vector<Stmt>& list, const std::function<ExprRef(const ExprRef&)>& f) {
  rewrite_exprs(list, [&](const ExprRef& e) -> ExprRef {
    return e->kind == ExprKind::kConst && is_float(e->dtype) ? f(e) : e;
  });
}

}  // namespace cohort::kernel
