#include "ir/kernel_interpreter.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "ir/custom_function.h"
#include "ir/diagnostics.h"
#include "ir/kernel_calls.h"
#include "ir/op_def.h"
#include "ir/ops/product_call.h"

namespace cohort {

using namespace kernel;

namespace {

constexpr std::int64_t kLanes = 16;

struct BufferStorage {
  Tensor tensor;
  std::vector<bool> stored;  // by element; empty: all of it has values
};

struct Accumulator {
  ScalarOp op = ScalarOp::kNone;
  bool lanes = false;
  std::array<Scalar, kLanes> partial;
};

Scalar apply(ScalarOp op, Scalar a, Scalar b) {
  const std::array<Scalar, 2> operands{a, b};
  return evaluate_scalar(op, operands, a.dtype);
}

class ProgramRun {
 public:
  ProgramRun(const Module& module, const Program& program, const DimValues& dims, LoopOrder order)
      : module_(module),
        program_(program),
        dims_(dims),
        order_(order),
        storage_(program.buffers.size()),
        actual_(program.buffers.size()),
        vars_(program.next_var) {
    for (BufferId b = 0; b < actual_.size(); ++b) actual_[b] = b;
  }

  CallResult run(std::span<const Tensor> inputs, std::vector<Tensor>& state) {
    for (BufferId b = 0; b < storage_.size(); ++b) prepare(b, inputs, state);
    try {
      run_calls();
    } catch (const UserError&) {
      give_state(state);
      throw;
    }
    give_state(state);
    for (BufferId b = 0; b < storage_.size(); ++b) {
      const Buffer& buffer = program_.buffers[b];
      if (buffer.kind != BufferKind::kOutput) continue;
      const std::vector<bool>& stored = storage_[b].stored;
      require(std::all_of(stored.begin(), stored.end(), [](bool s) { return s; }),
              "an output was not stored");
      if (result_.outputs.size() <= buffer.index) result_.outputs.resize(buffer.index + 1);
      result_.outputs[buffer.index] = storage_[b].tensor;
    }
    return std::move(result_);
  }

 private:
  void prepare(BufferId b, std::span<const Tensor> inputs, const std::vector<Tensor>& state) {
    const Buffer& buffer = program_.buffers[b];
    BufferStorage& storage = storage_[b];
    switch (buffer.kind) {
      case BufferKind::kInput:
        storage.tensor = inputs[buffer.index];
        return;
      case BufferKind::kConstant:
        storage.tensor = module_.constants[buffer.index].data;
        return;
      case BufferKind::kState:
        if (buffer.members.empty()) {
          storage.tensor = state[buffer.index];
          return;
        }
        storage.tensor = Tensor(buffer.dtype, merged_extents(buffer));
        copy_members(
            buffer,
            [&](std::uint32_t member, std::size_t at, std::size_t bytes) {
              std::memcpy(storage.tensor.mutable_data() + at, state[member].data(), bytes);
            },
            state);
        return;
      case BufferKind::kOutput:
      case BufferKind::kTemporary:
        break;
    }
    storage.tensor = Tensor(buffer.dtype, merged_extents(buffer));
    storage.stored.assign(static_cast<std::size_t>(storage.tensor.size()), false);
  }
  void give_state(std::vector<Tensor>& state) {
    for (BufferId b = 0; b < storage_.size(); ++b) {
      const Buffer& buffer = program_.buffers[b];
      if (buffer.kind != BufferKind::kState) continue;
      if (buffer.members.empty()) {
        state[buffer.index] = storage_[b].tensor;
        continue;
      }
      copy_members(
          buffer,
          [&](std::uint32_t member, std::size_t at, std::size_t bytes) {
            std::memcpy(state[member].mutable_data(), storage_[b].tensor.data() + at, bytes);
          },
          state);
    }
  }

  // Merged storage: arrays of different sizes are held as one flat array.
  Extents merged_extents(const Buffer& buffer) const {
    return buffer.row_starts.empty() ? evaluate(buffer.shape, dims_) : Extents{buffer.row_starts.back()};
  }
  template <typename F>
  static void copy_members(const Buffer& buffer, F&& copy, const std::vector<Tensor>& state) {
    std::size_t at = 0;
    for (const std::uint32_t member : buffer.members) {
      const auto bytes = static_cast<std::size_t>(state[member].bytes());
      if (bytes > 0) copy(member, at, bytes);
      at += bytes;
    }
  }

