#include "compiler/kernel_passes/kernel_key.h"

#include <unordered_map>

#include "compiler/kernel_passes/shape_walk.h"
#include "compiler/kernel_passes/walk.h"

namespace cohort::kernel {
namespace {

class KeyWriter {
 public:
  KeyWriter(const Program& program, KernelKey& key) : program_(program), key_(key), walk_(*this, key.shape) {}

  void run(std::uint64_t own, const std::vector<Stmt>& list) {
    walk_.number(own);
    walk_.list(list);
  }

  // What the walk asks for.
  void buffer(BufferId id) {
    const Buffer& b = program_.buffers[id];
    if (b.kind == BufferKind::kInput || b.kind == BufferKind::kOutput) {
      walk_.number(0);
      walk_.number(id);
      return;
    }
    const auto [found, fresh] = buffers_.try_emplace(id, buffers_.size());
    if (fresh) key_.buffers.push_back(id);
    walk_.number(1 + found->second);
    walk_.code(b.dtype);
    walk_.code(b.kind == BufferKind::kConstant);
  }
  void constant(const Expr& e) {
    if (is_float(e.dtype))
      key_.scalars.push_back(e.bits);
    else
      walk_.number(e.bits);
  }
  void extent(const Stmt&) {}

 private:
  const Program& program_;
  KernelKey& key_;
  ShapeWalk<KeyWriter> walk_;
  std::unordered_map<BufferId, std::size_t> buffers_;
};

}  // namespace

KernelKey kernel_key(const Program& program, std::uint32_t kernel) {
  KernelKey key;
  bool alone = program.kernels[kernel].device == Device::kGpu || is_transfer(program.kernels[kernel]);
  for_each_stmt(program.kernels[kernel].body,
                [&](const Stmt& s) { alone = alone || s.kind == StmtKind::kPrint; });
  KeyWriter(program, key).run(alone ? kernel + 1 : 0, program.kernels[kernel].body);
  return key;
}

void rewrite_scalars(std::vector<Stmt>& list, const std::function<ExprRef(const ExprRef&)>& f) {
  rewrite_exprs(list, [&](const ExprRef& e) -> ExprRef {
    return e->kind == ExprKind::kConst && is_float(e->dtype) ? f(e) : e;
  });
}

}  // namespace cohort::kernel
