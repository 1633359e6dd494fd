#include "compiler/kernel_passes/device_products.h"

#include "compiler/kernel_passes/loop_cost.h"
#include "compiler/kernel_passes/statements.h"
#include "ir/ops/product_call.h"

namespace cohort::kernel {
namespace {

ExprRef quotient(const ExprRef& a, const ExprRef& b) {
  return is_constant_index(*b, 1) ? a : op(ScalarOp::k_floor_div, {a, b}, DType::kI64);
}
ExprRef remainder(const ExprRef& a, const ExprRef& b) {
  return is_constant_index(*b, 1) ? constant_index(0) : op(ScalarOp::k_mod, {a, b}, DType::kI64);
}

struct Chain {
  VarId result;
  DType dtype;
  BufferId a, b;
};
struct ChainPlaces {
  ExprRef a_at, a_step, b_at, b_step;
};

// result = the sum over l < k of a[a_at + l * a_step] * b[b_at + l * b_step].
void add_chain(Program& program, std::vector<Stmt>& body, const Chain& chain, const ExprRef& k,
               const ChainPlaces& places) {
  Stmt var = let(chain.result, constant(make_scalar_int(chain.dtype, 0)));
  var.kind = StmtKind::kVar;
  Stmt along = for_loop(program, k, LoopMode::kSerial);
  const ExprRef step = variable(along.var, DType::kI64), result = variable(chain.result, chain.dtype);
  Stmt add = var;
  add.kind = StmtKind::kAssign;
  add.value = op(ScalarOp::k_fma,
                 {load(chain.a, chain.dtype, {places.a_at + step * places.a_step}),
                  load(chain.b, chain.dtype, {places.b_at + step * places.b_step}), result},
                 chain.dtype);
  along.body.push_back(std::move(add));
  body.push_back(std::move(var));
  body.push_back(std::move(along));
}

class Writer {
 public:
  Writer(Program& program, const Stmt& call) : program_(program), call_(call), s_(call.index) {
    dtype_ = program.buffers[call.buffers[0]].dtype;
  }

  Stmt run() {
    if (call_.text == "rt_gemm_pack") return copy();
    return call_.text == "rt_gemm" ? product() : product_of_packed();
  }

 private:
  ExprRef let(std::vector<Stmt>& body, ExprRef value) { return add_let(program_, body, std::move(value)); }
  static Stmt store(BufferId buffer, ExprRef at, ExprRef value) {
    Stmt s;
    s.buffer = buffer;
    s.index = {std::move(at)};
    s.value = std::move(value);
    return s;
  }

  // One element after the other.
  Stmt elements(const ExprRef& count) {
    Stmt outer = for_loop(program_, count, LoopMode::kParallel);
    outer.sources = call_.sources;
    return outer;
  }
  // c[at] = the sum.
  void sum(std::vector<Stmt>& body, const ExprRef& at, const ExprRef& k, const ExprRef& a_at,
           const ExprRef& a_step, const ExprRef& b_at, const ExprRef& b_step) {
    const VarId result = program_.next_var++;
    add_chain(program_, body, {result, dtype_, call_.buffers[1], call_.buffers[2]}, k,
              {a_at, a_step, b_at, b_step});
    body.push_back(store(call_.buffers[0], at, variable(result, dtype_)));
  }

  Stmt product() {
    using namespace gemm;
    Stmt all = elements(s_[kBatch] * s_[kM] * s_[kN]);
    const ExprRef flat = variable(all.var, DType::kI64);
    const bool one = is_constant_index(*s_[kBatch], 1);
    const ExprRef j = let(all.body, remainder(flat, s_[kN]));
    const ExprRef row = let(all.body, quotient(flat, s_[kN]));
    const ExprRef i = one ? row : let(all.body, remainder(row, s_[kM]));
    const ExprRef p = one ? constant_index(0) : let(all.body, quotient(row, s_[kM]));
    const ExprRef a_at = let(all.body, s_[kAAt] + p * s_[kABatch] + i * s_[kARow]);
    const ExprRef b_at = let(all.body, s_[kBAt] + p * s_[kBBatch] + j * s_[kBColumn]);
    sum(all.body, s_[kCAt] + p * s_[kCBatch] + i * s_[kCRow] + j * s_[kCColumn], s_[kK], a_at, s_[kAColumn],
        b_at, s_[kBRow]);
    return all;
  }

