// The functions of a graph file, and those that stand in nodes.
#include "ir/json_reading.h"

namespace cohort {

void JsonReading::functions(JsonValue object) {
  for_each_member(object, [&](JsonValue key, JsonValue value) {
    if (function_index_.try_emplace(key.string(), functions_.size()).second)
      functions_.push_back({key, value});
  });
  for (FunctionEntry& entry : functions_)
    if (!entry.function) read_function(entry);
}

void JsonReading::read_function(FunctionEntry& entry) {
  entry.is_open = true;
  const std::string name(entry.key.string());
  const std::size_t errors_before = errors.size();
  entry.function = std::make_shared<const Function>(read_function_object(*this, name, entry.object));
  entry.is_open = false;
  entry.is_wrong = errors.size() > errors_before;
  builder.module().functions.push_back(entry.function);
}

std::shared_ptr<const Function> JsonReading::function(JsonValue name) {
  const auto found = function_index_.find(name.string());
  if (found == function_index_.end()) {
    std::vector<std::string_view> known;
    for (const FunctionEntry& entry : functions_) known.push_back(entry.key.string());
    add_with_hint(DiagId::kUnknownName, name, did_you_mean(name.string(), known), name.string(),
                  builder.module().name);
    return nullptr;
  }
  FunctionEntry& entry = functions_[found->second];
  if (entry.is_open) {
    add(DiagId::kRecursion, name, name.string());
    return nullptr;
  }
  if (!entry.function) read_function(entry);
  return entry.is_wrong ? nullptr : entry.function;
}

std::shared_ptr<const Function> JsonReading::body(std::string_view key, JsonValue object) {
  const std::size_t errors_before = errors.size();
  auto function = std::make_shared<const Function>(read_function_object(*this, std::string(key), object));
  return errors.size() > errors_before ? nullptr : function;
}

std::optional<Regions> JsonReading::regions(const OpDef& op, JsonValue object) {
  Regions regions;
  bool is_right = true;
  for (const std::string_view key : op.regions) {
    JsonValue given = object.find(key);
    if (!given) {
      add(DiagId::kMissingKey, object, fmt::format("a node of `{}`", op.name), key);
      is_right = false;
    } else if (given.is(JsonKind::kString)) {
      regions.push_back(function(given));
    } else if (expect(given, JsonKind::kObject, fmt::format("`{}`", key))) {
      regions.push_back(body(key, given));
    } else {
      is_right = false;
    }
    is_right = is_right && regions.back();
  }
  if (!is_right) return {};
  return regions;
}

}  // namespace cohort
