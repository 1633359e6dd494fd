// The loop IR: what graphs are lowered to and what emitters print. Contract and grammar:
//
//   program  = buffers, kernels, calls in order of execution    one per function of the module
//   kernel   = name, device, body, parameters, rows             becomes one C function
//   call     = kernel over a range of its rows                  no calls at all: each kernel once, in order
//
//   stmt     = for v < extent (serial | simd | unroll | parallel) [grain n] body
//                                                               v counts from 0 by 1; see Note [grain]
//            | for ranges [v, v + n) of extent, grain n body      see Note [ranges]
//            | for v < extent (launches | grid | team | lane | block | thread) body
//                                                               on the GPU only: see Note [threads]
//            | tiles v at v, v, v of product body                 on the GPU only: see Note [tiles]
//            | if cond then body else body
//            | store buffer[index] = value
//            | store buffer[index] op= value                    on the GPU only: see Note [atomics]
//            | let v = value                                    never assigned again
//            | var v = value | assign v = value                 a mutable local
//            | accumulator v: op dtype (lanes | serial)         starts at the identity of op
//            | accumulate v, value [, lane]                     v = v op value; order: ir/README.md
//            | check cond else index error [order n]            names operator, index and size
//            | assert cond else message [order n]               see Note [device checks]
//            | print message, buffer
//            | call function(arguments)                         a function of the runtime on whole buffers
//            | barrier                                          of the threads of a block, or of a team
//            | transfer buffer = buffer                         a whole buffer to the other device
//
//   expr     = constant | v | dim | load buffer[index] | op(expr, ...) | finish(v)
//            | custom(expr, ...)                              a function of the user's: custom_function.h
//
// - Every expr has a dtype; operands obey the operator's row in ops.def; index arithmetic is i64.
// - f16 and bf16 exprs are held in f32 and rounded to their precision after every operator.
// - An index has one expr per axis of the buffer until the pass `flatten_indices`, one flat element index
//   after it. Buffers are contiguous, row-major, with the actual (not the maximal) extents. See
//   Note [flat indices].
// - An accumulator is read with finish(v), after the loops that accumulate into it, never inside them.
// - A loop is `simd` only if its iterations are independent but for accumulators whose lane is its variable.
// - No two statements of one kernel may race: kernels run one after the other and see each other's stores.
//
// Note [devices]: a kernel runs on the CPU or on the GPU and touches buffers of its own device only; but a
// kernel of the GPU may load a buffer of one element that lies on the CPU: the value is an argument of its
// launch. A value that both need has two buffers and a transfer between them, which is a kernel of its own:
// the body is that one statement and `device` the CPU, which starts it. Inputs and outputs are the caller's
// and so on the CPU; a constant may have a buffer on each device, state lives on one.
//
// Note [threads]: a kernel of the GPU is one launch, or a loop of mode `launches`, which the CPU runs: each
// loop over threads or call in its body is a launch, with the lets before it, one after the other. Before
// the pass `map_threads` a `parallel` loop is one whose iterations are known to be independent. Iterations of
// these loops are independent but for what a lane accumulates:
//   grid    over all threads of the launch; nothing else of this list within it
//   team    over teams of sixteen threads, all of the launch; within it
//     lane  iteration i is run by the team's thread i mod 16, which is an accumulator's lane, too
//   tiles   over the elements of a product, see Note [tiles]; nothing else of this list within it
//   block   over the blocks of the launch; within it
//     thread  over the threads of the block
//     lane    as in a team; every team of the block runs all of it
//     team    over the teams of the block, as above
// Whatever stands in a team or block outside lane and thread loops every thread of it runs alike, so it
// stores nothing: a single store is a `lane` or `thread` loop of extent 1; what a lane loop of a block stores
// the first team stores. A `barrier` separates stores of some threads from loads by others: of the team in a
// team loop, of the block in a block loop. Before the pass `map_threads` a kernel of the GPU has none of
// these loops but `tiles` and is written as for one thread.
//
// Note [tiles]: a loop of mode `tiles` goes over the elements of a product of two buffers (gemm_tiles in
// ir/ops/product_call.h): in its body `var` is the element, of `dtype`, and `count` and the two variables
// after it are its batch, row and column; `value` is how many there are. It is independent as the loops
// above: a block of the launch computes a tile of elements, and each thread runs the body for those that it
// has added up, so that none of them is written and read again for what is done to it alone. Before the pass
// `fuse_tiles` there is none.
//
// Note [atomics]: a store with an `op` k_add puts the sum of what is there and the value there, and no other
// thread comes between. Iterations that meet in such stores of one op alone are independent; in which order a
// float is added to is then nobody's promise, so there are none but under `--fp=fast`.
//
// Note [device checks]: on the GPU nothing leaves a call in the middle. A check or assert that fails there
// leaves a record, the rest of its iteration is not run, and launches after it in the call do nothing; who
// waits for the call reads the record. `order` is its place among all checks of the kernel as one thread
// would meet them (less than 2^40); the record is that of the least. It is the last expr of `index`.
//
// Note [grain]: a loop with a grain may be shared by threads, each with a range of iterations that nobody
// else has; fewer than `grain` of them are not worth a thread. Its iterations are independent, without
// checks, prints and calls, and accumulate into nothing from outside. It is `simd` (each range runs in lanes)
// or `parallel` (one iteration after the other), and never within another such loop. A call with a grain
// divides itself by that much work, see `parallelise`.
//
// Note [ranges]: a loop of mode `ranges` runs its body once for each of some ranges [var, var + count) that
// make up [0, extent). Any ranges give the same result, in any order, so threads may each have one; fewer
// than `grain` iterations are not worth one. It is not within another loop, and nothing in it has a grain.
//
// Note [rows]: kernels that are equal but for buffers and scalar constants share one body (the pass
// `outline`). The body names the buffers of row 0; run for row r, every buffer `parameters[p]` in it stands
// for `rows[r].buffers[p]` and every variable `scalars[s].var` has the value `rows[r].scalars[s]`. Other
// buffers are the same in all rows. The buffers of one parameter lie in one space: all are state or
// temporaries (offsets into the workspace) or all are constants (offsets into the weights); inputs and
// outputs are never parameters. Before `outline` a kernel has no parameters and no rows, and runs once.
//
// Note [merged storage]: what compiler/merge/ makes of k alike arrays. Of equal shapes: one buffer of shape
// [k, shape]. Of different sizes: each is taken as flat, the shape is [k, greatest size], and array m has
// only elements [0, row_starts[m+1] - row_starts[m]). The flat index of [m, i] is row_starts[m] + i. The
// variables of merged state lie side by side in the workspace, without padding, in the order of `members`.
//
// Note [flat indices]: extents may depend on named dims, so strides are exprs over dims; the emitter computes
// them once at a function's entry.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ir/device_hint.h"
#include "ir/scalar_op.h"
#include "ir/type.h"