  ExprRef panel_columns() const { return constant_index(kPackedRowBytes / dtype_bytes(dtype_)); }

  Stmt product_of_packed() {
    using namespace gemm_packed;
    Stmt all = elements(s_[kM] * s_[kN]);
    const ExprRef flat = variable(all.var, DType::kI64), columns = panel_columns();
    const ExprRef j = let(all.body, remainder(flat, s_[kN]));
    const ExprRef i = let(all.body, quotient(flat, s_[kN]));
    const ExprRef a_at = let(all.body, s_[kAAt] + i * s_[kARow]);
    const ExprRef b_at =
        let(all.body, s_[kPackedAt] + quotient(j, columns) * s_[kK] * columns + remainder(j, columns));
    sum(all.body, s_[kCAt] + i * s_[kCRow] + j, s_[kK], a_at, s_[kAColumn], b_at, columns);
    return all;
  }

  Stmt copy() {
    using namespace gemm_pack;
    Stmt all = elements(s_[kRows] * s_[kN]);
    const ExprRef flat = variable(all.var, DType::kI64), columns = panel_columns();
    const ExprRef k = let(all.body, quotient(flat, s_[kN]));
    const ExprRef j = let(all.body, remainder(flat, s_[kN]));
    const ExprRef to = let(all.body, s_[kAt] + j);
    const ExprRef place =
        s_[kPackedAt] + (quotient(to, columns) * s_[kK] + k) * columns + remainder(to, columns);
    all.body.push_back(store(call_.buffers[0], place,
                             load(call_.buffers[1], dtype_, {s_[kBAt] + k * s_[kRow] + j * s_[kColumn]})));
    return all;
  }

  Program& program_;
  const Stmt& call_;
  const std::vector<ExprRef>& s_;
  DType dtype_;
};

}  // namespace

bool is_product_call(const Stmt& stmt) {
  return stmt.kind == StmtKind::kCall &&
         (stmt.text == "rt_gemm" || stmt.text == "rt_gemm_pack" || stmt.text == "rt_gemm_packed");
}

double multiplications(const Stmt& call, const Dims& dims) {
  if (call.text == "rt_gemm_pack") return 0;
  const std::size_t first = 3, last = call.text == "rt_gemm" ? 6 : 5;  // [batch,] m, n, k
  double count = 1;
  for (std::size_t k = first; k <= last; ++k) count *= greatest_extent(call.index[k], dims);
  return count;
}

void write_products(Program& program, std::vector<Stmt>& body) {
  for (Stmt& s : body) {
    write_products(program, s.body);
    write_products(program, s.else_body);
    if (!is_product_call(s)) continue;
    const Stmt call = s;
    s = Writer(program, call).run();
  }
}

Stmt tiles_as_loop(Program& program, Stmt tiles) {
  using namespace gemm_tiles;
  const std::vector<ExprRef>& s = tiles.index;
  Stmt all = for_loop(program, tiles.value, LoopMode::kParallel);
  all.sources = std::move(tiles.sources);
  const ExprRef flat = variable(all.var, DType::kI64), row = quotient(flat, s[kN]);
  const ExprRef place[] = {quotient(row, s[kM]), remainder(row, s[kM]), remainder(flat, s[kN])};
  std::vector<ExprRef> at;
  for (VarId axis = 0; axis < 3; ++axis) {
    all.body.push_back(let(tiles.count + axis, place[axis]));
    at.push_back(variable(tiles.count + axis, DType::kI64));
  }
  const ExprRef a_at = add_let(program, all.body, s[kAAt] + at[0] * s[kABatch] + at[1] * s[kARow]);
  const ExprRef b_at = add_let(program, all.body, s[kBAt] + at[0] * s[kBBatch] + at[2] * s[kBColumn]);
  add_chain(program, all.body, {tiles.var, tiles.dtype, tiles.buffers[0], tiles.buffers[1]}, s[kK],
            {a_at, s[kAColumn], b_at, s[kBRow]});
  all.body.insert(all.body.end(), std::make_move_iterator(tiles.body.begin()),
                  std::make_move_iterator(tiles.body.end()));
  return all;
}

}  // namespace cohort::kernel
