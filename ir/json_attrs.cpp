#include <algorithm>
#include <cstdlib>

#include "ir/json_reading.h"
#include "ir/number_text.h"
#include "ir/type_errors.h"

namespace cohort {
namespace {

// The values below give nothing if the JSON value is of another kind; the caller says what is expected.

std::optional<Attr> float_attr(JsonValue value) {
  if (!value.is(JsonKind::kNumber) && !value.is(JsonKind::kString)) return {};
  Scalar scalar;
  if (parse_number(value.string(), DType::kF64, scalar) != NumberFault::kNone) return {};
  return scalar_as_double(scalar);
}

std::optional<std::int64_t> int_of(JsonValue value) {
  if (!value.is(JsonKind::kNumber)) return {};
  return parse_int64(value.string());
}

std::optional<Attr> ints_attr(JsonValue value) {
  if (!value.is(JsonKind::kList)) return {};
  IntList list;
  bool is_right = true;
  for_each_element(value, [&](JsonValue element) {
    std::optional<std::int64_t> number = int_of(element);
    is_right &= number.has_value() || element.is(JsonKind::kNull);
    list.push_back(number);
  });
  if (!is_right) return {};
  return list;
}

// Extents beyond this would overflow products of a few of them.
bool is_reasonable(const Dim& dim) {
  return std::abs(dim.offset) <= kMaxDim && std::abs(dim.scale) <= kMaxDim;
}

std::optional<Attr> shape_attr(JsonValue value, const Dims& dims) {
  if (!value.is(JsonKind::kList)) return {};
  Shape shape;
  bool is_right = true;
  for_each_element(value, [&](JsonValue element) {
    std::optional<Dim> dim;
    if (std::optional<std::int64_t> number = int_of(element)) dim = Dim(*number);
    if (element.is(JsonKind::kString)) dim = parse_dim(element.string(), dims);
    is_right &= dim.has_value() && is_reasonable(*dim);
    if (dim) shape.push_back(*dim);
  });
  if (!is_right) return {};
  return shape;
}

std::optional<Attr> strings_attr(JsonValue value) {
  if (!value.is(JsonKind::kList)) return {};
  Strings list;
  bool is_right = true;
  for_each_element(value, [&](JsonValue element) {
    is_right &= element.is(JsonKind::kString);
    if (element.is(JsonKind::kString)) list.emplace_back(element.string());
  });
  if (!is_right) return {};
  return list;
}

std::string_view expectation(AttrKind kind) {
  switch (kind) {
    case AttrKind::kBool:
      return "true or false";
    case AttrKind::kInt:
      return "an integer";
    case AttrKind::kFloat:
      return "a number";
    case AttrKind::kString:
      return "a string";
    case AttrKind::kInts:
      return "a list of integers and null";
    case AttrKind::kShape:
      return "a list of extents";
    case AttrKind::kDType:
      return "a dtype";
    case AttrKind::kStrings:
      return "a list of strings";
    case AttrKind::kCustom:
      break;
  }
  return "unknown";
}

}  // namespace

std::optional<Attr> JsonReading::attr(const OpDef& op, const AttrSpec& spec, JsonValue value) {
  std::optional<Attr> read;
  switch (spec.kind) {
    case AttrKind::kBool:
      if (value.is_boolean()) read = value.is(JsonKind::kTrue);
      break;
    case AttrKind::kInt:
      if (std::optional<std::int64_t> number = int_of(value)) read = *number;
      break;
    case AttrKind::kFloat:
      read = float_attr(value);
      break;
    case AttrKind::kString:
      if (value.is(JsonKind::kString)) read = std::string(value.string());
      break;
    case AttrKind::kInts:
      read = ints_attr(value);
      break;
    case AttrKind::kShape:
      read = shape_attr(value, dims());
      break;
    case AttrKind::kDType:
      if (value.is(JsonKind::kString)) {
        if (std::optional<DType> dtype = parse_dtype(value.string())) read = *dtype;
      }
      break;
    case AttrKind::kStrings:
      read = strings_attr(value);
      if (!read && op.attrs_in_node && value.is(JsonKind::kString))
        read = Strings{std::string(value.string())};
      break;
    case AttrKind::kCustom:
      break;
  }
  if (!read) {
    add(DiagId::kWrongAttribute, value, op.name, spec.name,
        fmt::format("is {} where {} is expected", json_kind_name(value), expectation(spec.kind)));
  }
  return read;
}

std::optional<Attrs> JsonReading::attrs(const OpDef& op, JsonValue node) {
  Attrs attrs;
  bool is_right = true;
  for (const AttrSpec& spec : op.attrs) {
    const JsonValue value = op.attrs_in_node ? node.find(spec.name) : JsonValue();
    if (!value || spec.kind == AttrKind::kCustom) continue;
    std::optional<Attr> read = attr(op, spec, value);
    if (read) attrs.push_back({std::string(spec.name), *std::move(read)});
    is_right &= read.has_value();
  }
  JsonValue object = node.find("attrs");
  if (object && !expect(object, JsonKind::kObject, "`attrs`")) return {};
  if (object) is_right &= attrs_object(op, object, attrs);
  if (!is_right) return {};
  return attrs;
}

void JsonReading::check_node_keys(JsonValue node, const OpDef& op) {
  std::vector<std::string_view> keys{"name", "names", "op", "inputs", "attrs", "type", "loc", "device"};
  keys.insert(keys.end(), op.regions.begin(), op.regions.end());
  if (op.attrs_in_node)
    for (const AttrSpec& spec : op.attrs) keys.push_back(spec.name);
  check_keys(node, keys, "a node");
}

bool JsonReading::resolve(const OpDef& op, JsonValue node, Attrs& attrs) {
  if (!op.attrs_in_node) return true;
  try {
    resolve_custom(custom, op, attrs);
    return true;
  } catch (const UserError& error) {
    // Several nodes may name one function, which is told once.
    const Location where = node.find("op").location();
    const std::string note = fmt::format("read for the node at {}", to_string(where));
    if (wrong_custom_.insert(error.what()).second) errors.add(error, where, {note});
  }
  return false;
}

bool JsonReading::attrs_object(const OpDef& op, JsonValue object, Attrs& attrs) {
  bool is_right = true;
  for_each_member(object, [&](JsonValue key, JsonValue value) {
    if (key.string().starts_with("x-")) return;
    auto spec = std::find_if(op.attrs.begin(), op.attrs.end(),
                             [&](const AttrSpec& s) { return s.name == key.string(); });
    if (spec == op.attrs.end() || spec->kind == AttrKind::kCustom) {
      std::vector<std::string_view> known;
      for (const AttrSpec& s : op.attrs)
        if (s.kind != AttrKind::kCustom) known.push_back(s.name);
      add_with_hint(DiagId::kUnknownAttribute, key, did_you_mean(key.string(), known), op.name, key.string());
      is_right = false;
      return;
    }
    const bool twice =
        std::any_of(attrs.begin(), attrs.end(), [&](const NamedAttr& a) { return a.name == spec->name; });
    if (twice) add(DiagId::kDuplicateKey, key, spec->name);
    std::optional<Attr> read = attr(op, *spec, value);
    if (read && !twice) attrs.push_back({std::string(spec->name), std::move(*read)});
    is_right &= read.has_value();
  });
  return is_right;
}

}  // namespace cohort
