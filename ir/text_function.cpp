#include <algorithm>

#include "ir/text_parsing.h"
#include "ir/type_errors.h"

namespace cohort {
namespace {

// An operand as written, before literals have their dtypes.
struct WrittenOperand {
  Location where;
  ValueId value = kNoId;  // kNoId: a literal, or wrong
  std::string_view literal;
  OperandDType dtype;
};

// Bodies within bodies; as deep as JSON may be.
constexpr std::size_t kMostBodies = 128;

class FunctionParser {
 public:
  FunctionParser(TextParsing& parsing, std::string name)
      : parsing_(parsing), cursor_(parsing.cursor), function_(parsing.builder, std::move(name)) {}

  Function parse();

 private:
  struct Result {
    Location where;
    std::string key;
    std::string name;
  };
  std::string value_name(std::string& key);
  void declare(const Result& result, ValueId value);
  void inputs();
  void output();
  void update();
  void node();
  std::vector<Result> results();
  std::vector<Type> declared_types();
  ValueId make(const Location& where, const OpDef& op, std::vector<WrittenOperand>& operands, Attrs attrs,
               Regions regions);
  // Nothing if one of them is wrong, which was reported.
  std::optional<Regions> regions(const OpDef& op);
  void check_types(const std::vector<Result>& results, const std::vector<Type>& declared, ValueId first);
  WrittenOperand operand();
  std::vector<WrittenOperand> operands();
  ValueId literal_value(const WrittenOperand& operand);
  ValueId single(std::optional<DType> beside);