  void run_calls() {
    if (program_.calls.empty()) {
      for (const Kernel& k : program_.kernels) run_rows(k, 0, static_cast<std::uint32_t>(k.rows.size()));
      return;
    }
    for (const KernelCall& call : program_.calls)
      run_rows(program_.kernels[call.kernel], call.first_row, call.first_row + call.row_count);
  }
  void run_rows(const Kernel& k, std::uint32_t first, std::uint32_t end) {
    if (k.rows.empty()) return statements(k.body);
    for (std::uint32_t r = first; r < end; ++r) {
      const KernelRow& row = k.rows[r];
      for (std::size_t p = 0; p < row.buffers.size(); ++p) actual_[k.parameters[p]] = row.buffers[p];
      for (std::size_t s = 0; s < row.scalars.size(); ++s)
        vars_[k.scalars[s].var] = {k.scalars[s].dtype, row.scalars[s]};
      statements(k.body);
    }
    for (const BufferId b : k.parameters) actual_[b] = b;
  }

  // Expressions.
  std::int64_t integer(const ExprRef& e) { return static_cast<std::int64_t>(value(*e).bits); }

  std::size_t position(BufferId named, const std::vector<ExprRef>& index) {
    const Tensor& tensor = storage_[actual_[named]].tensor;
    std::int64_t flat = 0;
    if (program_.flat) {
      flat = integer(index[0]);
      if (flat < 0 || flat >= tensor.size()) out_of_range(named, flat, tensor.size());
      return static_cast<std::size_t>(flat);
    }
    const std::vector<std::int64_t>& starts = program_.buffers[named].row_starts;
    if (!starts.empty()) {
      const std::int64_t rows = static_cast<std::int64_t>(starts.size()) - 1, row = integer(index[0]);
      if (row < 0 || row >= rows) out_of_range(named, row, rows);
      const std::int64_t start = starts[static_cast<std::size_t>(row)], i = integer(index[1]);
      const std::int64_t size = starts[static_cast<std::size_t>(row) + 1] - start;
      if (i < 0 || i >= size) out_of_range(named, i, size);
      return static_cast<std::size_t>(start + i);
    }
    for (std::size_t axis = 0; axis < index.size(); ++axis) {
      const std::int64_t i = integer(index[axis]);
      const std::int64_t extent = tensor.extents()[axis];
      if (i < 0 || i >= extent) out_of_range(named, i, extent);
      flat = flat * extent + i;
    }
    return static_cast<std::size_t>(flat);
  }
  [[noreturn]] void out_of_range(BufferId buffer, std::int64_t index, std::int64_t size) const {
    internal_error(fmt::format("index {} into `{}` of size {}", index, program_.buffers[buffer].name, size));
  }

  Scalar value(const Expr& e) {
    switch (e.kind) {
      case ExprKind::kConst:
        return {e.dtype, e.bits};
      case ExprKind::kVar:
        return vars_[e.id];
      case ExprKind::kDim:
        return make_scalar_int(DType::kI64, evaluate(e.dim, dims_));
      case ExprKind::kLoad:
        return loaded(e.id, position(e.id, e.args));
      case ExprKind::kFinish:
        return finished(accumulators_.at(e.id));
      case ExprKind::kCustom:
        return evaluate_custom(*e.custom, values(e.args), e.dtype);
      case ExprKind::kOp:
        break;
    }
    std::array<Scalar, 3> operands;
    for (std::size_t i = 0; i < e.args.size(); ++i) operands[i] = value(*e.args[i]);
    if (e.dtype == DType::kI64 &&
        operands[0].dtype == DType::kI64) {  // index arithmetic, which is most of it
      if (e.op == ScalarOp::k_add) return {e.dtype, operands[0].bits + operands[1].bits};
      if (e.op == ScalarOp::k_mul) return {e.dtype, operands[0].bits * operands[1].bits};
    }
    return evaluate_scalar(e.op, {operands.data(), e.args.size()}, e.dtype);
  }
  std::vector<Scalar> values(const std::vector<ExprRef>& exprs) {
    std::vector<Scalar> result;
    for (const ExprRef& e : exprs) result.push_back(value(*e));
    return result;
  }
  Scalar loaded(BufferId buffer, std::size_t at) const {
    const BufferStorage& storage = storage_[actual_[buffer]];
    if (!storage.stored.empty() && !storage.stored[at])
      internal_error(fmt::format("`{}` is read before it is written", program_.buffers[buffer].name));
    const auto width = static_cast<std::size_t>(dtype_bytes(storage.tensor.dtype()));
    Scalar scalar{storage.tensor.dtype(), 0};
    std::memcpy(&scalar.bits, storage.tensor.data() + at * width, width);
    return scalar;
  }
  static Scalar finished(Accumulator accumulator) {
    if (!accumulator.lanes) return accumulator.partial[0];
    for (std::size_t width = kLanes / 2; width > 0; width /= 2) {
      for (std::size_t l = 0; l < width; ++l) {
        Scalar& partial = accumulator.partial[l];
        partial = apply(accumulator.op, partial, accumulator.partial[l + width]);
      }
    }
    return accumulator.partial[0];
  }

