#include "ir/text_printer.h"

#include <algorithm>

#include "ir/json_quote.h"
#include "ir/literal.h"
#include "ir/sha256.h"

namespace cohort {
namespace {

bool is_plain(const std::string& name) {
  auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && is_letter(name[0]) && std::all_of(name.begin(), name.end(), [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9');
  });
}

// Appends the elements from `next` on that lie within one index of the axes before `axis`.
void append_list(const Tensor& tensor, std::size_t axis, std::int64_t& next, std::string& text) {
  if (axis == tensor.extents().size()) {
    text += number_text(tensor_element(tensor, next++));
    return;
  }
  text += '[';
  for (std::int64_t i = 0; i < tensor.extents()[axis]; ++i) {
    if (i > 0) text += ", ";
    append_list(tensor, axis + 1, next, text);
  }
  text += ']';
}

bool all_equal(const Tensor& tensor) {
  const auto width = static_cast<std::size_t>(dtype_bytes(tensor.dtype()));
  const auto bytes = static_cast<std::size_t>(tensor.bytes());
  return bytes <= width || std::memcmp(tensor.data(), tensor.data() + width, bytes - width) == 0;
}

std::string state_options(const State& state) {
  std::string text = state.is_settable ? "" : "settable = false";
  if (state.device != DeviceHint::kNone)
    text += fmt::format("{}device = {}", text.empty() ? "" : ", ", device_hint_name(state.device));
  return text.empty() ? text : " {" + text + "}";
}

}  // namespace

std::string text_name(const std::string& name) { return is_plain(name) ? name : json_quote(name); }

std::string data_text(const Tensor& tensor, const TextOptions& options) {
  if (tensor.size() == 0) return number_text({tensor.dtype(), 0});
  if (all_equal(tensor)) return number_text(tensor_element(tensor, 0));
  if (options.elide_above >= 0 && tensor.size() > options.elide_above) {
    std::string_view bytes(reinterpret_cast<const char*>(tensor.data()),
                           static_cast<std::size_t>(tensor.bytes()));
    return fmt::format("elided \"{}\"", sha256_hex(bytes).substr(0, 16));
  }
  std::string text;
  std::int64_t next = 0;
  append_list(tensor, 0, next, text);
  return text;
}

std::string attr_text(const Attr& value, const Dims& dims) {
  struct Printer {
    const Dims& dims;
    std::string operator()(bool flag) const { return flag ? "true" : "false"; }
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(double number) const {
      Scalar scalar{DType::kF64, 0};
      std::memcpy(&scalar.bits, &number, sizeof number);
      return number_text(scalar);
    }
    std::string operator()(const std::string& text) const { return json_quote(text); }
    std::string operator()(const IntList& list) const {
      std::string text = "[";
      for (const std::optional<std::int64_t>& entry : list) {
        if (text.size() > 1) text += ", ";
        text += entry ? std::to_string(*entry) : "null";
      }
      return text + "]";
    }
    std::string operator()(const Shape& shape) const { return to_string(shape, dims); }
    std::string operator()(DType dtype) const { return std::string(dtype_name(dtype)); }
    std::string operator()(const CustomRef&) const { return {}; }
    std::string operator()(const Strings& list) const {
      std::string text = "[";
      for (const std::string& entry : list) text += (text.size() > 1 ? ", " : "") + json_quote(entry);
      return text + "]";
    }
  };
  return std::visit(Printer{dims}, value);
}

std::vector<std::string> constant_references(const Module& module) {
  std::vector<std::string> references;
  int unnamed = 0;
  for (const Constant& constant : module.constants) {
    if (is_unnamed_scalar(constant)) {
      references.push_back(number_text(tensor_element(constant.data, 0)));
    } else {
      references.push_back("@" +
                           (constant.name.empty() ? std::to_string(unnamed++) : text_name(constant.name)));
    }
  }
  return references;
}

FunctionText::FunctionText(const Module& module, const Function& function, const TextOptions& options)
    : module_(module), function_(function), options_(options) {
  const std::vector<std::string> constants = constant_references(module);
  std::unordered_map<std::string_view, int> copies;
  int unnamed = 0;
  references_.reserve(function.values.size());
  for (const Value& value : function.values) {
    switch (value.kind) {
      case ValueKind::kState:
        references_.push_back("@" + text_name(module.states[value.index].name));
        continue;
      case ValueKind::kConstant:
        references_.push_back(constants[value.index]);
        continue;
      case ValueKind::kNode:
        if (!value.name.empty()) break;
        references_.push_back("%" + std::to_string(unnamed++));
        continue;
      case ValueKind::kInput:
        break;
    }
    // Passes may give one name to several values: all but the first are numbered.
    const int copy = ++copies[value.name];
    references_.push_back("%" + text_name(value.name) + (copy > 1 ? fmt::format("~{}", copy) : ""));
  }
}

bool FunctionText::is_literal(ValueId id) const {
  const Value& value = function_.value(id);
  return value.kind == ValueKind::kConstant && is_unnamed_scalar(module_.constants[value.index]);
}

std::string FunctionText::operand(ValueId id, bool with_dtype) const {
  if (!with_dtype) return references_[id];
  return fmt::format("{}:{}", references_[id], dtype_name(function_.type(id).dtype));
}

// Literals show their dtype only where the README's rule would give them another one.
std::string FunctionText::operands(const Node& node) const {
  std::vector<OperandDType> actual, settled;
  for (ValueId input : node.inputs) actual.push_back({function_.type(input).dtype, is_literal(input)});
  for (bool changed = true; changed;) {
    changed = false;
    settled = actual;
    for (std::size_t i = 0; i < settled.size(); ++i) {
      if (settled[i].is_literal) settled[i].dtype = natural_dtype(references_[node.inputs[i]]);
    }
    settle_literals(*node.op, node.attrs, settled);
    for (std::size_t i = 0; i < actual.size(); ++i) {
      if (!actual[i].is_literal || settled[i].dtype == actual[i].dtype) continue;
      actual[i].is_literal = false;
      changed = true;
    }
  }
  std::string text;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (i > 0) text += ", ";
    text += operand(node.inputs[i], is_literal(node.inputs[i]) && !actual[i].is_literal);
  }
  return text;
}

