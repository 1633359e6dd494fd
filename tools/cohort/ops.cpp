// cohort ops: the operator tables as text or JSON.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>

#include "ir/op_def.h"
#include "tools/cohort/command.h"

namespace cohort {
namespace {

constexpr const char* kOperandNames[] = {"any",   "number", "number or bool", "integer", "integer or bool",
                                         "float", "bool",   "bool, then any"};
constexpr const char* kAttrKinds[] = {"bool", "int", "float", "string", "ints", "shape", "dtype"};

std::string arity(const OpDef& op) {
  if (op.min_inputs == op.max_inputs) return std::to_string(op.min_inputs);
  return fmt::format("{}{}", op.min_inputs,
                     op.max_inputs == kAnyNumber ? std::string("+") : fmt::format("-{}", op.max_inputs));
}

std::string_view meaning(const OpDef& op) {
  return op.scalar == ScalarOp::kNone ? op.meaning : scalar_op_info(op.scalar).meaning;
}

std::string attributes(const OpDef& op) {
  std::string text;
  for (const AttrSpec& spec : op.attrs)
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", spec.name, spec.required ? "" : "?");
  return text.empty() ? text : "{" + text + "}";
}

nlohmann::ordered_json to_json(const OpDef& op) {
  nlohmann::ordered_json row{{"name", op.name}, {"inputs", arity(op)}, {"meaning", meaning(op)}};
  if (op.scalar != ScalarOp::kNone) {
    const ScalarOpInfo& info = scalar_op_info(op.scalar);
    row["operands"] = kOperandNames[static_cast<int>(info.operands)];
    row["ulp"] = info.ulp;
  }
  for (const AttrSpec& spec : op.attrs)
    row["attrs"][std::string(spec.name)] = {{"kind", kAttrKinds[static_cast<int>(spec.kind)]},
                                            {"required", spec.required}};
  return row;
}

void print_table() {
  fmt::print("{:<18} {:>6}  {:<16} {:>5}  {}\n", "operator", "inputs", "operands", "ulp", "meaning");
  for (const OpDef* op : all_ops()) {
    const bool scalar = op->scalar != ScalarOp::kNone;
    const std::string attrs = attributes(*op);
    const std::string operands =
        scalar ? kOperandNames[static_cast<int>(scalar_op_info(op->scalar).operands)] : "";
    const std::string ulp = scalar ? fmt::format("{}", scalar_op_info(op->scalar).ulp) : "";
    fmt::print("{:<18} {:>6}  {:<16} {:>5}  {}{}{}\n", op->name, arity(*op), operands, ulp, attrs,
               attrs.empty() ? "" : "  ", meaning(*op));
  }
}

}  // namespace

Action declare_ops(CLI::App& app) {
  auto json = std::make_shared<bool>(false);
  app.add_flag("--json", *json, "print JSON");
  return [json] {
    if (!*json) {
      print_table();
      return kExitOk;
    }
    auto rows = nlohmann::ordered_json::array();
    for (const OpDef* op : all_ops()) rows.push_back(to_json(*op));
    fmt::print("{}\n", rows.dump(2));
    return kExitOk;
  };
}

}  // namespace cohort
