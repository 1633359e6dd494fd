// Two temporaries that end and begin with equal columns are columns of one:
//
//   for v0 < 50 {                                    for v0 < 50 {
//     simd v1 < 100 {                                  simd v1 < 100 {
//       let v2 = .., v3 = .., v4 = ..                    let v2 = .., v3 = .., v4 = ..
//       p[v0, v1] = v2                           ⇒       p[v0, v1] = v2
//       p[v0, add(v1, 100)] = v3                         p[v0, add(v1, 100)] = v3
//       q[v0, v1] = v3                                   p[v0, add(v1, 200)] = v4
//       q[v0, add(v1, 100)] = v4                       }
//     }                                              }
//   }                                                c = call rt_gemm(a, p; 0, 0, 100, .., 300, 1)
//   c = call rt_gemm(a, q; 0, 0, 0, .., 200, 1)
//
// So what two products of a recurrent net's backward pass read is stored once (merge_products puts the
// columns in such an order). All stores to both must stand in one loop and readers must be loads or products,
// which know strides. While indices have one expr per axis.
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "compiler/kernel_passes/access.h"
#include "compiler/kernel_passes/kernel_pass.h"
#include "compiler/kernel_passes/linear.h"
#include "compiler/kernel_passes/walk.h"
#include "ir/ops/product_call.h"

namespace cohort::loop_passes {
namespace {

using namespace kernel;

constexpr std::int64_t kShortRow = 32;  // rows that loops over the whole array had better walk as one

// A store of columns [at, at + count) of a row, one for each iteration of a loop.
struct StoredColumns {
  const Stmt* store = nullptr;
  std::int64_t at = 0, count = 0;
};
// How a buffer is used, if its elements may lie elsewhere.
struct Array {
  bool fixed = false;
  std::vector<Stmt>* list = nullptr;  // that has all stores
  std::vector<StoredColumns> stores;
  std::vector<Stmt*> products;  // that read it
};

class ColumnSharer {
 public:
  explicit ColumnSharer(Program& program) : program_(program) {}

  void run() {
    do {
      arrays_.assign(program_.buffers.size(), {});
      for (Kernel& kernel : program_.kernels) find(kernel.body, nullptr, !kernel.rows.empty());
    } while (share_one());
  }

 private:
  void find(std::vector<Stmt>& list, const Stmt* loop, bool fixed) {
    for (Stmt& stmt : list) {
      for_each_use_of(stmt, [&](const BufferUse& use) {
        Array& array = arrays_[use.buffer];
        const bool operand = is_operand(stmt, use);
        array.fixed = array.fixed || fixed || (use.index == nullptr && !operand);
        if (operand) array.products.push_back(&stmt);
        if (use.written && use.index != nullptr) add_store(array, stmt, list, loop);
      });
      find(stmt.body, stmt.kind == StmtKind::kFor ? &stmt : nullptr, fixed);
      find(stmt.else_body, nullptr, fixed);
    }
  }
  static bool is_operand(const Stmt& stmt, const BufferUse& use) {
    return stmt.kind == StmtKind::kCall && stmt.text == "rt_gemm" && !use.written;
  }
  void add_store(Array& array, const Stmt& store, std::vector<Stmt>& list, const Stmt* loop) const {
    const Buffer& buffer = program_.buffers[store.buffer];
    if (array.list == nullptr) array.list = &list;
    array.fixed = array.fixed || buffer.kind != BufferKind::kTemporary || !buffer.row_starts.empty() ||
                  array.list != &list || loop == nullptr || store.index.empty() ||
                  !is_constant(buffer.shape) || !constant_value(loop->value);
    if (array.fixed) return;
    const std::optional<std::int64_t> at = offset_from(*store.index.back(), loop->var);
    array.fixed = !at || std::any_of(store.index.begin(), store.index.end() - 1,
                                     [&](const ExprRef& e) { return mentions(e, loop->var); });
    if (!array.fixed) array.stores.push_back({&store, *at, *constant_value(loop->value)});
  }

