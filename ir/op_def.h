// What the compiler knows of an operator: one OpDef each. Scalar operators come from the rows of ops.def,
// structured operators from one file each in ops/, listed in ops/list.def. Nothing else switches over
// operator names.
#pragma once

#include <functional>
#include <span>

#include "ir/graph.h"
#include "ir/kernel.h"
#include "ir/scalar_op.h"

namespace cohort {

// A kCustom is written in no file: readers put in what the others of a `custom` node name.
enum class AttrKind : std::uint8_t { kBool, kInt, kFloat, kString, kInts, kShape, kDType, kStrings, kCustom };
struct AttrSpec {
  std::string_view name;
  AttrKind kind;
  bool required = false;
  // Printed only if different from this; the meaning of "absent" if there is none.
  std::optional<Attr> fallback{};
};

// What `infer` sees: types of the inputs, attributes, the module's dims for messages.
struct InferContext {
  const OpDef& op;
  std::span<const Type> inputs;
  const Attrs& attrs;
  const Dims& dims;
  std::span<const std::shared_ptr<const Function>> regions = {};
};

// Called after each node of a call, those of bodies too; may change what the node gave.
using NodeObserver = std::function<void(const Node& node, std::vector<Tensor>& results)>;

// What `evaluate` sees: concrete inputs. Writes one tensor per result, of the dtypes and extents that infer
// gave.
struct EvalContext {
  const OpDef& op;
  std::span<const Tensor> inputs;
  const Attrs& attrs;
  const DimValues& dims;
  std::span<const Type> result_types;
  std::vector<Tensor>& results;    // preallocated, zero-filled
  std::string* printed = nullptr;  // `print` appends here
  // For operators with regions: what those read of the module, and the regions themselves.
  const Module* module = nullptr;
  std::span<const std::shared_ptr<const Function>> regions = {};
  const NodeObserver* after = nullptr;  // of nodes of regions

  Extents result_extents(int i) const { return cohort::evaluate(result_types[i].shape, dims); }
};

class FunctionBuilder;  // ir/builder.h
class ModuleBuilder;    // ir/builder.h
class GradientContext;  // ir/gradient.h
class ElementContext;   // ir/lowering.h
class LoopContext;      // ir/lowering.h

// How a structured operator takes part in fusion.
enum class OpClass : std::uint8_t {
  kElementwise,  // scalar rows: result[i] = f(inputs[i], ...) with broadcasting
  kIndexMap,     // result[i] = an element of an input (or a constant) chosen by i: costs nothing, is inlined
  kGather,       // like kIndexMap, but computes or checks an index: inlined where read once
  kReduction,    // loops over the inputs inside its own result's loops
  kOpaque        // writes its results with statements of its own
};

// Which casts the builder inserts before a structured operator (scalar rows say it by their Operands).
enum class Casting : std::uint8_t {
  kNone,
  kPromote,      // all inputs to their promoted dtype (concat, matmul)
  kFollowFirst,  // input 1 to the dtype of input 0 (set_slice, scatter_add, pad values)
  kFloat         // integers and bool to f64, then as kPromote (softmax, logsumexp)
};

// results[r] is which result of the new node stands for result r of the old one.
struct TapedNode {
  Node node;
  std::vector<std::uint32_t> results;
};

struct OpDef {
  std::string_view name;
  OpClass op_class = OpClass::kElementwise;
  int min_inputs = 1;
  int max_inputs = 1;                 // kAnyNumber: no limit
  std::vector<AttrSpec> attrs{};      // sorted by name
  std::string_view meaning{};         // one line for `cohort ops`
  ScalarOp scalar = ScalarOp::kNone;  // for scalar rows
  // Types of the results, or fail(...) with the message the user sees.
  std::vector<Type> (*infer)(const InferContext&) = nullptr;
  void (*evaluate)(EvalContext&) = nullptr;
  // One of the next two: the value of one element at the context's index, or the statements that write all
  // results.
  kernel::ExprRef (*element)(ElementContext&) = nullptr;
  void (*loops)(LoopContext&) = nullptr;
  Casting casting = Casting::kNone;
  // How cotangents of the results become cotangents of the inputs (gradient.h). Null: of float inputs,
  // differentiating is an error; `no_gradient` says that the results do not move with the inputs.
  void (*gradient)(GradientContext&) = nullptr;
  // Loops: the node with more results, which its gradient will read. Differentiating begins by exchanging
  // nodes.
  TapedNode (*with_tape)(ModuleBuilder& module, const Node& node) = nullptr;
  // What the functions in Node::regions are to it: {"body"} of a loop, {"function"} that is applied. Keys in
  // the graph file, too.
  std::vector<std::string_view> regions{};
  // Structured operators whose compiled code may differ from the true value (softmax): how far, as the rows'
  // ulp.
  double ulp = 0;
  // Arithmetic operations for `results` result elements where the operator's class does not tell (products).
  std::int64_t (*flops)(const InferContext& context, std::int64_t results) = nullptr;
  // An operator that the builder writes as others at once (einsum) has this and nothing above but its
  // attributes.
  ValueId (*expand)(FunctionBuilder& builder, std::span<const ValueId> inputs, const Attrs& attrs,
                    std::string name, LocId loc) = nullptr;
  // Attributes may stand in the node itself, a list of one string as that string.
  bool attrs_in_node = false;
  // The dtypes that literals take as inputs where that depends on neither the other inputs nor the literals.
  std::vector<DType> (*literal_dtypes)(const Attrs& attrs) = nullptr;
};
inline constexpr int kAnyNumber = 1 << 30;

// Every operator, by name order of the tables. find_op gives nullptr for an unknown name.
std::span<const OpDef* const> all_ops();
const OpDef* find_op(std::string_view name);
const OpDef* scalar_op_def(ScalarOp op);
inline bool is_scalar(const Node& node) { return node.op->scalar != ScalarOp::kNone; }
// Of an elementwise operator; of a function of the user's the worst is assumed.
inline std::uint32_t element_traits(const OpDef& op) {
  return op.scalar == ScalarOp::kNone ? kTranscendental | kSlow : scalar_op_info(op.scalar).traits;
}

// The gradient of what is piecewise constant: nothing.
void no_gradient(GradientContext& context);

// Shared by the operators' files.
int normalized_axis(const InferContext& context, std::int64_t axis, int rank);  // refuses out of range
std::vector<int> normalized_axes(const Attrs& attrs, std::string_view name,
                                 int rank);  // sorted; absent: all axes

}  // namespace cohort