std::string FunctionText::node(NodeId id, int indent) const {
  const Node& node = function_.node(id);
  std::string names, types;
  for (ValueId result = node.first_result; result < node.first_result + node.result_count; ++result) {
    const char* comma = names.empty() ? "" : ", ";
    names += comma + references_[result];
    types += comma + to_string(function_.type(result), module_.dims);
  }
  if (node.result_count != 1) types = "(" + types + ")";
  std::string text = fmt::format("{} : {} = {}({})", names, types, node.op->name, operands(node));
  std::string attrs;
  for (const NamedAttr& attr : node.attrs) {
    auto spec = std::find_if(node.op->attrs.begin(), node.op->attrs.end(),
                             [&](const AttrSpec& s) { return s.name == attr.name; });
    if (std::holds_alternative<CustomRef>(attr.value)) continue;
    // As texts, for -0.0 is not the default 0.0.
    const std::string value = attr_text(attr.value, module_.dims);
    if (spec != node.op->attrs.end() && spec->fallback && attr_text(*spec->fallback, module_.dims) == value)
      continue;
    attrs += fmt::format("{}{} = {}", attrs.empty() ? "" : ", ", attr.name, value);
  }
  if (!attrs.empty()) text += " {" + attrs + "}";
  for (std::size_t r = 0; r < node.regions.size(); ++r) {
    const std::shared_ptr<const Function>& region = node.regions[r];
    const auto& named = module_.functions;
    text += " " + std::string(node.op->regions[r]);
    text += std::find(named.begin(), named.end(), region) != named.end()
                ? " = " + text_name(region->name)
                : FunctionText(module_, *region, options_).body(indent);
  }
  if (const DeviceHint device = module_.locations[node.loc].device; device != DeviceHint::kNone)
    text += fmt::format(" on {}", device_hint_name(device));
  const std::string& user = module_.locations[node.loc].user;
  if (options_.locations && !user.empty()) text += "  # loc " + json_quote(user);
  return text;
}

std::string FunctionText::function() const { return "func " + text_name(function_.name) + body(0) + "\n"; }

std::string FunctionText::body(int indent) const {
  const std::string begin(static_cast<std::size_t>(indent) + 2, ' ');
  std::string text = "(";
  for (std::size_t i = 0; i < function_.inputs.size(); ++i) {
    ValueId input = function_.inputs[i];
    text += fmt::format("{}{}: {}", i > 0 ? ", " : "", references_[input],
                        to_string(function_.type(input), module_.dims));
  }
  text += ") {\n";
  for (NodeId id = 0; id < function_.nodes.size(); ++id) text += begin + node(id, indent + 2) + "\n";
  for (const Output& output : function_.outputs) {
    const bool with_dtype = is_literal(output.value) &&
                            natural_dtype(references_[output.value]) != function_.type(output.value).dtype;
    text +=
        fmt::format("{}output {} = {}\n", begin, text_name(output.name), operand(output.value, with_dtype));
  }
  // A literal update takes the variable's dtype, which the invariants say it has.
  for (const Update& update : function_.updates) {
    text += fmt::format("{}update @{} = {}\n", begin, text_name(module_.states[update.state].name),
                        references_[update.value]);
  }
  return text + std::string(static_cast<std::size_t>(indent), ' ') + "}";
}

std::string print_text(const Module& module, const Function& function, const TextOptions& options) {
  return FunctionText(module, function, options).function();
}

std::string print_text(const Module& module, const TextOptions& options) {
  std::string text = "module " + text_name(module.name) + "\n";
  for (const NamedDim& dim : module.dims) text += fmt::format("dim {} {}..{}\n", dim.name, dim.min, dim.max);
  const std::vector<std::string> constants = constant_references(module);
  for (std::size_t i = 0; i < module.constants.size(); ++i) {
    const Constant& constant = module.constants[i];
    if (is_unnamed_scalar(constant)) continue;
    text += fmt::format("const {} : {} = {}\n", constants[i], to_string(constant.type, module.dims),
                        data_text(constant.data, options));
  }
  for (const State& state : module.states) {
    text += fmt::format("state @{} : {} = {}{}\n", text_name(state.name), to_string(state.type, module.dims),
                        data_text(state.init, options), state_options(state));
  }
  for (const auto& function : module.functions) text += print_text(module, *function, options);
  return text;
}

}  // namespace cohort
