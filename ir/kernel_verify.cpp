#include "ir/kernel_verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "ir/custom_function.h"
#include "ir/ops/product_call.h"

namespace cohort::kernel {
namespace {

class KernelVerifier {
 public:
  explicit KernelVerifier(const Program& program) : program_(program) {}

  std::vector<std::string> run() {
    for (const Kernel& kernel : program_.kernels) {
      kernel_ = &kernel;
      visible_.clear();
      scope_.clear();
      accumulators_.clear();
      thread_loops_ = 0;
      is_mapped_ = has_thread_loop(kernel.body);
      for (const ScalarParameter& scalar : kernel.scalars) define(scalar.var, scalar.dtype);
      statements(kernel.body);
      rows(kernel);
    }
    for (const KernelCall& call : program_.calls) {
      if (call.kernel >= program_.kernels.size()) {
        faults_.push_back(fmt::format("call of kernel {} of {}", call.kernel, program_.kernels.size()));
        continue;
      }
      const std::size_t rows = program_.kernels[call.kernel].rows.size();
      if (call.first_row + call.row_count > std::max<std::size_t>(rows, 1))
        fault("call of rows that do not exist");
    }
    return std::move(faults_);
  }

 private:
  void fault(const std::string& what) {
    faults_.push_back(fmt::format("kernel `{}`: {}", kernel_ ? kernel_->name : std::string(), what));
  }

  void rows(const Kernel& kernel) {
    for (const KernelRow& row : kernel.rows) {
      if (row.buffers.size() != kernel.parameters.size() || row.scalars.size() != kernel.scalars.size()) {
        fault("row of another width");
        continue;
      }
      for (std::size_t p = 0; p < row.buffers.size(); ++p) {
        const Buffer& own = program_.buffers[kernel.parameters[p]];
        const Buffer& other = program_.buffers[row.buffers[p]];
        const bool weights = own.kind == BufferKind::kConstant;
        if (own.dtype != other.dtype || weights != (other.kind == BufferKind::kConstant) ||
            other.kind == BufferKind::kInput || other.kind == BufferKind::kOutput ||
            own.device != other.device)
          fault("row with a buffer of another kind");
      }
    }
  }

  void define(VarId var, DType dtype) {
    if (var >= program_.next_var) fault(fmt::format("v{} is not below next_var", var));
    if (!defined_.insert(var).second) fault(fmt::format("v{} is defined twice", var));
    visible_.emplace(var, dtype);
    scope_.push_back(var);
  }

  // Whether a buffer exists, in the memory of the kernel's device or, as an argument of a launch, on the CPU.
  bool present(BufferId buffer, bool loaded = false) {
    if (buffer >= program_.buffers.size()) fault("buffer does not exist");
    if (buffer >= program_.buffers.size()) return false;
    if (program_.buffers[buffer].device != kernel_->device &&
        !(loaded && kernel_->device == Device::kGpu && is_single(program_.buffers[buffer])))
      fault(fmt::format("`{}` lies in the memory of the other device", program_.buffers[buffer].name));
    return true;
  }

  void index(BufferId buffer, const std::vector<ExprRef>& index, bool loaded = false) {
    if (!present(buffer, loaded)) return;
    const std::size_t rank = program_.flat ? 1 : program_.buffers[buffer].shape.size();
    if (index.size() != rank)
      fault(fmt::format("index of {} exprs into `{}`", index.size(), program_.buffers[buffer].name));
    for (const ExprRef& e : index) {
      if (e->dtype != DType::kI64) fault("index that is not i64");
    }
  }

  void expression(const ExprRef& e) {
    for (const ExprRef& arg : e->args) expression(arg);
    switch (e->kind) {
      case ExprKind::kVar: {
        const auto found = visible_.find(e->id);
        if (found == visible_.end()) return fault(fmt::format("v{} is read where it is not defined", e->id));
        if (found->second != e->dtype) fault(fmt::format("v{} is read as another dtype", e->id));
        return;
      }
      case ExprKind::kFinish: {
        const auto found = accumulators_.find(e->id);
        if (found == accumulators_.end()) return fault(fmt::format("v{} is no accumulator here", e->id));
        if (found->second != loops_) fault(fmt::format("v{} is finished inside a loop", e->id));
        return;
      }
      case ExprKind::kLoad:
        index(e->id, e->args, true);
        if (program_.buffers[e->id].dtype != e->dtype) fault("load as another dtype");
        return;
      case ExprKind::kOp: {
        if (static_cast<int>(e->args.size()) != scalar_op_info(e->op).arity) fault("operands of an op");
        return;
      }
      case ExprKind::kCustom:
        if (e->args.size() != e->custom->definition().parameters.size())
          fault("operands of a custom function");
        return;
      case ExprKind::kConst:
      case ExprKind::kDim:
        return;
    }
  }

