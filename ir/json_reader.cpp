#include "ir/json_reader.h"

#include <algorithm>
#include <array>

#include "ir/json_reading.h"
#include "ir/number_text.h"
#include "ir/type_errors.h"

namespace cohort {

std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& known) {
  std::string near = nearest_name(name, known);
  return near.empty() ? near : fmt::format("did you mean `{}`?", near);
}

std::optional<std::string_view> literal_text(JsonValue value) {
  if (value.is(JsonKind::kTrue)) return "true";
  if (value.is(JsonKind::kFalse)) return "false";
  if (value.is(JsonKind::kNumber)) return value.string();
  if (!value.is(JsonKind::kObject) || value.count() != 1) return {};
  JsonValue text = value.find("lit");
  if (!text || !text.is(JsonKind::kString)) return {};
  return text.string();
}

JsonReading::JsonReading(const JsonDocument& document, ErrorList& all_errors, TensorFiles& all_files)
    : errors(all_errors), builder(""), files(all_files) {
  builder.module().file = document.file();
}

bool JsonReading::expect(JsonValue value, JsonKind kind, std::string_view what) {
  return JsonChecks{errors}.expect(value, kind, what);
}

JsonValue JsonReading::required(JsonValue object, std::string_view key, JsonKind kind,
                                std::string_view what) {
  return JsonChecks{errors}.required(object, key, kind, what);
}

JsonValue JsonReading::optional(JsonValue object, std::string_view key, JsonKind kind) {
  JsonValue value = object.find(key);
  return value && expect(value, kind, fmt::format("`{}`", key)) ? value : JsonValue();
}

void JsonReading::check_keys(JsonValue object, std::span<const std::string_view> known,
                             std::string_view what) {
  for_each_member(object, [&](JsonValue key, JsonValue) {
    std::string_view name = key.string();
    if (name.starts_with("x-") || std::find(known.begin(), known.end(), name) != known.end()) return;
    std::string hint = did_you_mean(name, {known.begin(), known.end()});
    if (hint.empty()) hint = "keys of your own begin with `x-`";
    add_with_hint(DiagId::kUnknownKey, key, std::move(hint), name, what);
  });
}

DeviceHint JsonReading::device(JsonValue object) {
  const JsonValue value = optional(object, "device", JsonKind::kString);
  if (!value) return DeviceHint::kNone;
  const std::optional<DeviceHint> device = device_hint(value.string());
  if (!device) add(DiagId::kWrongDevice, value, value.string());
  return device.value_or(DeviceHint::kNone);
}

std::optional<Type> JsonReading::type(JsonValue text) {
  if (!expect(text, JsonKind::kString, "the type")) return {};
  Diagnostic error{};
  std::optional<Type> parsed = parse_checked_type(text.string(), dims(), text.location(), error);
  if (!parsed) errors.add(std::move(error));
  return parsed;
}

std::optional<std::int64_t> JsonReading::integer(JsonValue value, std::string_view what) {
  if (!expect(value, JsonKind::kNumber, what)) return {};
  Scalar scalar;
  NumberFault fault = parse_number(value.string(), DType::kI64, scalar);
  if (fault == NumberFault::kNone) return static_cast<std::int64_t>(scalar.bits);
  errors.add(number_diagnostic(fault, value.location(), value.string(), DType::kI64));
  return {};
}

