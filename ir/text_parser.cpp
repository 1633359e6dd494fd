#include "ir/text_parser.h"

#include "ir/files.h"
#include "ir/tensor_checks.h"
#include "ir/text_parsing.h"
#include "ir/type_errors.h"

namespace cohort {

Type TextParsing::type() {
  const Location where = cursor.location();
  std::string text(cursor.identifier());
  text += cursor.balanced('[', ']');
  Diagnostic error{};
  std::optional<Type> parsed = parse_checked_type(text, dims(), where, error);
  if (!parsed) throw UserError(std::move(error));
  return *parsed;
}

std::string TextParsing::global_name(std::string& key) {
  cursor.expect("@");
  if (cursor.sees_digit()) {
    key = "%" + std::string(cursor.digits());
    return {};
  }
  std::string name = cursor.name();
  key = "@" + name;
  return name;
}

namespace {

void parse_dim_line(TextParsing& parsing) {
  const Location where = parsing.cursor.location();
  std::string name(parsing.cursor.identifier());
  std::optional<std::int64_t> min = parse_int64(parsing.cursor.digits());
  parsing.cursor.expect("..");
  std::optional<std::int64_t> max = parse_int64(parsing.cursor.digits());
  if (!min || !max || *min < 0 || *min > *max || *max > kMaxDim) {
    throw UserError(diagnostic(DiagId::kDimBounds, where, name, min.value_or(-1), max.value_or(-1)));
  }
  for (const NamedDim& other : parsing.dims()) {
    if (other.name == name) parsing.errors.add(diagnostic(DiagId::kDuplicateName, where, name));
  }
  parsing.builder.add_dim(std::move(name), *min, *max);
}

// `@name : type = data` of a constant or a state variable.
void parse_global(TextParsing& parsing, ValueKind kind) {
  const Location where = parsing.cursor.location();
  const bool is_state = kind == ValueKind::kState;
  std::string key;
  std::string name = parsing.global_name(key);
  parsing.cursor.expect(":");
  const Type type = parsing.type();
  if (!is_constant(type.shape)) {
    throw UserError(diagnostic(DiagId::kNotConstantShape, where, name, to_string(type, parsing.dims()),
                               is_state ? "a state variable" : "a constant"));
  }
  parsing.cursor.expect("=");
  Tensor data = parse_data(parsing.cursor, type, parsing.dims());
  bool is_settable = true;
  DeviceHint device = DeviceHint::kNone;
  if (is_state && parsing.cursor.accept("{")) {
    do {
      if (parsing.cursor.accept_word("device")) {
        parsing.cursor.expect("=");
        device = parsing.cursor.device();
      } else {
        for (const char* token : {"settable", "=", "false"}) parsing.cursor.expect(token);
        is_settable = false;
      }
    } while (parsing.cursor.accept(","));
    parsing.cursor.expect("}");
  }
  if (parsing.globals.contains(key)) {
    parsing.errors.add(diagnostic(DiagId::kDuplicateName, where, key.substr(1)));
    return;
  }
  std::uint32_t index = 0;
  if (is_state) {
    LocId loc = parsing.builder.add_location({"", where.line, where.column});
    index = parsing.builder.add_state(std::move(name), type, std::move(data), loc, is_settable, device);
  } else {
    index = parsing.builder.add_constant(std::move(name), std::move(data));
  }
  parsing.globals.emplace(std::move(key), TextGlobal{kind, index});
}

void parse_module(TextParsing& parsing) {
  TextCursor& cursor = parsing.cursor;
  cursor.expect("module");
  parsing.builder.module().name = cursor.name();
  for (;;) {
    if (cursor.accept_word("dim"))
      parse_dim_line(parsing);
    else if (cursor.accept_word("const"))
      parse_global(parsing, ValueKind::kConstant);
    else if (cursor.accept_word("state"))
      parse_global(parsing, ValueKind::kState);
    else if (cursor.accept_word("func"))
      parsing.function();
    else
      break;
  }
}

// Fills a tensor from nested lists.
struct DataParser {
  TextCursor& cursor;
  Tensor& tensor;
  std::string shown_type;
  std::int64_t next = 0;

  Scalar element() {
    const Location where = cursor.location();
    std::string_view text = cursor.number();
    Scalar scalar;
    NumberFault fault = parse_number(text, tensor.dtype(), scalar);
    if (fault != NumberFault::kNone) throw UserError(number_diagnostic(fault, where, text, tensor.dtype()));
    return scalar;
  }

  void list(std::size_t axis) {
    const Location where = cursor.location();
    if (axis == tensor.extents().size()) {
      set_tensor_element(tensor, next++, element());
      return;
    }
    std::int64_t count = 0;
    cursor.expect("[");
    while (!cursor.accept("]")) {
      if (count < tensor.extents()[axis])
        list(axis + 1);
      else
        break;
      ++count;
      if (!cursor.sees("]")) cursor.expect(",");
    }
    if (count == tensor.extents()[axis] && !cursor.sees_number() && !cursor.sees("[")) return;
    std::string seen = count < tensor.extents()[axis] ? std::to_string(count) : "more";
    throw UserError(diagnostic(DiagId::kDataShape, where,
                               fmt::format("{} elements along axis {}", seen, axis), shown_type,
                               tensor.extents()[axis]));
  }
};

}  // namespace

Tensor parse_data(TextCursor& cursor, const Type& type, const Dims& dims) {
  const Location where = cursor.location();
  if (cursor.accept_word("elided")) throw UserError(diagnostic(DiagId::kElided, where));
  Extents extents = cohort::evaluate(type.shape, {});
  std::optional<std::uint64_t> bytes = checked_bytes(type.dtype, extents);
  if (!bytes || *bytes > physical_memory())
    throw UserError(diagnostic(DiagId::kTensorTooLarge, where, "data", to_string(type, dims)));
  Tensor tensor(type.dtype, extents);
  DataParser parser{cursor, tensor, to_string(type, dims)};
  if (cursor.sees("[")) {
    parser.list(0);
  } else {
    const Scalar scalar = parser.element();
    for (std::int64_t i = 0; i < tensor.size(); ++i) set_tensor_element(tensor, i, scalar);
  }
  return tensor;
}

void TextParsing::resolve(const OpDef& op, const Location& where, Attrs& attrs) {
  if (!op.attrs_in_node) return;
  try {
    resolve_custom(custom, op, attrs);
  } catch (UserError& error) {
    for (Diagnostic& each : error.diagnostics())
      if (each.location.line == 0) each.location = where;
    throw;
  }
}

Module parse_text(TextCursor& cursor, const std::string& file, const CustomReader& custom) {
  TextParsing parsing{cursor, {custom, folder_of(file), true}};
  parsing.builder.module().file = file;
  try {
    parse_module(parsing);
  } catch (const UserError& error) {
    parsing.errors.add(error, cursor.location());
  }
  parsing.errors.throw_if_any();
  return parsing.builder.finish();
}

Module parse_text(std::string_view text, const std::string& file, const CustomReader& custom) {
  TextCursor cursor(text, file);
  Module module = parse_text(cursor, file, custom);
  if (!cursor.at_end()) cursor.fail_expected("`dim`, `const`, `state` or `func`");
  return module;
}

}  // namespace cohort
