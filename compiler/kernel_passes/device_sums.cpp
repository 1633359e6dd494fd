#include "compiler/kernel_passes/device_sums.h"

#include <algorithm>
#include <set>

#include "compiler/kernel_passes/cooperate.h"
#include "compiler/kernel_passes/statements.h"
#include "compiler/kernel_passes/walk.h"

namespace cohort::kernel {
namespace {

std::int64_t number(const ExprRef& e) {
  return e->kind == ExprKind::kConst ? static_cast<std::int64_t>(e->bits) : -1;
}

class PieceWriter {
 public:
  PieceWriter(Program& program, std::vector<Stmt>& nest) : program_(program), nest_(nest) {
    for_each_use(nest, [&](const BufferUse& use) {
      if (use.written) written_.insert(use.buffer);
    });
  }

  std::vector<std::vector<Stmt>> run() {
    std::vector<std::vector<Stmt>> stages;
    Stmt& last = nest_.back();
    const bool rows = last.kind == StmtKind::kFor && is_free(program_, last);
    if (rows && (number(last.value) < 1 || number(last.value) >= kFewSums)) return stages;
    add_lets(nest_);
    if (rows) rows_ = &last, add_lets(last.body);
    std::vector<Stmt>& body = rows ? last.body : nest_;
    for (Stmt& loop : body) {
      if (!is_long_sum(body, loop)) continue;
      stages.push_back(first_stage(loop));
    }
    return stages;
  }

 private:
  // Lets that are computed from the row alone.
  void add_lets(const std::vector<Stmt>& list) {
    for (const Stmt& s : list) {
      if (s.kind != StmtKind::kLet) continue;
      const ExprRef value = substitute(s.value, lets_);
      if (is_of_row(value, {})) lets_[s.var] = value;
    }
  }
  bool is_of_row(const ExprRef& e, const std::set<VarId>& inside) const {
    if (e->kind == ExprKind::kFinish || (e->kind == ExprKind::kLoad && written_.contains(e->id)))
      return false;
    if (e->kind == ExprKind::kVar)
      return inside.contains(e->id) || lets_.contains(e->id) || (rows_ != nullptr && e->id == rows_->var);
    return std::all_of(e->args.begin(), e->args.end(),
                       [&](const ExprRef& a) { return is_of_row(a, inside); });
  }

  // A loop over lanes, or such a loop within another: what is added up, as lets and one accumulation whose
  // lane is the inner loop's variable; nobody else adds to the accumulator.
  bool is_long_sum(const std::vector<Stmt>& body, const Stmt& loop) const {
    if (loop.kind != StmtKind::kFor || loop.body.empty() || number(loop.value) < 1) return false;
    const bool nested = loop.body.size() == 1 && loop.body[0].kind == StmtKind::kFor;
    const Stmt& lanes = nested ? loop.body[0] : loop;
    if (lanes.body.empty() || number(lanes.value) < 1) return false;
    if (number(lanes.value) * (nested ? number(loop.value) : 1) < kLongSum) return false;
    std::set<VarId> inside{loop.var, lanes.var};
    for (std::size_t i = 0; i + 1 < lanes.body.size(); ++i) {
      const Stmt& s = lanes.body[i];
      if (s.kind != StmtKind::kLet || !is_of_row(s.value, inside)) return false;
      inside.insert(s.var);
    }
    const Stmt& add = lanes.body.back();
    if (add.kind != StmtKind::kAccumulate || !is_of_row(add.value, inside) || add.index.size() != 1 ||
        add.index[0]->kind != ExprKind::kVar || add.index[0]->id != lanes.var)
      return false;
    std::size_t adds = 0;
    for_each_stmt(body, [&](const Stmt& s) { adds += s.kind == StmtKind::kAccumulate && s.var == add.var; });
    return adds == 1;
  }

  // How many iterations of the loop that is divided are a piece.
  static std::int64_t piece_of(const Stmt& loop) {
    const bool nested = loop.body[0].kind == StmtKind::kFor;
    return nested ? std::max<std::int64_t>(1, kSumPiece / number(loop.body[0].value)) : kSumPiece;
  }

