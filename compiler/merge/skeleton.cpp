#include "compiler/merge/skeleton.h"

#include <unordered_map>

#include "compiler/kernel_passes/shape_walk.h"

namespace cohort::merge {
namespace {

using namespace kernel;

class SkeletonWriter {
 public:
  SkeletonWriter(const Program& program, const std::vector<bool>& fixed, const Lists& lists, Skeleton& result)
      : program_(program), fixed_(fixed), lists_(lists), result_(result), walk_(*this, result.open) {}

  void run(const Kernel& kernel) {
    walk_.code(kernel.wanted);
    walk_.list(kernel.body);
  }

  // What the walk asks for.
  void buffer(BufferId id) {
    const Buffer& b = program_.buffers[id];
    if (fixed_[id]) {
      walk_.number(0);
      walk_.number(id);
      return;
    }
    const auto [found, fresh] = operands_.try_emplace(id, operands_.size());
    walk_.number(1 + found->second);
    if (!fresh) return;
    result_.operands.push_back(id);
    walk_.code(b.dtype);
    // Outputs are operands like temporaries: merged, they are copied to the caller's arrays.
    walk_.code(b.kind == BufferKind::kOutput ? BufferKind::kTemporary : b.kind);
    walk_.code(b.wanted);
    walk_.number(b.shape.size());
    // Arrays of different sizes lie flat, one behind the other, which named dims forbid.
    const bool constant = is_constant(b.shape);
    for (std::size_t axis = lists_.contains(id) ? 1 : 0; axis < b.shape.size(); ++axis) {
      const Dim& d = b.shape[axis];
      if (constant)
        append_number(result_.exact, static_cast<std::uint64_t>(d.offset));
      else
        walk_.dim(d);
    }
  }
  void constant(const Expr& e) { result_.constants.push_back(e.bits); }
  void extent(const Stmt& loop) {
    if (loop.value->kind == ExprKind::kConst && !lists_.loops.contains(loop.var))
      append_number(result_.exact, loop.value->bits);
  }

 private:
  const Program& program_;
  const std::vector<bool>& fixed_;
  const Lists& lists_;
  Skeleton& result_;
  ShapeWalk<SkeletonWriter> walk_;
  std::unordered_map<BufferId, std::size_t> operands_;
};

}  // namespace

Skeleton skeleton_of(const Program& program, const Kernel& kernel, const std::vector<bool>& fixed,
                     const Lists& lists) {
  Skeleton result;
  SkeletonWriter(program, fixed, lists, result).run(kernel);
  return result;
}

}  // namespace cohort::merge