namespace cohort {
struct CustomFunction;
}

namespace cohort::kernel {

using VarId = std::uint32_t;     // unique within a program
using BufferId = std::uint32_t;  // index into Program::buffers

enum class ExprKind : std::uint8_t { kConst, kVar, kDim, kLoad, kOp, kFinish, kCustom };
struct Expr;
using ExprRef = std::shared_ptr<const Expr>;
struct Expr {
  ExprKind kind = ExprKind::kConst;
  DType dtype = DType::kI64;
  ScalarOp op = ScalarOp::kNone;           // kOp
  std::uint32_t id = 0;                    // VarId, BufferId
  std::uint64_t bits = 0;                  // kConst: the scalar's bits
  Dim dim;                                 // kDim: an extent in terms of a named dim
  std::vector<ExprRef> args;               // kOp, kCustom: operands; kLoad: index
  const CustomFunction* custom = nullptr;  // kCustom; an attribute of the module's keeps it
};

ExprRef constant(Scalar value);
ExprRef constant_index(std::int64_t value);
ExprRef variable(VarId id, DType dtype);
ExprRef extent(const Dim& dim);  // a constant folds
ExprRef load(BufferId buffer, DType dtype, std::vector<ExprRef> index);
ExprRef finish(VarId accumulator, DType dtype);
// What an accumulator of the operator starts at.
Scalar identity(ScalarOp op, DType dtype);
// Folds when every operand is constant, and x+0, x*1, x*0 on i64 (index arithmetic only).
ExprRef op(ScalarOp op, std::vector<ExprRef> args, DType result);
ExprRef custom(const CustomFunction& function, std::vector<ExprRef> args, DType result);
// The same load, op or custom of other args.
ExprRef with_args(const Expr& expr, std::vector<ExprRef> args);
inline ExprRef operator+(const ExprRef& a, const ExprRef& b) { return op(ScalarOp::k_add, {a, b}, a->dtype); }
inline ExprRef operator-(const ExprRef& a, const ExprRef& b) { return op(ScalarOp::k_sub, {a, b}, a->dtype); }
inline ExprRef operator*(const ExprRef& a, const ExprRef& b) { return op(ScalarOp::k_mul, {a, b}, a->dtype); }
inline bool is_computed(const Expr& e) { return e.kind == ExprKind::kOp || e.kind == ExprKind::kCustom; }
bool is_constant_index(const Expr& e, std::int64_t value);
bool equal(const ExprRef& a, const ExprRef& b);  // structural
std::uint64_t hash(const ExprRef& e);            // agrees with equal; stable across runs

enum class StmtKind : std::uint8_t {
  kFor,
  kIf,
  kStore,
  kLet,
  kVar,
  kAssign,
  kAccumulator,
  kAccumulate,
  kCheck,
  kAssert,
  kPrint,
  kCall,
  kBarrier,
  kTransfer
};
enum class LoopMode : std::uint8_t {
  kSerial,
  kSimd,
  kUnroll,
  kParallel,
  kRanges,    // Note [ranges]
  kLaunches,  // of the CPU, around launches: Note [threads]
  kGrid,      // from here on loops over threads
  kTeam,
  kLane,
  kBlock,
  kThread,
  kTiles  // Note [tiles]
};
constexpr bool is_of_threads(LoopMode mode) { return mode >= LoopMode::kGrid; }
enum class Device : std::uint8_t { kCpu, kGpu };  // Note [devices]

struct Stmt {
  StmtKind kind = StmtKind::kStore;
  LoopMode mode = LoopMode::kSerial;  // kFor
  bool lanes = false;                 // kAccumulator: sixteen partial accumulators
  ScalarOp op = ScalarOp::kNone;      // kAccumulator, kAccumulate: k_add k_mul k_min k_max k_and k_or;
                                      // kStore: of an atomic one
  DType dtype = DType::kI64;          // of the variable
  VarId count = 0;                    // kFor of ranges: how many iterations the range has; of tiles: the
                                      // first of three variables in a row: batch, row, column
  VarId var = 0;                      // kFor kLet kVar kAssign kAccumulator kAccumulate
  BufferId buffer = 0;                // kStore kPrint, kTransfer: what is written
  ExprRef value;                      // kFor: extent; kIf kCheck kAssert: condition; else the value
  ExprRef grain;                      // kFor, kCall: see Note [grain]; or null
  std::vector<ExprRef> index;     // kStore: index; kAccumulate: lane or nothing; kCheck: index, size, order;
                                  // kAssert: order; kCall, kFor of tiles: scalars
  std::vector<BufferId> buffers;  // kCall: buffer arguments, outputs first; kTransfer: what is read;
                                  // kFor of tiles: the operands
  std::string text;               // kCall: function; kCheck: operator; kAssert kPrint: message
  std::uint32_t outputs = 0;      // kCall: how many of `buffers` are written
  std::vector<Stmt> body;         // kFor, kIf
  std::vector<Stmt> else_body;    // kIf
  std::vector<std::uint32_t> sources;  // NodeIds of the graph this computes; only where it begins
};

enum class BufferKind : std::uint8_t { kInput, kOutput, kState, kConstant, kTemporary };
struct Buffer {
  std::string name;  // of the value it holds, for readers
  BufferKind kind = BufferKind::kTemporary;
  DType dtype = DType::kF64;
  Shape shape;
  std::uint32_t index = 0;  // which input, output, StateId, ConstantId
  // Note [merged storage]: arrays that stand side by side; axis 0 of the shape counts them.
  std::vector<std::uint32_t> members = {};    // of state: the StateIds, `index` is the first
  std::vector<std::int64_t> row_starts = {};  // of arrays of different sizes: where each begins, and the end
  BufferId row_table = 0;                     // the i64 constant that holds row_starts
  bool table = false;                     // a constant that merging made: indices read from it are in range
  Device device = Device::kCpu;           // in whose memory it lies
  DeviceHint wanted = DeviceHint::kNone;  // of state: where the user wants it
};
// Elements a buffer may need, for the greatest extents.
std::int64_t max_element_count(const Buffer& buffer, const Dims& dims);
// Whether it always has exactly one element.
bool is_single(const Buffer& buffer);

// What a shared body is run on: see Note [rows].
struct KernelRow {
  std::vector<BufferId> buffers;       // by parameter
  std::vector<std::uint64_t> scalars;  // bits, by scalar
  std::vector<std::uint32_t> sources;  // NodeIds of the graph that this row computes
};
struct ScalarParameter {
  VarId var = 0;
  DType dtype = DType::kF64;
};
struct Kernel {
  std::string name;
  std::vector<Stmt> body;
  std::vector<BufferId> parameters;
  std::vector<ScalarParameter> scalars;
  std::vector<KernelRow> rows;  // empty: the kernel runs once on the buffers it names
  Device device = Device::kCpu;
  DeviceHint wanted = DeviceHint::kNone;  // where the user wants all that it computes
};

// Runs rows [first_row, first_row + row_count) of a kernel, in order; a kernel without rows runs once.
struct KernelCall {
  std::uint32_t kernel = 0;
  std::uint32_t first_row = 0;
  std::uint32_t row_count = 1;
};

struct Program {
  std::string name;  // of the function
  std::vector<Buffer> buffers;
  std::vector<Kernel> kernels;
  std::vector<KernelCall> calls;  // empty before `outline`: each kernel once, in order
  bool flat = false;              // after `flatten_indices`: every index is one flat element index
  VarId next_var = 0;
};

// A kernel that is one transfer: Note [devices].
Kernel transfer(const Program& program, BufferId to, BufferId from);
bool is_transfer(const Kernel& kernel);

// Text for dumps, goldens and the notes of `explain`.
std::string to_string(const Program& program, const Dims& dims);
std::string to_string(const ExprRef& expr, const Program& program, const Dims& dims);

}  // namespace cohort::kernel
