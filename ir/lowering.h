// What operators' files use to say how they become loops. The compiler's lowering drives them: it decides
// which values get a buffer and which are inlined into their readers; an operator's file does not know which.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <span>

#include "ir/graph.h"
#include "ir/kernel.h"

namespace cohort {

// Where a body's input or output lies: a whole buffer, or the element at `step` along its first axis.
struct RegionPlace {
  kernel::BufferId buffer = 0;
  kernel::ExprRef step{};  // null: the whole buffer
};
// Where all inputs and outputs of a body lie while it runs once. A carried value is an input and an output at
// once: the body reads the old one, and all new ones are written together when it is done.
struct RegionPlaces {
  struct Bound {
    std::size_t index = 0;  // of the body's inputs or outputs
    RegionPlace place{};
  };
  struct Carried {
    std::size_t input = 0, output = 0;
    kernel::BufferId buffer = 0;
  };
  std::vector<Bound> inputs{}, outputs{};
  std::vector<Carried> carried{};
};

// Where statements go while a kernel is built, and how an element of a value is obtained. The compiler's
// lowering fills in the functions; the rest is shared.
struct LoweringScope {
  // The element of `value` at `index` (one i64 expr per axis): a load, a literal, or the producer's own
  // element.
  std::function<kernel::ExprRef(ValueId value, std::vector<kernel::ExprRef> index)> element;
  std::function<void(ValueId value, std::vector<kernel::ExprRef> index, kernel::ExprRef element)> store;
  // The buffer that holds all of `value` (made on demand), for calls into the runtime and for reading results
  // back.
  std::function<kernel::BufferId(ValueId value)> buffer;
  // A buffer that holds the elements of `value` in order, whatever its shape.
  std::function<kernel::BufferId(ValueId value)> elements;
  // Whether an index is known to lie in 0..size-1 (it is read from a constant); absent: nothing is known.
  std::function<bool(const kernel::ExprRef& index, const Dim& size)> in_range;
  // A buffer for the time of the function.
  std::function<kernel::BufferId(const Type& type, std::string name)> temporary;
  // Appends the statements of a body.
  std::function<void(const Function& body, const RegionPlaces& places)> region;
  kernel::VarId next_var = 0;
  std::vector<kernel::Stmt>* statements = nullptr;  // where append puts them
  // Statement lists that are being written, outermost first, each with a number of its own: a `let` may be
  // read again while its list is among them.
  std::vector<std::uint32_t> regions{0};
  std::uint32_t next_region = 1;
  std::set<kernel::VarId> mutable_vars;  // declared by declare(): reading one twice may give two values

  kernel::VarId new_var() { return next_var++; }
  void append(kernel::Stmt stmt) { statements->push_back(std::move(stmt)); }
  // Statements appended while `body` runs go into a fresh list, which is returned.
  std::vector<kernel::Stmt> collect(const std::function<void()>& body);
};

// Common ground of both contexts: the node, its types, and short ways to write statements.
class NodeLowering {
 public:
  NodeLowering(const Function& function, const Node& node, LoweringScope& scope)
      : function_(function), node_(node), scope_(scope) {}

  const Node& node() const { return node_; }
  const Function& function() const { return function_; }
  const Attrs& attrs() const { return node_.attrs; }
  int input_count() const { return static_cast<int>(node_.inputs.size()); }
  const Type& input_type(int i) const { return function_.type(node_.inputs[static_cast<std::size_t>(i)]); }
  const Type& result_type(int i = 0) const {
    return function_.type(node_.first_result + static_cast<ValueId>(i));
  }

  // Element of input i. The index has one expr per axis of that input.
  kernel::ExprRef load(int i, std::vector<kernel::ExprRef> index);
  // The same where the input's shape broadcasts to the result's: axes of extent 1 are read at 0, leading ones
  // dropped.
  kernel::ExprRef load_broadcast(int i, std::span<const kernel::ExprRef> index);
  // Names a value so that it is computed once. Constants and variables are returned as they are.
  kernel::ExprRef let(kernel::ExprRef value);
  // An i64 index into `size` elements: counts negative ones from the end, and adds the run-time check, unless
  // the index is known to need neither.
  kernel::ExprRef checked_index(kernel::ExprRef index, const Dim& size);
  // The run-time check alone: an i64 index that must be at least 0 and less than `size`.
  void check_index(const kernel::ExprRef& index, const Dim& size);

  void for_each(const Dim& extent, const std::function<void(kernel::ExprRef)>& body);
  void for_each(const Shape& shape, const std::function<void(std::vector<kernel::ExprRef>)>& body);
  void if_then(kernel::ExprRef condition, const std::function<void()>& body,
               const std::function<void()>& otherwise = {});
  // A mutable local: read it through the returned variable, write it with assign.
  kernel::ExprRef declare(kernel::ExprRef initial);
  void assign(const kernel::ExprRef& variable, kernel::ExprRef value);
  // Accumulators: see kernel.h. `lane` is the variable of the loop over the last reduced axis, or null.
  kernel::ExprRef accumulator(ScalarOp op, DType dtype, bool lanes);
  void accumulate(const kernel::ExprRef& accumulator, kernel::ExprRef value, kernel::ExprRef lane = nullptr);
  kernel::ExprRef finish(const kernel::ExprRef& accumulator);
  // Any other statement (assert, print).
  void append(kernel::Stmt stmt) { scope_.append(std::move(stmt)); }

 protected:
  const Function& function_;
  const Node& node_;
  LoweringScope& scope_;

 private:
  std::map<kernel::VarId, ScalarOp> accumulator_ops_;
};

// One element of one result, at `index` (one expr per axis of that result).
class ElementContext : public NodeLowering {
 public:
  ElementContext(const Function& function, const Node& node, LoweringScope& scope, int which,
                 std::vector<kernel::ExprRef> at)
      : NodeLowering(function, node, scope), result(which), index(std::move(at)) {}
  const int result;
  const std::vector<kernel::ExprRef> index;
};

// All elements of all results.
class LoopContext : public NodeLowering {
 public:
  using NodeLowering::NodeLowering;
  void store(int result, std::vector<kernel::ExprRef> index, kernel::ExprRef element);
  // Reads back what was stored (for operators that update in place, such as scatter_add).
  kernel::ExprRef load_result(int result, std::vector<kernel::ExprRef> index);
  kernel::BufferId input_buffer(int i);
  // For calls that are told strides: the elements in order, in a buffer of any shape.
  kernel::BufferId input_elements(int i);
  kernel::BufferId result_buffer(int i);
  // A call of runtime function `name`: writes the result buffers, reads the input buffers, `scalars` are i64
  // exprs.
  void call(std::string name, std::vector<kernel::BufferId> outputs, std::vector<kernel::BufferId> inputs,
            std::vector<kernel::ExprRef> scalars);
  kernel::BufferId temporary(const Type& type, std::string name) {
    return scope_.temporary(type, std::move(name));
  }
  // Runs one of the node's regions.
  void region(std::size_t which, const RegionPlaces& places) { scope_.region(*node_.regions[which], places); }
};

}  // namespace cohort