namespace {

void read_dims(JsonReading& reading, JsonValue dims) {
  static constexpr std::array<std::string_view, 2> kKeys{"min", "max"};
  for_each_member(dims, [&](JsonValue key, JsonValue value) {
    // A wrong dim is known all the same, so that types that use it are not reported too.
    DimId id = reading.builder.add_dim(std::string(key.string()), 1, 1);
    if (!is_dim_name(key.string())) reading.add(DiagId::kDimName, key, key.string());
    if (!reading.expect(value, JsonKind::kObject, fmt::format("the dim `{}`", key.string()))) return;
    reading.check_keys(value, kKeys, "a dim");
    JsonValue min = reading.required(value, "min", JsonKind::kNumber, "a dim");
    JsonValue max = reading.required(value, "max", JsonKind::kNumber, "a dim");
    if (!min || !max) return;
    std::optional<std::int64_t> low = reading.integer(min, "`min`");
    std::optional<std::int64_t> high = reading.integer(max, "`max`");
    if (!low || !high) return;
    if (*low < 0 || *low > *high || *high > kMaxDim) {
      reading.add(DiagId::kDimBounds, value, key.string(), *low, *high);
      return;
    }
    NamedDim& dim = reading.builder.module().dims[id];
    dim.min = *low;
    dim.max = *high;
  });
}

// A type of constant shape, as constants and state variables have it.
std::optional<Type> constant_type(JsonReading& reading, JsonValue object, std::string_view name,
                                  std::string_view what) {
  JsonValue text = reading.required(object, "type", JsonKind::kString, what);
  if (!text) return {};
  std::optional<Type> type = reading.type(text);
  if (type && !is_constant(type->shape)) {
    reading.add(DiagId::kNotConstantShape, text, name, to_string(*type, reading.dims()), what);
    return {};
  }
  return type;
}

void read_constant(JsonReading& reading, JsonValue key, JsonValue value) {
  static constexpr std::array<std::string_view, 5> kKeys{"type", "data", "file", "key", "sha256"};
  JsonReading::Global& global =
      reading.globals.try_emplace(key.string(), JsonReading::Global{ValueKind::kConstant, kNoId, key})
          .first->second;
  if (!reading.expect(value, JsonKind::kObject, fmt::format("the constant `{}`", key.string()))) return;
  reading.check_keys(value, kKeys, "a constant");
  std::optional<Type> type = constant_type(reading, value, key.string(), "a constant");
  JsonValue data = value.find("data");
  JsonValue file = value.find("file");
  if (data && file) reading.add(DiagId::kUnknownKey, file, "file", "a constant that has `data`");
  if (!data && !file) reading.add(DiagId::kMissingKey, value, "a constant", "data");
  if (!type || static_cast<bool>(data) == static_cast<bool>(file)) return;
  std::optional<Tensor> tensor = data ? reading.data(data, *type) : reading.external(value, *type);
  if (tensor) global.index = reading.builder.add_constant(std::string(key.string()), *std::move(tensor));
}

void read_state(JsonReading& reading, JsonValue key, JsonValue value) {
  static constexpr std::array<std::string_view, 4> kKeys{"type", "init", "settable", "device"};
  static constexpr std::array<std::string_view, 3> kExternal{"file", "key", "sha256"};
  auto [entry, added] =
      reading.globals.try_emplace(key.string(), JsonReading::Global{ValueKind::kState, kNoId, key});
  if (!added) {
    reading.add(DiagId::kDuplicateName, key, key.string());
    return;
  }
  if (!reading.expect(value, JsonKind::kObject, fmt::format("the state variable `{}`", key.string()))) return;
  reading.check_keys(value, kKeys, "a state variable");
  std::optional<Type> type = constant_type(reading, value, key.string(), "a state variable");
  JsonValue init = value.find("init");
  if (!init) reading.add(DiagId::kMissingKey, value, "a state variable", "init");
  JsonValue settable = value.find("settable");
  if (settable && !settable.is_boolean() && !reading.expect(settable, JsonKind::kTrue, "`settable`")) return;
  if (!type || !init) return;
  const bool is_external = init.is(JsonKind::kObject);
  if (is_external) reading.check_keys(init, kExternal, "an external tensor");
  std::optional<Tensor> tensor = is_external ? reading.external(init, *type) : reading.data(init, *type);
  if (!tensor) return;
  Location where = key.location();
  LocId loc = reading.builder.add_location({"", where.line, where.column});
  entry->second.index =
      reading.builder.add_state(std::string(key.string()), *type, *std::move(tensor), loc,
                                !settable || settable.is(JsonKind::kTrue), reading.device(value));
}

void read_header(JsonReading& reading, JsonValue root) {
  static constexpr std::array<std::string_view, 7> kKeys{"format",    "version", "name",     "dims",
                                                         "constants", "state",   "functions"};
  reading.check_keys(root, kKeys, "a module");
  JsonValue format = reading.required(root, "format", JsonKind::kString, "a module");
  if (format && format.string() != "cohort-ir") {
    reading.add(DiagId::kWrongFormat, format, "format", format.string(), "cohort-ir");
  }
  JsonValue version = reading.required(root, "version", JsonKind::kString, "a module");
  if (version && version.string() != "1.0") {
    reading.add(DiagId::kWrongFormat, version, "version", version.string(), "1.0");
  }
  JsonValue name = reading.required(root, "name", JsonKind::kString, "a module");
  if (name) reading.builder.module().name = name.string();
}

void read_root(JsonReading& reading, JsonValue root) {
  if (!reading.expect(root, JsonKind::kObject, "the module")) return;
  read_header(reading, root);
  if (JsonValue dims = reading.optional(root, "dims", JsonKind::kObject)) read_dims(reading, dims);
  if (JsonValue constants = reading.optional(root, "constants", JsonKind::kObject)) {
    for_each_member(constants, [&](JsonValue key, JsonValue value) { read_constant(reading, key, value); });
  }
  if (JsonValue state = reading.optional(root, "state", JsonKind::kObject)) {
    for_each_member(state, [&](JsonValue key, JsonValue value) { read_state(reading, key, value); });
  }
  if (JsonValue functions = reading.required(root, "functions", JsonKind::kObject, "a module")) {
    reading.functions(functions);
  }
}

}  // namespace

Module read_module_text(std::string json, const std::string& name, const ReadOptions& options) {
  ErrorList errors;
  JsonDocument document(std::move(json), name, errors);
  TensorFiles files(folder_of(name), options.allow_path);
  JsonReading reading(document, errors, files);
  reading.custom = {options.custom, folder_of(name), options.allow_path};
  read_root(reading, document.root());
  errors.throw_if_any();
  if (options.files_read) options.files_read->assign(files.opened().begin(), files.opened().end());
  return reading.builder.finish();
}

Module read_module(const std::string& path, const ReadOptions& options) {
  return read_module_text(read_file(path), path, options);
}

}  // namespace cohort
