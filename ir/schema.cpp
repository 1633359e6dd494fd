#include "ir/schema.h"

#include <nlohmann/json.hpp>

#include "ir/op_def.h"

namespace cohort {
namespace {

using Json = nlohmann::ordered_json;

Json reference(const char* name) { return {{"$ref", std::string("#/$defs/") + name}}; }

// An object with these keys and the user's own.
Json object(Json properties, Json required = Json::array()) {
  Json schema{{"type", "object"},
              {"properties", std::move(properties)},
              {"patternProperties", {{"^x-", true}}},
              {"additionalProperties", false}};
  if (!required.empty()) schema["required"] = std::move(required);
  return schema;
}

Json map_of(Json value) { return {{"type", "object"}, {"additionalProperties", std::move(value)}}; }

Json attr_schema(AttrKind kind) {
  switch (kind) {
    case AttrKind::kBool:
      return {{"type", "boolean"}};
    case AttrKind::kInt:
      return {{"type", "integer"}};
    case AttrKind::kFloat:
      return {{"type", {"number", "string"}}};
    case AttrKind::kString:
      return {{"type", "string"}};
    case AttrKind::kInts:
      return {{"type", "array"}, {"items", {{"type", {"integer", "null"}}}}};
    case AttrKind::kShape:
      return {{"type", "array"}, {"items", {{"type", {"integer", "string"}}}}};
    case AttrKind::kDType:
      return reference("dtype");
    case AttrKind::kStrings:
      return {{"type", "array"}, {"items", {{"type", "string"}}}};
    case AttrKind::kCustom:
      break;
  }
  return true;
}

// What an operator asks of `inputs` and `attrs` of its nodes.
Json op_rule(const OpDef& op) {
  Json attrs = Json::object(), required = Json::array();
  for (const AttrSpec& spec : op.attrs) {
    if (spec.kind == AttrKind::kCustom) continue;
    attrs[std::string(spec.name)] = attr_schema(spec.kind);
    if (spec.required && !op.attrs_in_node) required.push_back(spec.name);
  }
  Json inputs{{"minItems", op.min_inputs}};
  if (op.max_inputs != kAnyNumber) inputs["maxItems"] = op.max_inputs;
  Json then{{"properties", {{"inputs", std::move(inputs)}, {"attrs", object(std::move(attrs), required)}}}};
  Json keys = Json::array();
  if (op.min_inputs > 0 && !op.expand) keys.push_back("inputs");
  if (!required.empty()) keys.push_back("attrs");
  if (!keys.empty()) then["required"] = std::move(keys);
  return {{"if", {{"properties", {{"op", {{"const", op.name}}}}}}}, {"then", std::move(then)}};
}

Json device_schema() {
  return {{"enum", {"cpu", "gpu"}}, {"description", "where it is wanted, of a module for a GPU"}};
}

Json node_schema() {
  Json names = Json::array(), rules = Json::array();
  for (const OpDef* op : all_ops()) {
    names.push_back(op->name);
    rules.push_back(op_rule(*op));
  }
  Json string{{"type", "string"}};
  Json node =
      object({{"name", string},
              {"names", {{"type", "array"}, {"items", string}}},
              {"op", {{"enum", std::move(names)}}},
              {"inputs", {{"type", "array"}, {"items", reference("operand")}}},
              {"attrs", {{"type", "object"}}},
              {"type", reference("type")},
              {"loc", {{"type", "string"}, {"description", "where the node comes from: file:line:col"}}},
              {"device", device_schema()}},
             {"op"});
  // What some operators have in their nodes: functions, and attributes that may stand there.
  for (const OpDef* op : all_ops()) {
    for (const std::string_view region : op->regions) node["properties"][std::string(region)] = true;
    if (!op->attrs_in_node) continue;
    for (const AttrSpec& spec : op->attrs)
      if (spec.kind != AttrKind::kCustom) node["properties"][std::string(spec.name)] = true;
  }
  node["oneOf"] = {{{"required", {"name"}}}, {{"required", {"names"}}}};
  node["allOf"] = std::move(rules);
  return node;
}

Json definitions() {
  Json dtypes = Json::array();
  std::string alternatives;
  for (int i = 0; i < kDTypeCount; ++i) {
    std::string name(dtype_name(static_cast<DType>(i)));
    alternatives += (alternatives.empty() ? "" : "|") + name;
    dtypes.push_back(std::move(name));
  }
  Json string{{"type", "string"}};
  Json external{
      {"file", string}, {"key", string}, {"sha256", {{"type", "string"}, {"pattern", "^[0-9A-Fa-f]{64}$"}}}};
  Json constant = external;
  constant["type"] = reference("type");
  constant["data"] = reference("data");
  Json constant_schema = object(std::move(constant), {"type"});
  constant_schema["oneOf"] = {{{"required", {"data"}}}, {{"required", {"file"}}}};
  Json bound{{"type", "integer"}, {"minimum", 0}};
  return {
      {"dtype", {{"enum", std::move(dtypes)}}},
      {"type",
       {{"type", "string"},
        {"pattern", "^ *(" + alternatives + ") *\\[[^\\]]*\\] *$"},
        {"description", "a dtype and extents, such as f32[4,batch]"}}},
      {"dim", object({{"min", bound}, {"max", bound}}, {"min", "max"})},
      {"data",
       {{"anyOf",
         {{{"type", {"number", "boolean", "string"}}}, {{"type", "array"}, {"items", reference("data")}}}}}},
      {"operand",
       {{"description", "the name of an input, state variable, constant or node, or a literal"},
        {"anyOf",
         {{{"type", {"string", "number", "boolean"}}},
          {{"type", "object"},
           {"properties", {{"lit", string}}},
           {"required", {"lit"}},
           {"additionalProperties", false}}}}}},
      {"constant", std::move(constant_schema)},
      {"state", object({{"type", reference("type")},
                        {"init", {{"anyOf", {reference("data"), object(std::move(external), {"file"})}}}},
                        {"settable",
                         {{"type", "boolean"},
                          {"description", "false: nothing but calls, reset and load changes it"}}},
                        {"device", device_schema()}},
                       {"type", "init"})},
      {"node", node_schema()},
      {"function", object({{"inputs", map_of(reference("type"))},
                           {"nodes", {{"type", "array"}, {"items", reference("node")}}},
                           {"outputs", map_of(reference("operand"))},
                           {"updates", map_of(reference("operand"))}})}};
}

}  // namespace

std::string json_schema() {
  Json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "Cohort graph file"}};
  schema.update(object({{"format", {{"const", "cohort-ir"}}},
                        {"version", {{"const", "1.0"}}},
                        {"name", {{"type", "string"}}},
                        {"dims", map_of(reference("dim"))},
                        {"constants", map_of(reference("constant"))},
                        {"state", map_of(reference("state"))},
                        {"functions", map_of(reference("function"))}},
                       {"format", "version", "name", "functions"}));
  schema["$defs"] = definitions();
  return schema.dump(2) + "\n";
}

}  // namespace cohort
