#include "ir/schema.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "ir/op_def.h"

namespace cohort {

TEST_CASE("the schema knows every operator, its arity and its attributes") {
  const nlohmann::json schema = nlohmann::json::parse(json_schema());
  CHECK(schema["$schema"] == "https://json-schema.org/draft/2020-12/schema");
  const nlohmann::json& node = schema["$defs"]["node"];
  REQUIRE(node["allOf"].size() == all_ops().size());
  for (std::size_t i = 0; i < all_ops().size(); ++i) {
    const OpDef& op = *all_ops()[i];
    const nlohmann::json& rule = node["allOf"][i];
    CHECK(rule["if"]["properties"]["op"]["const"] == op.name);
    CHECK(rule["then"]["properties"]["inputs"]["minItems"] == op.min_inputs);
    const nlohmann::json& attrs = rule["then"]["properties"]["attrs"];
    std::size_t written = 0;
    for (const AttrSpec& spec : op.attrs) {
      if (spec.kind == AttrKind::kCustom) continue;
      ++written;
      CHECK(attrs["properties"].contains(spec.name));
      if (op.attrs_in_node) CHECK(node["properties"].contains(spec.name));
    }
    CHECK(attrs["properties"].size() == written);
    for (const std::string_view region : op.regions) CHECK(node["properties"].contains(region));
  }
  CHECK(schema["required"].is_array());
  CHECK(node["oneOf"].size() == 2);
  CHECK(schema["$defs"]["state"]["required"] == nlohmann::json::array({"type", "init"}));
}

}  // namespace cohort
