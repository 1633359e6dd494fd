// Parts of the JSON reader: checks that all of its files share, tensors, attributes, functions. Only
// json_*.cpp include this.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>

#include "ir/builder.h"
#include "ir/json_checks.h"
#include "ir/json_document.h"
#include "ir/json_reader.h"
#include "ir/tensor_files.h"

namespace cohort {

class JsonReading {
 public:
  JsonReading(const JsonDocument& document, ErrorList& errors, TensorFiles& files);

  ErrorList& errors;
  ModuleBuilder builder;
  TensorFiles& files;
  CustomSource custom{};
  // What a function sees of its module: constants and state variables share one name space.
  struct Global {
    ValueKind kind;       // kState or kConstant
    std::uint32_t index;  // kNoId: it could not be read
    JsonValue key;
  };
  std::unordered_map<std::string_view, Global> globals;

  template <typename... Args>
  void add(DiagId id, JsonValue at, const Args&... args) {
    JsonChecks{errors}.add(id, at, args...);
  }
  template <typename... Args>
  void add_with_hint(DiagId id, JsonValue at, std::string hint, const Args&... args) {
    Diagnostic found = diagnostic(id, at.location(), args...);
    found.hint = std::move(hint);
    errors.add(std::move(found));
  }
  // See json_checks.h.
  bool expect(JsonValue value, JsonKind kind, std::string_view what);
  JsonValue required(JsonValue object, std::string_view key, JsonKind kind, std::string_view what);
  // `required`, but silent if the key is missing.
  JsonValue optional(JsonValue object, std::string_view key, JsonKind kind);
  // Refuses keys that are neither known nor the user's own (x-...).
  void check_keys(JsonValue object, std::span<const std::string_view> known, std::string_view what);

  // The key `device` of a node or a state variable.
  DeviceHint device(JsonValue object);
  std::optional<Type> type(JsonValue text);
  std::optional<std::int64_t> integer(JsonValue value, std::string_view what);
  const Dims& dims() const { return builder.module().dims; }

  // json_data.cpp: a tensor of constant shape from `data`, from a scalar, or from the file it names.
  std::optional<Tensor> data(JsonValue value, const Type& type);
  std::optional<Tensor> external(JsonValue object, const Type& type);

  // json_attrs.cpp: nothing, after a message, if one is wrong.
  std::optional<Attrs> attrs(const OpDef& op, JsonValue node);
  void check_node_keys(JsonValue node, const OpDef& op);
  // What a `custom` node names, as one more attribute; false after a message.
  bool resolve(const OpDef& op, JsonValue node, Attrs& attrs);

  // json_functions.cpp. Functions may apply functions that stand further down: each is read when it is first
  // needed, so in the module those applied come first.
  void functions(JsonValue object);
  // Null, after a message, if there is none of that name, it applies itself, or is wrong.
  std::shared_ptr<const Function> function(JsonValue name);
  // A body that stands in a node; null, after messages, if it is wrong.
  std::shared_ptr<const Function> body(std::string_view key, JsonValue object);
  // What the operator's regions are in a node: each the name of a function, or a body.
  std::optional<Regions> regions(const OpDef& op, JsonValue object);

 private:
  struct FunctionEntry {
    JsonValue key, object;
    bool is_open = false, is_wrong = false;
    std::shared_ptr<const Function> function{};
  };
  void read_function(FunctionEntry& entry);

  std::set<std::string> wrong_custom_;
  std::vector<FunctionEntry> functions_;
  std::unordered_map<std::string_view, std::size_t> function_index_;
  std::optional<Attr> attr(const OpDef& op, const AttrSpec& spec, JsonValue value);
  bool attrs_object(const OpDef& op, JsonValue object, Attrs& attrs);
};

// json_function.cpp
Function read_function_object(JsonReading& reading, const std::string& name, JsonValue object);

// "did you mean `x`?", or empty.
std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& known);

// The text of a literal operand: of a number, a boolean or {"lit": ...}; nothing if the value is none of
// them.
std::optional<std::string_view> literal_text(JsonValue value);

}  // namespace cohort