  // Sums of pieces to a temporary, which `loop` then adds up.
  std::vector<Stmt> first_stage(Stmt& loop) {
    const std::int64_t n = number(loop.value), size = piece_of(loop), pieces = (n + size - 1) / size;
    const std::int64_t rows = rows_ ? number(rows_->value) : 1;
    const bool nested = loop.body[0].kind == StmtKind::kFor;
    const Stmt add = nested ? loop.body[0].body.back() : loop.body.back();
    Buffer sums{"sums", BufferKind::kTemporary, add.dtype, {rows * pieces}, 0};
    sums.device = Device::kGpu;
    const auto to = static_cast<BufferId>(program_.buffers.size());
    program_.buffers.push_back(std::move(sums));

    Stmt all = for_loop(program_, constant_index(rows * pieces), LoopMode::kParallel);
    all.sources = loop.sources;
    const ExprRef flat = variable(all.var, DType::kI64);
    const ExprRef row = rows == 1 ? constant_index(0)
                                  : add_let(program_, all.body, binary(ScalarOp::k_floor_div, flat, pieces));
    const ExprRef piece =
        rows == 1 ? flat : add_let(program_, all.body, binary(ScalarOp::k_mod, flat, pieces));
    const ExprRef begin = add_let(program_, all.body, piece * constant_index(size));
    ExprRef length = constant_index(size);
    if (n % size != 0)
      length = add_let(program_, all.body, binary(ScalarOp::k_min, constant_index(n) - begin, size));
    Stmt accumulator = add;
    accumulator.kind = StmtKind::kAccumulator;
    accumulator.lanes = true;
    accumulator.value = nullptr;
    accumulator.index.clear();
    accumulator.var = program_.next_var++;
    all.body.push_back(accumulator);
    all.body.push_back(piece_sum(loop, begin, length, row, accumulator.var));
    Stmt store;
    store.buffer = to;
    store.index = {flat};
    store.value = finish(accumulator.var, add.dtype);
    all.body.push_back(std::move(store));

    const ExprRef first =
        rows_ ? variable(rows_->var, DType::kI64) * constant_index(pieces) : constant_index(0);
    loop.value = constant_index(pieces);
    loop.mode = LoopMode::kSimd;
    loop.body = {add};
    loop.body[0].value = load(to, add.dtype, {first + variable(loop.var, DType::kI64)});
    loop.body[0].index = {variable(loop.var, DType::kI64)};
    std::vector<Stmt> stage;
    stage.push_back(std::move(all));
    return stage;
  }

  // The iterations begin + v for v < length of the loop, for another accumulator.
  Stmt piece_sum(const Stmt& loop, const ExprRef& begin, const ExprRef& length, const ExprRef& row,
                 VarId to) {
    const bool nested = loop.body[0].kind == StmtKind::kFor;
    const Stmt& lanes = nested ? loop.body[0] : loop;
    Stmt outer = for_loop(program_, length, nested ? LoopMode::kSerial : LoopMode::kSimd);
    Stmt within = nested ? for_loop(program_, lanes.value, LoopMode::kSimd) : outer;
    const ExprRef lane = variable(within.var, DType::kI64);
    Substitution renamed{{loop.var, begin + variable(outer.var, DType::kI64)}};
    if (nested) renamed[lanes.var] = lane;
    if (rows_) renamed[rows_->var] = row;
    for (const Stmt& s : lanes.body) {
      Stmt copy = s;
      copy.value = substitute(substitute(copy.value, lets_), renamed);
      copy.var = s.kind == StmtKind::kLet ? program_.next_var++ : to;
      if (s.kind == StmtKind::kLet) renamed[s.var] = variable(copy.var, copy.dtype);
      if (s.kind == StmtKind::kAccumulate) copy.index = {lane};
      within.body.push_back(std::move(copy));
    }
    if (!nested) return within;
    outer.body.push_back(std::move(within));
    return outer;
  }

  static ExprRef binary(ScalarOp op_name, const ExprRef& a, std::int64_t b) {
    return op(op_name, {a, constant_index(b)}, DType::kI64);
  }
  Program& program_;
  std::vector<Stmt>& nest_;
  Stmt* rows_ = nullptr;  // the loop over rows, if there is one
  std::set<BufferId> written_;
  Substitution lets_;
};

}  // namespace

std::vector<std::vector<Stmt>> sum_pieces(Program& program, std::vector<Stmt>& nest) {
  return PieceWriter(program, nest).run();
}

}  // namespace cohort::kernel
