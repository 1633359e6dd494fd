// Products read operands that are copies of a part of another array, or of its transpose, where they lie:
//
//   for v0 < 500 {                                          c = call rt_gemm(a, s; .., 250, .., 750, 1)
//     simd v1 < 250 { x[v0, v1] = s[v0, add(v1, 250)] }  ⇒
//   }
//   c = call rt_gemm(a, x; .., 0, .., 250, 1)
//
// So slices of operands cost nothing. The array must be the same from the copy to the product, elements must
// be neighbours along one side of the matrix, and nothing else may read the copy. While indices have one expr
// per axis.
#include <algorithm>
#include <map>
#include <optional>

#include "compiler/kernel_passes/access.h"
#include "compiler/kernel_passes/kernel_pass.h"
#include "compiler/kernel_passes/linear.h"
#include "compiler/kernel_passes/walk.h"
#include "ir/ops/product_call.h"

namespace cohort::loop_passes {
namespace {

using namespace kernel;
// Element [i, j, ...] of a copy is element at + i * strides[0] + j * strides[1] + ... of the buffer.
struct View {
  BufferId buffer = 0;
  std::int64_t at = 0;
  std::vector<std::int64_t> strides;
  std::uint32_t kernel = 0;  // that copies
};

// What a view makes of the strides of an operand.
struct Operand {
  std::int64_t at = 0, batch = 0, row = 0, column = 0;
};

class ViewReader {
 public:
  explicit ViewReader(Program& program) : program_(program), writers_(program.buffers.size()) {
    for (std::uint32_t k = 0; k < program.kernels.size(); ++k) {
      std::vector<const Stmt*> loops;
      find_views(program.kernels[k].body, loops, k);
    }
  }

  bool run() {
    for (std::uint32_t k = 0; k < program_.kernels.size(); ++k) find_readers(program_.kernels[k].body, k);
    bool any = false;
    for (auto& [copy, readers] : readers_) {
      if (!std::all_of(readers.begin(), readers.end(), [](const Reader& r) { return r.call != nullptr; }))
        continue;
      for (const Reader& reader : readers)
        replace(*reader.call, reader.is_left, views_.at(copy).buffer, reader.operand);
      any = true;
    }
    return any;
  }

 private:
  struct Reader {
    Stmt* call = nullptr;  // null: reads it otherwise
    bool is_left = false;
    Operand operand;
  };

  void find_views(const std::vector<Stmt>& list, std::vector<const Stmt*>& loops, std::uint32_t kernel) {
    for (const Stmt& stmt : list) {
      for_each_use_of(stmt, [&](const BufferUse& use) {
        if (use.written) writers_[use.buffer].push_back(kernel);
      });
      if (stmt.kind == StmtKind::kStore) {
        if (auto view = view_of(stmt, loops)) {
          view->kernel = kernel;
          views_[stmt.buffer] = std::move(*view);
        }
      }
      const bool nested = stmt.kind == StmtKind::kFor || stmt.kind == StmtKind::kIf;
      if (nested) loops.push_back(&stmt);
      find_views(stmt.body, loops, kernel);
      find_views(stmt.else_body, loops, kernel);
      if (nested) loops.pop_back();
    }
  }

  // copy[v0, v1, ..] = buffer[an index that is linear in these], for all elements of a temporary.
  std::optional<View> view_of(const Stmt& store, const std::vector<const Stmt*>& loops) const {
    const Buffer& copy = program_.buffers[store.buffer];
    const Expr& value = *store.value;
    if (copy.kind != BufferKind::kTemporary || value.kind != ExprKind::kLoad ||
        store.index.size() != copy.shape.size() || !is_constant(copy.shape))
      return {};
    const Buffer& buffer = program_.buffers[value.id];
    if (buffer.dtype != copy.dtype || !is_constant(buffer.shape) || !buffer.row_starts.empty()) return {};
    const Linear from = decompose(flat_index(buffer, value.args));
    View view{value.id, 0, {}, 0};
    std::size_t known = 0, used = 0;  // terms, loops
    for (std::size_t axis = 0; axis < store.index.size(); ++axis) {
      const Expr& e = *store.index[axis];
      if (copy.shape[axis].offset == 1 && is_constant_index(e, 0)) {
        view.strides.push_back(0);
        continue;
      }
      const auto loop = std::find_if(loops.begin(), loops.end(), [&](const Stmt* l) {
        return l->kind == StmtKind::kFor && e.kind == ExprKind::kVar && l->var == e.id;
      });
      if (loop == loops.end() || !is_constant_index(*(*loop)->value, copy.shape[axis].offset)) return {};
      const std::optional<Linear> factor = factor_of(from, (*loop)->var);
      const std::optional<std::int64_t> stride = factor ? constant_value(*factor) : std::nullopt;
      if (!stride) return {};
      known += *stride != 0 ? 1 : 0;
      ++used;
      view.strides.push_back(*stride);
    }
    for (const Term& term : from.terms) {
      if (term.atom) continue;
      if (!term.dims.empty()) return {};
      view.at = term.constant;
      ++known;
    }
    if (known != from.terms.size() || used != loops.size()) return {};
    return view;
  }