  // Statements.
  void statements(const std::vector<Stmt>& list) {
    for (const Stmt& stmt : list) statement(stmt);
  }
  void statement(const Stmt& s) {
    switch (s.kind) {
      case StmtKind::kFor:
        return loop(s);
      case StmtKind::kIf:
        return statements(value(*s.value).bits != 0 ? s.body : s.else_body);
      case StmtKind::kStore:
        return store(s);
      case StmtKind::kLet:
      case StmtKind::kVar:
      case StmtKind::kAssign:
        vars_[s.var] = value(*s.value);
        return;
      case StmtKind::kAccumulator: {
        Accumulator& accumulator = accumulators_[s.var];
        accumulator.op = s.op;
        accumulator.lanes = s.lanes;
        accumulator.partial.fill(identity(s.op, s.dtype));
        return;
      }
      case StmtKind::kAccumulate: {
        Accumulator& accumulator = accumulators_.at(s.var);
        const bool lane = accumulator.lanes && !s.index.empty();
        Scalar& partial =
            accumulator.partial[lane ? static_cast<std::size_t>(integer(s.index[0]) % kLanes) : 0];
        partial = apply(accumulator.op, partial, value(*s.value));
        return;
      }
      case StmtKind::kCheck:
        if (value(*s.value).bits == 0)
          fail(DiagId::kIndexOutOfRange, s.text, integer(s.index[0]), integer(s.index[1]));
        return;
      case StmtKind::kAssert:
        if (value(*s.value).bits == 0) fail(DiagId::kAssertFailed, s.text);
        return;
      case StmtKind::kPrint:
        return print(s);
      case StmtKind::kCall:
        return call(s);
      case StmtKind::kBarrier:
        return;
      case StmtKind::kTransfer:
        storage_[actual_[s.buffer]] = storage_[actual_[s.buffers[0]]];
        return;
    }
  }
  void store(const Stmt& s) {
    const std::size_t at = position(s.buffer, s.index);
    Scalar scalar = value(*s.value);
    if (s.op != ScalarOp::kNone) scalar = apply(s.op, loaded(s.buffer, at), scalar);
    BufferStorage& storage = storage_[actual_[s.buffer]];
    const auto width = static_cast<std::size_t>(dtype_bytes(storage.tensor.dtype()));
    std::memcpy(storage.tensor.mutable_data() + at * width, &scalar.bits, width);
    if (!storage.stored.empty()) storage.stored[at] = true;
  }
  void loop(const Stmt& s) {
    if (s.mode == LoopMode::kRanges) return ranges(s);
    if (s.mode == LoopMode::kTiles) return tiles(s);
    const std::int64_t extent = integer(s.value);
    const auto iteration = [&](std::int64_t i) {
      vars_[s.var] = {DType::kI64, static_cast<std::uint64_t>(i)};
      statements(s.body);
    };
    const bool free_order =
        s.mode == LoopMode::kSimd || s.mode == LoopMode::kParallel || is_of_threads(s.mode);
    if (order_ == LoopOrder::kForward || !free_order) {
      for (std::int64_t i = 0; i < extent; ++i) iteration(i);
      return;
    }
    const std::int64_t block = accumulates(s) ? kLanes : std::max<std::int64_t>(extent, 1);
    for (std::int64_t begin = 0; begin < extent; begin += block) {
      for (std::int64_t i = std::min(begin + block, extent); i-- > begin;) iteration(i);
    }
  }
  // Elements in order, or the last one first.
  void tiles(const Stmt& s) {
    const Tensor &a = storage_[actual_[s.buffers[0]]].tensor, &b = storage_[actual_[s.buffers[1]]].tensor;
    std::vector<std::int64_t> scalars;
    for (const ExprRef& e : s.index) scalars.push_back(integer(e));
    const std::int64_t rows = scalars[gemm_tiles::kM], columns = scalars[gemm_tiles::kN];
    const std::int64_t count = scalars[gemm_tiles::kBatch] * rows * columns;
    require(count == integer(s.value), "a loop of tiles knows how many elements it has");
    for (std::int64_t e = 0; e < count; ++e) {
      const std::int64_t at = order_ == LoopOrder::kForward ? e : count - 1 - e;
      const std::int64_t place[] = {at / columns / rows, at / columns % rows, at % columns};
      for (std::size_t axis = 0; axis < 3; ++axis)
        vars_[s.count + axis] = make_scalar_int(DType::kI64, place[axis]);
      vars_[s.var] = product_element(a, b, scalars, place[0], place[1], place[2]);
      statements(s.body);
    }
  }
  // All in one range; or in ranges of two, the last one first.
  void ranges(const Stmt& s) {
    const std::int64_t extent = integer(s.value);
    const std::int64_t step = order_ == LoopOrder::kForward ? std::max<std::int64_t>(extent, 1) : 2;
    for (std::int64_t begin = (extent - 1) / step * step; begin >= 0; begin -= step) {
      vars_[s.var] = {DType::kI64, static_cast<std::uint64_t>(begin)};
      vars_[s.count] = {DType::kI64, static_cast<std::uint64_t>(std::min(step, extent - begin))};
      statements(s.body);
    }
  }
  // Whether a loop accumulates into an accumulator from outside it.
  static bool accumulates(const Stmt& loop) {
    std::vector<VarId> inside;
    return accumulates(loop.body, inside);
  }
  static bool accumulates(const std::vector<Stmt>& list, std::vector<VarId>& inside) {
    for (const Stmt& s : list) {
      if (s.kind == StmtKind::kAccumulator) inside.push_back(s.var);
      if (s.kind == StmtKind::kAccumulate && std::find(inside.begin(), inside.end(), s.var) == inside.end())
        return true;
      if (accumulates(s.body, inside) || accumulates(s.else_body, inside)) return true;
    }
    return false;
  }
  void print(const Stmt& s) {
    const OpDef* op = find_op("print");
    const Tensor& tensor = storage_[actual_[s.buffer]].tensor;
    const Attrs attrs{{"message", s.text}};
    const std::vector<Type> types{{tensor.dtype(), Shape(tensor.extents().begin(), tensor.extents().end())}};
    std::vector<Tensor> results{Tensor(tensor.dtype(), tensor.extents())};
    EvalContext context{*op, {&tensor, 1}, attrs, dims_, types, results, &result_.printed};
    op->evaluate(context);
  }
  void call(const Stmt& s) {
    std::vector<Tensor> inputs;
    std::vector<Tensor> outputs;
    std::vector<std::int64_t> scalars;
    for (std::size_t i = 0; i < s.outputs; ++i) outputs.push_back(storage_[actual_[s.buffers[i]]].tensor);
    for (std::size_t i = s.outputs; i < s.buffers.size(); ++i)
      inputs.push_back(storage_[actual_[s.buffers[i]]].tensor);
    for (const ExprRef& e : s.index) scalars.push_back(integer(e));
    call_reference(s.text, outputs, inputs, scalars);
    for (std::size_t i = 0; i < s.outputs; ++i) {
      BufferStorage& storage = storage_[actual_[s.buffers[i]]];
      storage.tensor = std::move(outputs[i]);
      std::fill(storage.stored.begin(), storage.stored.end(), true);
    }
  }

  const Module& module_;
  const Program& program_;
  const DimValues& dims_;
  const LoopOrder order_;
  std::vector<BufferStorage> storage_;  // by BufferId
  std::vector<BufferId> actual_;        // what a buffer stands for in the row that runs
  std::vector<Scalar> vars_;            // by VarId
  std::unordered_map<VarId, Accumulator> accumulators_;
  CallResult result_;
};

}  // namespace

CallResult interpret_program(const Module& module, const Program& program, std::span<const Tensor> inputs,
                             std::vector<Tensor>& state, const DimValues& dims, LoopOrder order) {
  return ProgramRun(module, program, dims, order).run(inputs, state);
}

}  // namespace cohort
