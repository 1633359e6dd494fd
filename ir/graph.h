// The graph: a Module of constants, state variables and functions; a Function is a list of nodes in order.
//
// Invariants (verify.h checks them by these numbers):
//
// - I1 a node's inputs are defined before it; node i's results are the values from first_result on,
//   result_count of them
// - I2 every value's kind and index point back at what defines it
// - I3 result types are what the operator infers from the inputs' types and the attributes
// - I4 attributes are sorted by name, known to the operator and complete
// - I5 input, output and function names are unique within their table; so are names of states, constants
//   and dims
// - I6 an update has the type of its state variable; each variable is updated at most once
// - I7 elementwise operands have the dtypes the operator's row asks for; there are no implicit conversions
// - I8 state variables and constants have constant shapes, and their tensors those extents
//
// Graphs are values: passes read one and write another (rewriter.h); nothing is edited in place and there are
// no use-lists (uses.h counts uses where a pass needs them).
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "ir/device_hint.h"
#include "ir/tensor.h"
#include "ir/type.h"

namespace cohort {

struct CustomFunction;
struct OpDef;
struct Function;

using ValueId = std::uint32_t;     // index into Function::values
using NodeId = std::uint32_t;      // index into Function::nodes
using StateId = std::uint32_t;     // index into Module::states
using ConstantId = std::uint32_t;  // index into Module::constants
using LocId = std::uint32_t;       // index into Module::locations; 0 is "nowhere"
inline constexpr std::uint32_t kNoId = UINT32_MAX;

// An attribute's value. IntList entries may be null (Python's default in a slice).
using IntList = std::vector<std::optional<std::int64_t>>;
using Strings = std::vector<std::string>;
using CustomRef = std::shared_ptr<const CustomFunction>;  // custom_function.h: what readers of graphs put in
using Attr = std::variant<bool, std::int64_t, double, std::string, IntList, Shape, DType, Strings, CustomRef>;
struct NamedAttr {
  std::string name;
  Attr value;
  bool operator==(const NamedAttr&) const = default;
};
using Attrs = std::vector<NamedAttr>;  // sorted by name

const Attr* find_attr(const Attrs& attrs, std::string_view name);
// Typed access; the operator's AttrSpec guarantees the alternative. The second form gives the fallback if
// absent.
template <typename T>
const T& attr(const Attrs& attrs, std::string_view name) {
  return std::get<T>(*find_attr(attrs, name));
}
template <typename T>
T attr_or(const Attrs& attrs, std::string_view name, T fallback) {
  const Attr* found = find_attr(attrs, name);
  return found ? std::get<T>(*found) : fallback;
}
void set_attr(Attrs& attrs, std::string name, Attr value);

using Regions = std::vector<std::shared_ptr<const Function>>;

enum class ValueKind : std::uint8_t { kInput, kState, kConstant, kNode };

struct Value {
  Type type;
  std::string name;  // empty: the compiler made it
  ValueKind kind = ValueKind::kNode;
  std::uint32_t index = 0;   // which input, StateId, ConstantId or NodeId
  std::uint32_t result = 0;  // which result of the node
};

struct Node {
  const OpDef* op = nullptr;
  std::vector<ValueId> inputs;
  Attrs attrs;
  ValueId first_result = 0;
  std::uint32_t result_count = 1;
  LocId loc = 0;
  Regions regions;  // bodies of loops and branches, or functions that are applied
};

struct Output {
  std::string name;
  ValueId value = 0;
};
struct Update {
  StateId state = 0;
  ValueId value = 0;
};

struct Function {
  std::string name;
  std::vector<Value> values;
  std::vector<Node> nodes;
  std::vector<ValueId> inputs;  // in the order of the file
  std::vector<Output> outputs;  // in the order of the file
  std::vector<Update> updates;  // by StateId

  const Value& value(ValueId id) const { return values[id]; }
  const Node& node(NodeId id) const { return nodes[id]; }
  const Type& type(ValueId id) const { return values[id].type; }
};

// A constant without a name is a literal or was made by the compiler.
struct Constant {
  std::string name;
  Type type;
  Tensor data;
};
struct State {
  std::string name;
  Type type;
  Tensor init;
  LocId loc = 0;
  bool is_settable = true;  // false: only calls, `reset` and what was saved change it
  DeviceHint device = DeviceHint::kNone;
};
// What a node keeps while it is rewritten: where the user's own source says it comes from, as given in `loc`,
// where it stands in the graph file, and on which device it is wanted.
struct SourceLoc {
  std::string user;  // "model.py:12:3", may be empty
  int line = 0;      // in the graph file
  int column = 0;
  DeviceHint device = DeviceHint::kNone;
};

struct Module {
  std::string name;
  std::string file;  // the graph file's name as given; only for messages
  Dims dims;
  std::vector<Constant> constants;
  std::vector<State> states;
  std::vector<std::shared_ptr<const Function>> functions;
  std::vector<SourceLoc> locations{SourceLoc{}};
};

// A name to show for a value: its own, or "%12".
std::string display_name(const Function& function, ValueId value);

}  // namespace cohort