  void find_readers(std::vector<Stmt>& list, std::uint32_t kernel) {
    for (Stmt& stmt : list) {
      const bool is_product = stmt.kind == StmtKind::kCall && stmt.text == "rt_gemm";
      for (std::size_t b = stmt.outputs; is_product && b < stmt.buffers.size(); ++b)
        if (const View* view = view_for(stmt.buffers[b], kernel)) {
          const std::optional<Operand> operand = through(stmt, b == stmt.outputs, *view);
          readers_[stmt.buffers[b]].push_back(operand ? Reader{&stmt, b == stmt.outputs, *operand}
                                                      : Reader{});
        }
      for_each_use_of(stmt, [&](const BufferUse& use) {
        if (!is_product && !use.written && views_.contains(use.buffer)) readers_[use.buffer].push_back({});
      });
      find_readers(stmt.body, kernel);
      find_readers(stmt.else_body, kernel);
    }
  }

  // The view that a copy is, if only that is written to it, and its array stays until `reader`.
  const View* view_for(BufferId copy, std::uint32_t reader) {
    const auto found = views_.find(copy);
    if (found == views_.end()) return nullptr;
    const View& view = found->second;
    const bool alone = writers_[copy].size() == 1 && view.kernel < reader;
    const auto stays = [&](std::uint32_t w) { return w < view.kernel || w > reader; };
    const std::vector<std::uint32_t>& written = writers_[view.buffer];
    if (alone && std::all_of(written.begin(), written.end(), stays)) return &view;
    readers_[copy].push_back({});
    return nullptr;
  }

  std::optional<Operand> through(const Stmt& call, bool is_left, const View& view) const {
    const BufferId copy = call.buffers[call.outputs + (is_left ? 0 : 1)];
    const std::size_t strides = is_left ? gemm::kABatch : gemm::kBBatch;
    if (constant_value(call.index[is_left ? gemm::kAAt : gemm::kBAt]) != 0) return {};
    const Shape& shape = program_.buffers[copy].shape;
    const auto mapped = [&](std::size_t stride, std::size_t count) -> std::optional<std::int64_t> {
      const auto s = constant_value(call.index[strides + stride]), n = constant_value(call.index[count]);
      return s && n ? stride_through(view, shape, *s, *n) : std::nullopt;
    };
    const auto batch = mapped(0, gemm::kBatch), row = mapped(1, is_left ? gemm::kM : gemm::kK),
               column = mapped(2, is_left ? gemm::kK : gemm::kN);
    if (!batch || !row || !column || (*row != 1 && *column != 1)) return {};
    return Operand{view.at, *batch, *row, *column};
  }

  // The stride in the view's buffer of `count` elements of a copy that lie `stride` apart.
  static std::optional<std::int64_t> stride_through(const View& view, const Shape& shape, std::int64_t stride,
                                                    std::int64_t count) {
    if (stride == 0 || count == 1) return 0;
    std::int64_t inner = 1;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      if (inner == stride && shape[axis].offset > 1) {
        // Further axes are walked as one with it if they lie so in the buffer, too.
        for (std::size_t a = axis; (count + shape[a].offset - 1) / shape[a].offset > 1; --a) {
          if (a == 0 || count % shape[a].offset != 0 ||
              view.strides[a - 1] != view.strides[a] * shape[a].offset)
            return {};
          count /= shape[a].offset;
        }
        return view.strides[axis];
      }
      inner *= shape[axis].offset;
    }
    return {};
  }

  static void replace(Stmt& call, bool is_left, BufferId buffer, const Operand& operand) {
    call.buffers[call.outputs + (is_left ? 0 : 1)] = buffer;
    call.index[is_left ? gemm::kAAt : gemm::kBAt] = constant_index(operand.at);
    const std::size_t strides = is_left ? gemm::kABatch : gemm::kBBatch;
    call.index[strides] = constant_index(operand.batch);
    call.index[strides + 1] = constant_index(operand.row);
    call.index[strides + 2] = constant_index(operand.column);
  }

  Program& program_;
  std::vector<std::vector<std::uint32_t>> writers_;  // kernels, by buffer
  std::map<BufferId, View> views_;                   // by copy
  std::map<BufferId, std::vector<Reader>> readers_;  // by copy
};

}  // namespace

Program read_views(Program program, const Dims& dims) {
  return ViewReader(program).run() ? remove_dead(std::move(program), dims) : program;
}

}  // namespace cohort::loop_passes
