#include "compiler/kernel_passes/device_products.h"

#include "compiler/kernel_passes/loop_cost.h"
#include "ir/ops/product_call.h"

namespace cohort::kernel {
namespace {

ExprRef quotient(const ExprRef& a, const ExprRef& b) {
  return is_constant_index(*b, 1) ? a : op(ScalarOp::k_floor_div, {a, b}, DType::kI64);
}
ExprRef remainder(const ExprRef& a, const ExprRef& b) {
  return is_constant_index(*b, 1) ? constant_index(0) : op(ScalarOp::k_mod, {a, b}, DType::kI64);
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
  ExprRef let(std::vector<Stmt>& body, ExprRef value) {
    if (value->kind == ExprKind::kConst || value->kind == ExprKind::kVar) return value;
    Stmt s;
    s.kind = StmtKind::kLet;
    s.var = program_.next_var++;
    s.value = std::move(value);
    body.push_back(s);
    return variable(s.var, DType::kI64);
  }
  Stmt loop(ExprRef extent, LoopMode mode) {
    Stmt s;
    s.kind = StmtKind::kFor;
    s.mode = mode;
    s.var = program_.next_var++;
    s.value = std::move(extent);
    return s;
  }
  static Stmt store(BufferId buffer, ExprRef at, ExprRef value) {
    Stmt s;
    s.buffer = buffer;
    s.index = {std::move(at)};
    s.value = std::move(value);
    return s;
  }

  // One element after the other.
  Stmt elements(const ExprRef& count) {
    Stmt outer = loop(count, LoopMode::kParallel);
    outer.sources = call_.sources;
    return outer;
  }
  // c[at] = the sum over k of a[a_at + k * a_step] * b[b_at + k * b_step].
  void sum(std::vector<Stmt>& body, const ExprRef& at, const ExprRef& k, const ExprRef& a_at,
           const ExprRef& a_step, const ExprRef& b_at, const ExprRef& b_step) {
    Stmt var;
    var.kind = StmtKind::kVar;
    var.dtype = dtype_;
    var.var = program_.next_var++;
    var.value = constant(make_scalar_int(dtype_, 0));
    Stmt along = loop(k, LoopMode::kSerial);
    const ExprRef step = variable(along.var, DType::kI64);
    Stmt add = var;
    add.kind = StmtKind::kAssign;
    add.value = op(ScalarOp::k_fma,
                   {load(call_.buffers[1], dtype_, {a_at + step * a_step}),
                    load(call_.buffers[2], dtype_, {b_at + step * b_step}), variable(var.var, dtype_)},
                   dtype_);
    along.body.push_back(std::move(add));
    const ExprRef result = variable(var.var, dtype_);
    body.push_back(std::move(var));
    body.push_back(std::move(along));
    body.push_back(store(call_.buffers[0], at, result));
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
    Stmt all = elements(s_[kK] * s_[kN]);
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

}  // namespace cohort::kernel