  void statements(const std::vector<Stmt>& list) {
    const std::size_t outer = scope_.size();
    for (const Stmt& stmt : list) statement(stmt);
    for (; scope_.size() > outer; scope_.pop_back()) visible_.erase(scope_.back());
  }

  void statement(const Stmt& s) {
    if (s.value) expression(s.value);
    for (const ExprRef& e : s.index) {
      expression(e);
      if (e->dtype != DType::kI64) fault("index that is not i64");
    }
    const bool may_call = s.kind == StmtKind::kCall && ranges_ && !s.grain;
    const bool quiet = simd_ == 0 && (shared_ == 0 || may_call);
    switch (s.kind) {
      case StmtKind::kFor:
        return loop(s);
      case StmtKind::kIf:
        if (s.value->dtype != DType::kBool) fault("condition that is not bool");
        statements(s.body);
        return statements(s.else_body);
      case StmtKind::kStore:
        index(s.buffer, s.index);
        if (s.value->dtype != program_.buffers[s.buffer].dtype) fault("store of another dtype");
        if (program_.buffers[s.buffer].kind == BufferKind::kInput ||
            program_.buffers[s.buffer].kind == BufferKind::kConstant)
          fault("store to an input or a constant");
        if (s.op != ScalarOp::kNone && kernel_->device != Device::kGpu) fault("atomic store on the CPU");
        if (s.op != ScalarOp::kNone && s.op != ScalarOp::k_add) fault("atomic store that does not add");
        if (is_mapped_ && around_ != LoopMode::kGrid && around_ != LoopMode::kTiles &&
            around_ != LoopMode::kLane && around_ != LoopMode::kThread)
          fault("store that every thread runs");
        return;
      case StmtKind::kLet:
      case StmtKind::kVar:
        if (s.value->dtype != s.dtype) fault(fmt::format("v{} has another dtype than its value", s.var));
        return define(s.var, s.dtype);
      case StmtKind::kAssign:
        if (!visible_.contains(s.var)) fault(fmt::format("v{} is assigned where it is not defined", s.var));
        return;
      case StmtKind::kAccumulator:
        if (!defined_.insert(s.var).second) fault(fmt::format("v{} is defined twice", s.var));
        accumulators_[s.var] = loops_;
        return;
      case StmtKind::kAccumulate:
        if (!accumulators_.contains(s.var))
          fault(fmt::format("v{} is no accumulator here", s.var));
        else if (accumulators_[s.var] < shared_)
          fault(fmt::format("v{} lies outside a loop that threads share", s.var));
        return;
      case StmtKind::kCheck:
      case StmtKind::kAssert:
      case StmtKind::kPrint:
      case StmtKind::kCall:
        if (!quiet) fault("check, assert, print or call in a simd or shared loop");
        for (const BufferId buffer : s.buffers) present(buffer);
        if (s.kind == StmtKind::kPrint) present(s.buffer);
        return;
      case StmtKind::kBarrier:
        if (around_ != LoopMode::kTeam && around_ != LoopMode::kBlock)
          fault("barrier that not all threads of a team or block reach");
        return;
      case StmtKind::kTransfer:
        return transfer(s);
    }
  }

  void transfer(const Stmt& s) {
    if (!is_transfer(*kernel_) || kernel_->device != Device::kCpu)
      return fault("transfer beside other statements");
    const Buffer &to = program_.buffers[s.buffer], &from = program_.buffers[s.buffers[0]];
    if (to.device == from.device) fault("transfer within one device");
    if (to.dtype != from.dtype || to.shape != from.shape || to.row_starts != from.row_starts)
      fault("transfer between buffers of different types");
    if (to.kind == BufferKind::kInput || to.kind == BufferKind::kConstant)
      fault("transfer to an input or a constant");
  }

  static bool has_thread_loop(const std::vector<Stmt>& list) {
    return std::any_of(list.begin(), list.end(), [](const Stmt& s) {
      return (s.kind == StmtKind::kFor && is_of_threads(s.mode)) || has_thread_loop(s.body) ||
             has_thread_loop(s.else_body);
    });
  }