  TextParsing& parsing_;
  TextCursor& cursor_;
  FunctionBuilder function_;
  std::unordered_map<std::string, ValueId> values_;  // kNoId: it is wrong, which was reported
};

// Reads `%name`, `%12` or `%name~2`. Keys tell all of them apart.
std::string FunctionParser::value_name(std::string& key) {
  cursor_.expect("%");
  if (cursor_.sees_digit()) {
    key = "%" + std::string(cursor_.digits());
    return {};
  }
  std::string name = cursor_.name();
  std::string copy = cursor_.accept("~") ? std::string(cursor_.digits()) : "1";
  key = copy + "~" + name;
  return name;
}

void FunctionParser::declare(const Result& result, ValueId value) {
  if (values_.try_emplace(result.key, value).second) return;
  parsing_.errors.add(diagnostic(DiagId::kDuplicateName, result.where, result.name));
}

void FunctionParser::inputs() {
  cursor_.expect("(");
  while (!cursor_.accept(")")) {
    Result input{cursor_.location(), {}, {}};
    input.name = value_name(input.key);
    cursor_.expect(":");
    declare(input, function_.input(input.name, parsing_.type()));
    if (!cursor_.sees(")")) cursor_.expect(",");
  }
}

Function FunctionParser::parse() {
  inputs();
  cursor_.expect("{");
  while (!cursor_.accept("}")) {
    if (cursor_.accept_word("output"))
      output();
    else if (cursor_.accept_word("update"))
      update();
    else
      node();
  }
  return function_.finish();
}

void FunctionParser::output() {
  const Location where = cursor_.location();
  std::string name = cursor_.name();
  cursor_.expect("=");
  ValueId value = single({});
  for (const Output& other : function_.function().outputs) {
    if (other.name == name) parsing_.errors.add(diagnostic(DiagId::kDuplicateName, where, name));
  }
  if (value != kNoId) function_.output(std::move(name), value);
}

void FunctionParser::update() {
  const Location where = cursor_.location();
  std::string key;
  std::string name = parsing_.global_name(key);
  cursor_.expect("=");
  auto found = parsing_.globals.find(key);
  if (found == parsing_.globals.end() || found->second.kind != ValueKind::kState) {
    parsing_.errors.add(diagnostic(DiagId::kNotState, where, name));
    single({});
    return;
  }
  const StateId state = found->second.index;
  const Type& type = parsing_.builder.module().states[state].type;
  ValueId value = single(type.dtype);
  for (const Update& other : function_.function().updates) {
    if (other.state == state) parsing_.errors.add(diagnostic(DiagId::kUpdatedTwice, where, name));
  }
  if (value == kNoId) return;
  if (function_.type(value) != type) {
    parsing_.errors.add(diagnostic(DiagId::kUpdateType, where, name,
                                   to_string(function_.type(value), parsing_.dims()),
                                   to_string(type, parsing_.dims())));
  }
  function_.update(state, value);
}

std::vector<FunctionParser::Result> FunctionParser::results() {
  std::vector<Result> results;
  if (!cursor_.sees("%")) cursor_.fail_expected("a node, `output`, `update` or `}`");
  do {
    Result result{cursor_.location(), {}, {}};
    result.name = value_name(result.key);
    results.push_back(std::move(result));
  } while (cursor_.accept(","));
  return results;
}

std::vector<Type> FunctionParser::declared_types() {
  std::vector<Type> types;
  if (!cursor_.accept(":")) return types;
  if (!cursor_.accept("(")) {
    types.push_back(parsing_.type());
    return types;
  }
  while (!cursor_.accept(")")) {
    types.push_back(parsing_.type());
    if (!cursor_.sees(")")) cursor_.expect(",");
  }
  return types;
}

void FunctionParser::node() {
  cursor_.forget_loc();
  std::vector<Result> names = results();
  std::vector<Type> declared = declared_types();
  cursor_.expect("=");
  const Location where = cursor_.location();
  std::string_view name = cursor_.identifier();
  const OpDef* op = find_op(name);
  if (!op) {
    // What follows cannot be read without knowing the operator's attributes.
    std::vector<std::string_view> known;
    for (const OpDef* each : all_ops()) known.push_back(each->name);
    Diagnostic unknown = diagnostic(DiagId::kUnknownOperator, where, name);
    std::string near = nearest_name(name, known);
    if (!near.empty()) unknown.hint = fmt::format("did you mean `{}`?", near);
    throw UserError(std::move(unknown));
  }
  std::vector<WrittenOperand> inputs = operands();
  Attrs attrs = parse_text_attrs(cursor_, *op, parsing_.dims());
  parsing_.resolve(*op, where, attrs);
  std::optional<Regions> functions = regions(*op);
  ValueId first = functions ? make(where, *op, inputs, std::move(attrs), *std::move(functions)) : kNoId;
  if (first != kNoId) {
    const Value& value = function_.function().value(first);
    const bool is_node = value.kind == ValueKind::kNode;
    const std::size_t count = is_node ? function_.function().node(value.index).result_count : 1;
    if (count != names.size()) {
      parsing_.errors.add(diagnostic(DiagId::kResultNames, where, op->name, count, names.size()));
      first = kNoId;
    } else if (is_node) {
      check_types(names, declared, first);
      for (std::size_t i = 0; i < count; ++i) function_.function().values[first + i].name = names[i].name;
    }
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    declare(names[i], first == kNoId ? kNoId : first + static_cast<ValueId>(i));
  }
}

// `body(%x: f64[2]) {...}`, or `body = name` of a function further up.
std::optional<Regions> FunctionParser::regions(const OpDef& op) {
  Regions regions;
  bool is_right = true;
  for (const std::string_view key : op.regions) {
    if (!cursor_.accept_word(key)) cursor_.fail_expected(fmt::format("`{}`", key));
    if (!cursor_.accept("=")) {
      const std::size_t errors_before = parsing_.errors.size();
      if (parsing_.depth == kMostBodies)
        throw UserError(diagnostic(DiagId::kNestedTooDeep, cursor_.location(), kMostBodies));
      ++parsing_.depth;
      regions.push_back(std::make_shared<const Function>(FunctionParser(parsing_, std::string(key)).parse()));
      --parsing_.depth;
      is_right = is_right && parsing_.errors.size() == errors_before;
      continue;
    }
    const Location where = cursor_.location();
    const std::string name = cursor_.name();
    const auto& known = parsing_.builder.module().functions;
    const auto found =
        std::find_if(known.begin(), known.end(), [&](const auto& f) { return f->name == name; });
    if (found == known.end())
      throw UserError(diagnostic(DiagId::kUnknownName, where, name, parsing_.builder.module().name));
    regions.push_back(*found);
    is_right = is_right && !parsing_.wrong_functions.contains(name);
  }
  return is_right ? std::optional(std::move(regions)) : std::nullopt;
}

void FunctionParser::check_types(const std::vector<Result>& results, const std::vector<Type>& declared,
                                 ValueId first) {
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Type& type = function_.type(first + static_cast<ValueId>(i));
    if (!checked_max_bytes(type, parsing_.dims())) {
      parsing_.errors.add(diagnostic(DiagId::kTensorTooLarge, results[i].where, results[i].name,
                                     to_string(type, parsing_.dims())));
    }
    if (i >= declared.size() || declared[i] == type) continue;
    parsing_.errors.add(diagnostic(DiagId::kTypeMismatch, results[i].where, results[i].name,
                                   to_string(declared[i], parsing_.dims()),
                                   to_string(type, parsing_.dims())));
  }
}

ValueId FunctionParser::make(const Location& where, const OpDef& op, std::vector<WrittenOperand>& operands,
                             Attrs attrs, Regions regions) {
  const DeviceHint device = cursor_.accept_word("on") ? cursor_.device() : DeviceHint::kNone;
  const std::string loc = cursor_.loc();
  std::vector<OperandDType> dtypes;
  for (const WrittenOperand& operand : operands) {
    if (operand.value == kNoId && operand.literal.empty()) return kNoId;
    dtypes.push_back(operand.dtype);
  }
  settle_literals(op, attrs, dtypes);
  std::vector<ValueId> values;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    operands[i].dtype.dtype = dtypes[i].dtype;
    values.push_back(operands[i].literal.empty() ? operands[i].value : literal_value(operands[i]));
    if (values.back() == kNoId) return kNoId;
  }
  const LocId id = parsing_.builder.add_location({loc, where.line, where.column, device});
  try {
    if (op.expand) return function_.make(op.name, values, std::move(attrs), {}, id);
    return function_.node(op, values, std::move(attrs), {}, id, std::move(regions));
  } catch (const UserError& error) {
    parsing_.errors.add(error, where);
  }
  return kNoId;
}