  bool share_one() {
    std::map<const std::vector<Stmt>*, std::size_t> place;
    std::vector<std::vector<BufferId>> candidates;  // by list, in order of appearance
    for (BufferId b = 0; b < arrays_.size(); ++b) {
      Array& array = arrays_[b];
      if (array.fixed || !array.list || width(b) < kShortRow || !sort_apart(array.stores)) continue;
      const auto [found, is_new] = place.try_emplace(array.list, candidates.size());
      if (is_new) candidates.emplace_back();
      candidates[found->second].push_back(b);
    }
    for (const std::vector<BufferId>& buffers : candidates)
      for (const BufferId p : buffers)
        for (const BufferId q : buffers)
          if (p != q && share(p, q)) return true;
    return false;
  }

  // Sorts; whether no column has two stores.
  static bool sort_apart(std::vector<StoredColumns>& stores) {
    std::sort(stores.begin(), stores.end(), [](const auto& x, const auto& y) { return x.at < y.at; });
    return std::adjacent_find(stores.begin(), stores.end(), [](const auto& x, const auto& y) {
             return x.at + x.count > y.at;
           }) == stores.end();
  }
  std::int64_t width(BufferId b) const { return program_.buffers[b].shape.back().offset; }

  // Whether the last columns of p are the first of q; then q is gone.
  bool share(BufferId p, BufferId q) {
    const std::optional<std::int64_t> shift = shift_of(p, q);
    if (!shift) return false;
    const std::int64_t wide = std::max(width(p), *shift + width(q));
    std::map<std::pair<Stmt*, std::size_t>, std::vector<ExprRef>> scalars;
    for (const BufferId b : {p, q})
      for (Stmt* product : arrays_[b].products)
        for (std::size_t side = 0; side < 2; ++side) {
          if (product->buffers[product->outputs + side] != b) continue;
          auto moved = operand(*product, side, width(b), wide, b == q ? *shift : 0);
          if (!moved) return false;
          scalars[{product, side}] = std::move(*moved);
        }
    for (auto& [operand, moved] : scalars) {
      auto& [product, side] = operand;
      product->buffers[product->outputs + side] = p;
      product->index[side == 0 ? gemm::kAAt : gemm::kBAt] = moved[0];
      std::copy(moved.begin() + 1, moved.end(),
                product->index.begin() + (side == 0 ? gemm::kABatch : gemm::kBBatch));
    }
    drop_repeated(p, q, *shift);
    program_.buffers[p].shape.back() = Dim(wide);
    for (Kernel& kernel : program_.kernels) move(kernel.body, p, q, *shift);
    return true;
  }

  // s where column c of q is column c + s of p, for all columns that both have.
  std::optional<std::int64_t> shift_of(BufferId p, BufferId q) const {
    const Buffer &x = program_.buffers[p], &y = program_.buffers[q];
    if (x.dtype != y.dtype || x.shape.size() != y.shape.size() || x.device != y.device ||
        !std::equal(x.shape.begin(), x.shape.end() - 1, y.shape.begin()) || loads_in_list(p, q))
      return {};
    const std::vector<StoredColumns>&of_p = arrays_[p].stores, &of_q = arrays_[q].stores;
    for (const StoredColumns& columns : of_p) {
      if (!equal(columns.store->value, of_q.front().store->value)) continue;
      const std::int64_t shift = columns.at - of_q.front().at;
      if (shift >= 0 && shift < width(p) && agree(p, q, shift)) return shift;
    }
    return {};
  }
  bool agree(BufferId p, BufferId q, std::int64_t shift) const {
    const std::vector<StoredColumns>& of_p = arrays_[p].stores;
    auto next = std::find_if(of_p.begin(), of_p.end(), [&](const auto& c) { return c.at >= shift; });
    for (const StoredColumns& columns : arrays_[q].stores) {
      if (columns.at + shift >= width(p)) break;
      if (next == of_p.end() || next->at != columns.at + shift || !are_equal(*next, columns)) return false;
      ++next;
    }
    return next == of_p.end();
  }
  static bool are_equal(const StoredColumns& x, const StoredColumns& y) {
    std::vector<ExprRef> row_x = x.store->index, row_y = y.store->index;
    row_x.pop_back();
    row_y.pop_back();
    return x.count == y.count && equal(x.store->value, y.store->value) && same_index(row_x, row_y);
  }
  // Between the stores nobody looks.
  bool loads_in_list(BufferId p, BufferId q) const {
    bool any = false;
    for_each_load(*arrays_[p].list, [&](const Expr& e) { any = any || e.id == p || e.id == q; });
    return any;
  }