  // Note [threads] in kernel.h: where a loop may stand.
  void thread_loop(const Stmt& s) {
    if (kernel_->device != Device::kGpu) return fault("loop over threads on the CPU");
    const bool inner = s.mode == LoopMode::kLane || s.mode == LoopMode::kThread ||
                       (s.mode == LoopMode::kTeam && around_ == LoopMode::kBlock);
    if (!inner && (loops_ > launches_ || (launches_ == 0 && thread_loops_++ > 0)))
      fault("a second loop over the threads of a launch");
    if (s.mode == LoopMode::kLane && around_ != LoopMode::kTeam && around_ != LoopMode::kBlock)
      fault("lane loop outside a team or block");
    if (s.mode == LoopMode::kThread && around_ != LoopMode::kBlock) fault("thread loop outside a block");
  }

  // Note [tiles].
  void tiles(const Stmt& s) {
    if (s.buffers.size() != 2 || s.index.size() != gemm_tiles::kCount) return fault("tiles of no product");
    if (s.dtype != DType::kF32 && s.dtype != DType::kF64) fault("tiles of a dtype that has no products");
    for (const BufferId operand : s.buffers)
      if (present(operand) && program_.buffers[operand].dtype != s.dtype) fault("tiles of another dtype");
    for (VarId axis = 0; axis < 3; ++axis) define(s.count + axis, DType::kI64);
    const auto writes_operand = [&](const auto& self, const std::vector<Stmt>& list) -> bool {
      return std::any_of(list.begin(), list.end(), [&](const Stmt& inner) {
        return (inner.kind == StmtKind::kStore &&
                (inner.buffer == s.buffers[0] || inner.buffer == s.buffers[1])) ||
               self(self, inner.body) || self(self, inner.else_body);
      });
    };
    if (writes_operand(writes_operand, s.body)) fault("tiles that write what they multiply");
  }

  void loop(const Stmt& s) {
    if (s.value->dtype != DType::kI64) fault("extent that is not i64");
    if (s.grain) {
      expression(s.grain);
      if (s.grain->dtype != DType::kI64) fault("grain that is not i64");
      if (s.mode != LoopMode::kSimd && s.mode != LoopMode::kParallel && s.mode != LoopMode::kRanges)
        fault("grain of a serial loop");
      if (simd_ > 0 || shared_ > 0) fault("shared loop within a simd or shared loop");
    }
    if (is_of_threads(s.mode)) thread_loop(s);
    if (s.mode == LoopMode::kLaunches) {
      if (kernel_->device != Device::kGpu || loops_ > 0) fault("launches within a loop, or on the CPU");
      ++launches_;
    }
    if (s.mode == LoopMode::kTiles) tiles(s);
    define(s.var, s.mode == LoopMode::kTiles ? s.dtype : DType::kI64);
    if (s.mode == LoopMode::kRanges) {
      if (loops_ > 0 || !s.grain) fault("ranges within a loop, or without a grain");
      define(s.count, DType::kI64);
      ranges_ = true;
    }
    const LoopMode outside = around_;
    if (is_of_threads(s.mode)) around_ = s.mode;
    ++loops_;
    if (s.grain) shared_ = loops_;
    if (s.mode == LoopMode::kSimd) ++simd_;
    if (simd_ > 1) fault("simd loop within a simd loop");
    statements(s.body);
    if (s.mode == LoopMode::kSimd) --simd_;
    if (s.grain) shared_ = 0;
    if (s.mode == LoopMode::kRanges) ranges_ = false;
    --loops_;
    if (s.mode == LoopMode::kLaunches) --launches_;
    around_ = outside;
  }

  const Program& program_;
  const Kernel* kernel_ = nullptr;
  std::vector<std::string> faults_;
  std::unordered_set<VarId> defined_;
  std::unordered_map<VarId, DType> visible_;
  std::unordered_map<VarId, int> accumulators_;  // and how many loops are around them
  int loops_ = 0;
  std::vector<VarId> scope_;             // variables in order of definition, innermost last
  LoopMode around_ = LoopMode::kSerial;  // the innermost loop over threads around a statement
  bool is_mapped_ = false;               // the kernel has loops over threads
  int thread_loops_ = 0;                 // over all threads of a launch, in this kernel
  int launches_ = 0;                     // loops around launches around a statement
  int simd_ = 0;
  bool ranges_ = false;  // within a loop over ranges
  int shared_ = 0;       // within a loop with grain: how many loops are around its body; else 0
};

}  // namespace

std::vector<std::string> verify(const Program& program) { return KernelVerifier(program).run(); }

}  // namespace cohort::kernel