WrittenOperand FunctionParser::operand() {
  WrittenOperand read{cursor_.location(), kNoId, {}, {}};
  if (cursor_.sees_number()) {
    read.literal = cursor_.number();
    read.dtype = {natural_dtype(read.literal), true};
    if (cursor_.accept(":")) {
      const Location where = cursor_.location();
      std::optional<DType> dtype = parse_dtype(cursor_.identifier());
      if (!dtype) throw UserError(diagnostic(DiagId::kTextSyntax, where, "something else", "a dtype"));
      read.dtype = {*dtype, false};
    }
    return read;
  }
  std::string key, name;
  if (cursor_.sees("@")) {
    name = parsing_.global_name(key);
    auto found = parsing_.globals.find(key);
    if (found != parsing_.globals.end()) {
      const bool is_state = found->second.kind == ValueKind::kState;
      read.value = is_state ? function_.state(found->second.index) : function_.constant(found->second.index);
    }
  } else if (cursor_.sees("%")) {
    name = value_name(key);
    auto found = values_.find(key);
    if (found != values_.end() && found->second == kNoId) return read;
    if (found != values_.end()) read.value = found->second;
  } else {
    cursor_.fail_expected("an operand");
  }
  if (read.value != kNoId) {
    read.dtype = {function_.type(read.value).dtype, false};
  } else {
    parsing_.errors.add(diagnostic(DiagId::kUnknownName, read.where, name, function_.function().name));
  }
  return read;
}

std::vector<WrittenOperand> FunctionParser::operands() {
  std::vector<WrittenOperand> operands;
  cursor_.expect("(");
  while (!cursor_.accept(")")) {
    operands.push_back(operand());
    if (!cursor_.sees(")")) cursor_.expect(",");
  }
  return operands;
}

ValueId FunctionParser::literal_value(const WrittenOperand& operand) {
  Scalar scalar;
  NumberFault fault = parse_literal(operand.literal, operand.dtype.dtype, scalar);
  if (fault != NumberFault::kNone) {
    parsing_.errors.add(number_diagnostic(fault, operand.where, operand.literal, operand.dtype.dtype));
    return kNoId;
  }
  Tensor tensor(scalar.dtype, {});
  set_tensor_element(tensor, 0, scalar);
  return function_.constant(parsing_.builder.literal(tensor));
}

// The operand of an output or an update.
ValueId FunctionParser::single(std::optional<DType> beside) {
  WrittenOperand read = operand();
  if (read.literal.empty()) return read.value;
  if (beside && read.dtype.is_literal) read.dtype.dtype = settle_literal(read.dtype.dtype, *beside);
  return literal_value(read);
}

}  // namespace

void TextParsing::function() {
  depth = 0;
  const Location where = cursor.location();
  std::string name = cursor.name();
  for (const auto& other : builder.module().functions) {
    if (other->name == name) errors.add(diagnostic(DiagId::kDuplicateName, where, name));
  }
  const std::size_t errors_before = errors.size();
  builder.add_function(FunctionParser(*this, name).parse());
  if (errors.size() > errors_before) wrong_functions.insert(std::move(name));
}

}  // namespace cohort