  // At and strides of an operand whose rows are to be `wide`, not `narrow`, and begin `shift` later.
  static std::optional<std::vector<ExprRef>> operand(const Stmt& product, std::size_t side,
                                                     std::int64_t narrow, std::int64_t wide,
                                                     std::int64_t shift) {
    Linear at = decompose(product.index[side == 0 ? gemm::kAAt : gemm::kBAt]);
    std::int64_t last = 0;  // column that is read
    for (Term& term : at.terms) {
      const std::int64_t rest = term.constant % narrow;
      if (!term.dims.empty() || rest < 0 || (term.atom && rest != 0)) return {};
      last += rest;
      term.constant = term.constant / narrow * wide + rest;
    }
    std::vector<ExprRef> result{compose(decompose(compose(at) + constant_index(shift)))};
    const std::size_t strides = side == 0 ? gemm::kABatch : gemm::kBBatch;
    const std::size_t counts[] = {gemm::kBatch, side == 0 ? gemm::kM : gemm::kK,
                                  side == 0 ? gemm::kK : gemm::kN};
    for (std::size_t i = 0; i < 3; ++i) {
      const std::optional<std::int64_t> stride = constant_value(product.index[strides + i]),
                                        count = constant_value(product.index[counts[i]]);
      if (!stride || !count || *stride < 0) return {};
      const bool rows = *stride % narrow == 0;
      if (!rows) last += *stride * (*count - 1);
      result.push_back(constant_index(rows ? *stride / narrow * wide : *stride));
    }
    return last < narrow ? std::optional(result) : std::nullopt;
  }

  // Columns of q that p has as well are stored once.
  void drop_repeated(BufferId p, BufferId q, std::int64_t shift) {
    std::set<const Stmt*> repeated;
    for (const StoredColumns& columns : arrays_[q].stores)
      if (columns.at + shift < width(p)) repeated.insert(columns.store);
    std::vector<Stmt>& list = *arrays_[q].list;
    const auto kept = std::find_if(list.begin(), list.end(), [&](const Stmt& stmt) {
      return stmt.kind == StmtKind::kStore && stmt.buffer == p;
    });
    for (const Stmt* stmt : repeated)
      kept->sources.insert(kept->sources.end(), stmt->sources.begin(), stmt->sources.end());
    std::erase_if(list, [&](const Stmt& stmt) { return repeated.contains(&stmt); });
  }
  // Column c of q is column c + shift of p.
  static void move(std::vector<Stmt>& list, BufferId p, BufferId q, std::int64_t shift) {
    const auto moved = [&](std::vector<ExprRef> index) {
      index.back() = compose(decompose(index.back() + constant_index(shift)));
      return index;
    };
    for (Stmt& stmt : list) {
      rewrite_exprs(stmt, [&](const ExprRef& e) {
        return e->kind == ExprKind::kLoad && e->id == q ? load(p, e->dtype, moved(e->args)) : e;
      });
      if (stmt.kind == StmtKind::kStore && stmt.buffer == q) {
        stmt.buffer = p;
        stmt.index = moved(std::move(stmt.index));
      }
      move(stmt.body, p, q, shift);
      move(stmt.else_body, p, q, shift);
    }
  }

  Program& program_;
  std::vector<Array> arrays_;  // by buffer
};

}  // namespace

Program share_columns(Program program, const Dims&) {
  ColumnSharer(program).run();
  return program;
}

}  // namespace cohort::loop_passes
