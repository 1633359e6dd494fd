#include <algorithm>
#include <array>

#include "ir/json_reading.h"
#include "ir/literal.h"
#include "ir/type_errors.h"

namespace cohort {
namespace {

// Reads one function: first the names of all nodes, then the nodes in topological order.
class FunctionReader {
 public:
  FunctionReader(JsonReading& reading, std::string name)
      : reading_(reading), name_(std::move(name)), builder_(reading.builder, name_) {}

  Function read(JsonValue object);

 private:
  // What a name in this function means.
  struct Local {
    ValueKind kind;       // kInput or kNode
    std::uint32_t index;  // the input's ValueId, or which node
    std::uint32_t result;
  };
  enum class Visit : std::uint8_t { kNew, kOpen, kDone, kWrong };
  struct NodeEntry {
    JsonValue object;
    ValueId first_result = kNoId;  // kNoId: not made, or wrong; what reads it is skipped
    Visit visit = Visit::kNew;
  };
  struct Frame {
    std::uint32_t node;
    JsonValue operand;
    std::uint32_t left;
  };

  void inputs(JsonValue object);
  void declare(JsonValue key, Local local);
  void declare_node(JsonValue object);
  void visit(std::uint32_t root);
  void report_cycle(const std::vector<Frame>& open, std::uint32_t node);
  std::string label(std::uint32_t node) const;
  std::uint32_t names_given(JsonValue object) const;

  void make_node(NodeEntry& node);
  std::optional<std::vector<ValueId>> operands(const OpDef& op, const Attrs& attrs, JsonValue list);
  ValueId make(const OpDef& op, JsonValue object, std::span<const ValueId> inputs, Attrs attrs,
               Regions regions);
  bool check_results(JsonValue object, ValueId first);
  // The value a name stands for; kNoId if it is wrong, and then a message was given.
  ValueId named(JsonValue name);
  std::optional<Scalar> literal(JsonValue value, std::string_view text, DType dtype);
  ValueId literal_value(Scalar scalar);
  void unknown_name(JsonValue name);
  void outputs(JsonValue object);
  void updates(JsonValue object);
  ValueId result_operand(JsonValue operand, std::optional<DType> beside);

  JsonReading& reading_;
  std::string name_;
  FunctionBuilder builder_;
  std::unordered_map<std::string_view, Local> locals_;
  std::vector<NodeEntry> nodes_;
};

Function FunctionReader::read(JsonValue object) {
  static constexpr std::array<std::string_view, 4> kKeys{"inputs", "nodes", "outputs", "updates"};
  if (!reading_.expect(object, JsonKind::kObject, fmt::format("the function `{}`", name_)))
    return builder_.finish();
  reading_.check_keys(object, kKeys, "a function");
  if (JsonValue given = reading_.optional(object, "inputs", JsonKind::kObject)) inputs(given);
  if (JsonValue list = reading_.optional(object, "nodes", JsonKind::kList)) {
    nodes_.reserve(list.count());
    locals_.reserve(locals_.size() + list.count());
    for_each_element(list, [&](JsonValue node) { declare_node(node); });
    for (std::uint32_t i = 0; i < nodes_.size() && !reading_.errors.full(); ++i) visit(i);
  }
  if (JsonValue given = reading_.optional(object, "outputs", JsonKind::kObject)) outputs(given);
  if (JsonValue given = reading_.optional(object, "updates", JsonKind::kObject)) updates(given);
  return builder_.finish();
}

void FunctionReader::inputs(JsonValue object) {
  for_each_member(object, [&](JsonValue key, JsonValue value) {
    if (locals_.contains(key.string())) return;  // a duplicate key, which was reported
    std::optional<Type> type = reading_.type(value);
    ValueId id = type ? builder_.input(std::string(key.string()), *type) : kNoId;
    declare(key, {ValueKind::kInput, id, 0});
  });
}

void FunctionReader::declare(JsonValue key, Local local) {
  std::string_view name = key.string();
  auto global = reading_.globals.find(name);
  if (global == reading_.globals.end() && locals_.try_emplace(name, local).second) return;
  Diagnostic twice = diagnostic(DiagId::kDuplicateName, key.location(), name);
  if (global != reading_.globals.end()) {
    twice.notes.push_back("also at " + to_string(global->second.key.location()));
  }
  reading_.errors.add(std::move(twice));
}

void FunctionReader::declare_node(JsonValue object) {
  if (!reading_.expect(object, JsonKind::kObject, "a node")) return;
  auto index = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back({object});
  JsonValue name = object.find("name");
  JsonValue names = object.find("names");
  if (name && names) {
    reading_.add(DiagId::kUnknownKey, names, "names", "a node that has `name`");
  } else if (name) {
    if (reading_.expect(name, JsonKind::kString, "`name`")) declare(name, {ValueKind::kNode, index, 0});
  } else if (!names) {
    reading_.add(DiagId::kMissingKey, object, "a node", "name");
  } else if (reading_.expect(names, JsonKind::kList, "`names`")) {
    std::uint32_t result = 0;
    for_each_element(names, [&](JsonValue each) {
      if (reading_.expect(each, JsonKind::kString, "a name"))
        declare(each, {ValueKind::kNode, index, result});
      ++result;
    });
  }
}

std::string FunctionReader::label(std::uint32_t node) const {
  JsonValue name = nodes_[node].object.find("name");
  if (!name) {
    JsonValue names = nodes_[node].object.find("names");
    if (names && names.is(JsonKind::kList) && names.count() > 0) name = names.first();
  }
  return name && name.is(JsonKind::kString) ? fmt::format("`{}`", name.string()) : "without a name";
}

// Depth first, so that nodes that stand in order stay in order and others come just before their first
// reader.
void FunctionReader::visit(std::uint32_t root) {
  if (nodes_[root].visit != Visit::kNew) return;
  std::vector<Frame> open;
  auto enter = [&](std::uint32_t node) {
    nodes_[node].visit = Visit::kOpen;
    JsonValue list = nodes_[node].object.find("inputs");
    const bool has_operands = list && list.is(JsonKind::kList);
    open.push_back({node, has_operands ? list.first() : JsonValue(), has_operands ? list.count() : 0});
  };
  enter(root);
  while (!open.empty()) {
    Frame& frame = open.back();
    if (frame.left == 0) {
      NodeEntry& node = nodes_[frame.node];
      const bool is_wrong = node.visit == Visit::kWrong;
      node.visit = Visit::kDone;
      if (!is_wrong && !reading_.errors.full()) make_node(node);
      open.pop_back();
      continue;
    }
    JsonValue operand = frame.operand;
    frame.operand = operand.after();
    --frame.left;
    if (!operand.is(JsonKind::kString)) continue;
    auto found = locals_.find(operand.string());
    if (found == locals_.end() || found->second.kind != ValueKind::kNode) continue;
    std::uint32_t source = found->second.index;
    if (nodes_[source].visit == Visit::kNew) {
      enter(source);
    } else if (nodes_[source].visit != Visit::kDone) {
      report_cycle(open, source);
    }
  }
}

void FunctionReader::report_cycle(const std::vector<Frame>& open, std::uint32_t node) {
  constexpr std::size_t kShown = 8;
  std::size_t begin = open.size();
  bool is_known = true;
  do {
    --begin;
    is_known &= nodes_[open[begin].node].visit == Visit::kWrong;
    nodes_[open[begin].node].visit = Visit::kWrong;
  } while (open[begin].node != node);
  if (is_known) return;
  std::string names;
  for (std::size_t i = begin; i < open.size() && i < begin + kShown; ++i) {
    names += (i == begin ? "" : ", ") + label(open[i].node);
  }
  if (open.size() - begin > kShown) names += fmt::format(" and {} more", open.size() - begin - kShown);
  reading_.add(DiagId::kCycle, nodes_[node].object, names);
}

std::uint32_t FunctionReader::names_given(JsonValue object) const {
  JsonValue names = object.find("names");
  return names && names.is(JsonKind::kList) ? names.count() : 1;
}

void FunctionReader::make_node(NodeEntry& node) {
  JsonValue name = reading_.required(node.object, "op", JsonKind::kString, "a node");
  if (!name) return;
  const OpDef* op = find_op(name.string());
  if (!op) {
    std::vector<std::string_view> known;
    for (const OpDef* each : all_ops()) known.push_back(each->name);
    reading_.add_with_hint(DiagId::kUnknownOperator, name, did_you_mean(name.string(), known), name.string());
    return;
  }
  reading_.check_node_keys(node.object, *op);
  std::optional<Attrs> attrs = reading_.attrs(*op, node.object);
  if (attrs && !reading_.resolve(*op, node.object, *attrs)) return;
  JsonValue list = reading_.optional(node.object, "inputs", JsonKind::kList);
  std::optional<std::vector<ValueId>> inputs = operands(*op, attrs.value_or(Attrs{}), list);
  std::optional<Regions> functions = reading_.regions(*op, node.object);
  if (!attrs || !inputs || !functions) return;
  ValueId first = make(*op, node.object, *inputs, *std::move(attrs), *std::move(functions));
  if (first != kNoId && check_results(node.object, first)) node.first_result = first;
}

ValueId FunctionReader::make(const OpDef& op, JsonValue object, std::span<const ValueId> inputs, Attrs attrs,
                             Regions regions) {
  JsonValue loc = reading_.optional(object, "loc", JsonKind::kString);
  JsonValue name = object.find("name");
  Location where = object.find("op").location();
  const DeviceHint device = reading_.device(object);
  LocId id =
      reading_.builder.add_location({std::string(loc ? loc.string() : ""), where.line, where.column, device});
  try {
    std::string text(name && name.is(JsonKind::kString) ? name.string() : "");
    return builder_.make(op.name, inputs, std::move(attrs), std::move(text), id, std::move(regions));
  } catch (const UserError& error) {
    std::vector<std::string> notes;
    if (loc) notes.push_back(fmt::format("it comes from {}", loc.string()));
    reading_.errors.add(error, where, notes);
  }
  return kNoId;
}

bool FunctionReader::check_results(JsonValue object, ValueId first) {
  const Value& value = builder_.function().value(first);
  const bool is_node = value.kind == ValueKind::kNode;
  const std::uint32_t results = is_node ? builder_.function().node(value.index).result_count : 1;
  if (names_given(object) != results) {
    reading_.add(DiagId::kResultNames, object, object.find("op").string(), results, names_given(object));
    return false;
  }
  for (ValueId id = first; id < first + results; ++id) {
    if (checked_max_bytes(builder_.type(id), reading_.dims())) continue;
    reading_.add(DiagId::kTensorTooLarge, object.find("op"), object.find("op").string(),
                 to_string(builder_.type(id), reading_.dims()));
    return false;
  }
  if (JsonValue names = object.find("names"); names && is_node) {
    ValueId id = first;
    for_each_element(names, [&](JsonValue name) {
      if (name.is(JsonKind::kString)) builder_.function().values[id++].name = name.string();
    });
  }
  JsonValue declared = object.find("type");
  std::optional<Type> type = declared ? reading_.type(declared) : std::nullopt;
  if (type && *type != builder_.type(first)) {
    std::string_view shown = object.find("name") ? object.find("name").string() : object.find("op").string();
    reading_.add(DiagId::kTypeMismatch, declared, shown, to_string(*type, reading_.dims()),
                 to_string(builder_.type(first), reading_.dims()));
  }
  return true;
}

std::optional<std::vector<ValueId>> FunctionReader::operands(const OpDef& op, const Attrs& attrs,
                                                             JsonValue list) {
  std::vector<ValueId> values;
  if (!list) return values;
  std::vector<OperandDType> dtypes;
  std::vector<std::string_view> literals;
  bool is_right = true;
  bool has_literals = false;
  for_each_element(list, [&](JsonValue operand) {
    values.push_back(kNoId);
    dtypes.push_back({});
    literals.emplace_back();
    if (operand.is(JsonKind::kString)) {
      values.back() = named(operand);
      is_right &= values.back() != kNoId;
      if (values.back() != kNoId) dtypes.back().dtype = builder_.type(values.back()).dtype;
    } else if (std::optional<std::string_view> text = literal_text(operand)) {
      literals.back() = *text;
      dtypes.back() = {natural_dtype(*text), true};
      has_literals = true;
    } else {
      reading_.add(DiagId::kWrongKind, operand, "an operand", json_kind_name(operand), "a name or a literal");
      is_right = false;
    }
  });
  if (!is_right) return {};
  if (!has_literals) return values;
  settle_literals(op, attrs, dtypes);
  JsonValue operand = list.first();
  for (std::size_t i = 0; i < values.size(); ++i, operand = operand.after()) {
    if (!dtypes[i].is_literal) continue;
    std::optional<Scalar> scalar = literal(operand, literals[i], dtypes[i].dtype);
    if (!scalar) return {};
    values[i] = literal_value(*scalar);
  }
  return values;
}

std::optional<Scalar> FunctionReader::literal(JsonValue value, std::string_view text, DType dtype) {
  Scalar scalar;
  NumberFault fault = parse_literal(text, dtype, scalar);
  if (fault == NumberFault::kNone) return scalar;
  reading_.errors.add(number_diagnostic(fault, value.location(), text, dtype));
  return {};
}

ValueId FunctionReader::literal_value(Scalar scalar) {
  Tensor tensor(scalar.dtype, {});
  set_tensor_element(tensor, 0, scalar);
  return builder_.constant(reading_.builder.literal(tensor));
}

ValueId FunctionReader::named(JsonValue name) {
  if (auto local = locals_.find(name.string()); local != locals_.end()) {
    if (local->second.kind == ValueKind::kInput) return local->second.index;
    const NodeEntry& node = nodes_[local->second.index];
    return node.first_result == kNoId ? kNoId : node.first_result + local->second.result;
  }
  auto global = reading_.globals.find(name.string());
  if (global == reading_.globals.end()) {
    unknown_name(name);
    return kNoId;
  }
  if (global->second.index == kNoId) return kNoId;
  return global->second.kind == ValueKind::kState ? builder_.state(global->second.index)
                                                  : builder_.constant(global->second.index);
}

void FunctionReader::unknown_name(JsonValue name) {
  // Comparing with every name of a huge graph for every error would take longer than reading it.
  constexpr std::size_t kCompared = 20'000;
  std::vector<std::string_view> known;
  for (const auto& [each, local] : locals_) {
    if (known.size() < kCompared) known.push_back(each);
  }
  for (const auto& [each, global] : reading_.globals) {
    if (known.size() < kCompared) known.push_back(each);
  }
  std::sort(known.begin(), known.end());
  reading_.add_with_hint(DiagId::kUnknownName, name, did_you_mean(name.string(), known), name.string(),
                         name_);
}

ValueId FunctionReader::result_operand(JsonValue operand, std::optional<DType> beside) {
  if (operand.is(JsonKind::kString)) return named(operand);
  std::optional<std::string_view> text = literal_text(operand);
  if (!text) {
    reading_.add(DiagId::kWrongKind, operand, "an operand", json_kind_name(operand), "a name or a literal");
    return kNoId;
  }
  DType dtype = natural_dtype(*text);
  if (beside) dtype = settle_literal(dtype, *beside);
  std::optional<Scalar> scalar = literal(operand, *text, dtype);
  return scalar ? literal_value(*scalar) : kNoId;
}

void FunctionReader::outputs(JsonValue object) {
  for_each_member(object, [&](JsonValue key, JsonValue operand) {
    if (reading_.errors.full()) return;
    ValueId value = result_operand(operand, {});
    if (value != kNoId) builder_.output(std::string(key.string()), value);
  });
}

void FunctionReader::updates(JsonValue object) {
  for_each_member(object, [&](JsonValue key, JsonValue operand) {
    if (reading_.errors.full()) return;
    auto global = reading_.globals.find(key.string());
    if (global == reading_.globals.end() || global->second.kind != ValueKind::kState) {
      std::vector<std::string_view> known;
      for (const State& state : reading_.builder.module().states) known.push_back(state.name);
      reading_.add_with_hint(DiagId::kNotState, key, did_you_mean(key.string(), known), key.string());
      return;
    }
    const StateId id = global->second.index;
    if (id == kNoId) return;
    const Type& type = reading_.builder.module().states[id].type;
    ValueId value = result_operand(operand, type.dtype);
    if (value == kNoId) return;
    if (builder_.type(value) == type) {
      builder_.update(id, value);
    } else {
      reading_.add(DiagId::kUpdateType, operand, key.string(),
                   to_string(builder_.type(value), reading_.dims()), to_string(type, reading_.dims()));
    }
  });
}

}  // namespace

Function read_function_object(JsonReading& reading, const std::string& name, JsonValue object) {
  return FunctionReader(reading, name).read(object);
}

}  // namespace cohort
