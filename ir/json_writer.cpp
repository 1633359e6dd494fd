#include "ir/json_writer.h"

#include <algorithm>
#include <filesystem>
#include <unordered_set>

#include "ir/atomic_file.h"
#include "ir/files.h"
#include "ir/json_quote.h"
#include "ir/literal.h"
#include "ir/text_printer.h"

namespace cohort {
namespace {

// A number inside `data`: strings where JSON has no number.
std::string device_field(DeviceHint device) {
  return device == DeviceHint::kNone ? "" : fmt::format(", \"device\": \"{}\"", device_hint_name(device));
}

std::string element_json(Scalar value) {
  std::string text = number_text(value);
  const bool is_number = text.find_first_not_of("0123456789.+-e") == text.npos;
  return is_number || value.dtype == DType::kBool ? text : json_quote(text);
}

void append_data(const Tensor& tensor, std::size_t axis, std::int64_t& next, std::string& text) {
  if (axis == tensor.extents().size()) {
    text += element_json(tensor_element(tensor, next++));
    return;
  }
  text += '[';
  for (std::int64_t i = 0; i < tensor.extents()[axis]; ++i) {
    if (i > 0) text += ", ";
    append_data(tensor, axis + 1, next, text);
  }
  text += ']';
}

std::string attr_json(const Attr& value, const Dims& dims) {
  if (const auto* number = std::get_if<double>(&value)) {
    std::string text = attr_text(*number, dims);
    return text.find_first_not_of("0123456789.+-e") == text.npos ? text : json_quote(text);
  }
  if (const auto* dtype = std::get_if<DType>(&value)) return json_quote(dtype_name(*dtype));
  if (const auto* shape = std::get_if<Shape>(&value)) {
    std::string text;
    for (const Dim& dim : *shape) {
      text += text.empty() ? "" : ", ";
      text += dim.is_constant() ? std::to_string(dim.offset) : json_quote(to_string(dim, dims));
    }
    return "[" + text + "]";
  }
  return attr_text(value, dims);
}

// The lines of an object or a list whose entries stand one a line.
class Block {
 public:
  Block(std::string& text, int depth, char open, char close) : text_(text), depth_(depth), close_(close) {
    text_ += open;
  }
  std::string& entry() {
    text_ += is_empty_ ? "\n" : ",\n";
    is_empty_ = false;
    return text_.append(static_cast<std::size_t>(2 * depth_), ' ');
  }
  std::string& entry(std::string_view key) { return entry() += json_quote(key) + ": "; }
  void close() {
    if (!is_empty_) text_.append("\n").append(static_cast<std::size_t>(2 * depth_ - 2), ' ');
    text_ += close_;
  }

 private:
  std::string& text_;
  int depth_;
  char close_;
  bool is_empty_ = true;
};

class ModuleWriter {
 public:
  ModuleWriter(const Module& module, const std::string& tensor_file, const WriteOptions& options,
               const std::string& folder)
      : module_(module), tensor_file_(tensor_file), options_(options), folder_(folder) {}
  WrittenModule write() &&;

 private:
  // How a value is referred to in one function, and whether as a literal.
  struct Names {
    std::vector<std::string> of_value;  // by ValueId; names and literals as JSON
    std::unordered_set<std::string> used;
  };

  std::string unique(const std::string& wanted, std::unordered_set<std::string>& used);
  void name_constant(ConstantId id);
  void name_globals();
  std::string tensor_fields(std::string_view name, const Tensor& tensor, std::string_view key);
  void constants(Block& root);
  void states(Block& root);
  std::string function(const Function& function);
  void name_values(const Function& function, Names& names);
  std::string operand(ValueId id, DType settled, const Function& function, const Names& names);
  DType natural(ValueId id, const Function& function, const Names& names) const;
  std::string node(const Function& function, const Node& node, const Names& names);
  std::string operands(const Function& function, const Node& node, const Names& names);
  Attr user_file(const OpDef& op, const NamedAttr& attr) const;

  const Module& module_;
  const std::string& tensor_file_;
  const WriteOptions& options_;
  const std::string& folder_;
  std::unordered_set<std::string> globals_;  // names of state variables and constants
  std::unordered_set<std::string> taken_;    // names of values of any function
  std::vector<std::string> constant_names_;  // by ConstantId; empty: not needed
  WrittenModule written_;
};

std::string ModuleWriter::unique(const std::string& wanted, std::unordered_set<std::string>& used) {
  std::string name = wanted;
  for (int i = 2; globals_.contains(name) || !used.insert(name).second; ++i)
    name = fmt::format("{}~{}", wanted, i);
  taken_.insert(name);
  return name;
}

void ModuleWriter::name_constant(ConstantId id) {
  if (!constant_names_[id].empty()) return;
  std::string name = unique("constant", taken_);
  globals_.insert(name);
  constant_names_[id] = std::move(name);
}

// Names that exist keep their meaning; those invented here differ from all of them.
void ModuleWriter::name_globals() {
  for (const State& state : module_.states) globals_.insert(state.name);
  for (const auto& function : module_.functions) {
    for (const Value& value : function->values) taken_.insert(value.name);
  }
  for (const Constant& constant : module_.constants) {
    constant_names_.push_back(constant.name);
    if (!constant.name.empty()) globals_.insert(constant.name);
  }
  for (ConstantId id = 0; id < module_.constants.size(); ++id) {
    if (!is_unnamed_scalar(module_.constants[id])) name_constant(id);
  }
}

std::string ModuleWriter::tensor_fields(std::string_view name, const Tensor& tensor, std::string_view key) {
  if (options_.inline_limit >= 0 && tensor.size() > options_.inline_limit) {
    written_.tensors.push_back({std::string(name), tensor});
    std::string fields = fmt::format("\"file\": {}, \"key\": {}", json_quote(tensor_file_), json_quote(name));
    return key == "init" ? "\"init\": {" + fields + "}" : fields;
  }
  std::string text = fmt::format("\"{}\": ", key);
  std::int64_t next = 0;
  if (tensor.size() == 0) return text + element_json({tensor.dtype(), 0});
  append_data(tensor, 0, next, text);
  return text;
}

void ModuleWriter::constants(Block& root) {
  std::string text;
  Block block(text, 2, '{', '}');
  bool is_empty = true;
  for (std::size_t i = 0; i < module_.constants.size(); ++i) {
    if (constant_names_[i].empty()) continue;
    const Constant& constant = module_.constants[i];
    block.entry(constant_names_[i]) +=
        fmt::format("{{\"type\": {}, {}}}", json_quote(to_string(constant.type, module_.dims)),
                    tensor_fields(constant_names_[i], constant.data, "data"));
    is_empty = false;
  }
  block.close();
  if (!is_empty) root.entry("constants") += text;
}

void ModuleWriter::states(Block& root) {
  if (module_.states.empty()) return;
  Block block(root.entry("state"), 2, '{', '}');
  for (const State& state : module_.states) {
    std::string fields = tensor_fields(state.name, state.init, "init");
    if (!state.is_settable) fields += ", \"settable\": false";
    fields += device_field(state.device);
    block.entry(state.name) +=
        fmt::format("{{\"type\": {}, {}}}", json_quote(to_string(state.type, module_.dims)), fields);
  }
  block.close();
}

void ModuleWriter::name_values(const Function& function, Names& names) {
  // Names that values have come first, so that invented ones make way for them.
  names.of_value.resize(function.values.size());
  auto is_own = [](const Value& value) {
    return value.kind == ValueKind::kInput || value.kind == ValueKind::kNode;
  };
  for (bool named : {true, false}) {
    for (ValueId id = 0; id < function.values.size(); ++id) {
      const Value& value = function.value(id);
      const bool has_name = value.kind == ValueKind::kInput || !value.name.empty();
      if (!is_own(value) || has_name != named) continue;
      names.of_value[id] = json_quote(unique(named ? value.name : fmt::format("_{}", id), names.used));
    }
  }
  for (ValueId id = 0; id < function.values.size(); ++id) {
    const Value& value = function.value(id);
    if (value.kind == ValueKind::kState) names.of_value[id] = json_quote(module_.states[value.index].name);
    if (value.kind != ValueKind::kConstant) continue;
    const bool is_literal = is_unnamed_scalar(module_.constants[value.index]);
    names.of_value[id] = is_literal ? "" : json_quote(constant_names_[value.index]);
  }
}

DType ModuleWriter::natural(ValueId id, const Function& function, const Names& names) const {
  if (!names.of_value[id].empty()) return function.type(id).dtype;
  return natural_dtype(number_text(tensor_element(module_.constants[function.value(id).index].data, 0)));
}

// A literal as JSON, or the name of a constant for it if the dtype it would get is not its own.
std::string ModuleWriter::operand(ValueId id, DType settled, const Function& function, const Names& names) {
  if (!names.of_value[id].empty()) return names.of_value[id];
  const ConstantId constant = function.value(id).index;
  const Scalar scalar = tensor_element(module_.constants[constant].data, 0);
  if (settled != scalar.dtype) {
    name_constant(constant);
    return json_quote(constant_names_[constant]);
  }
  std::string text = element_json(scalar);
  return text.front() == '"' ? "{\"lit\": " + text + "}" : text;
}

std::string ModuleWriter::operands(const Function& function, const Node& node, const Names& names) {
  std::vector<OperandDType> settled;
  for (ValueId input : node.inputs)
    settled.push_back({natural(input, function, names), names.of_value[input].empty()});
  // Literals that become constants are values to the others.
  std::vector<OperandDType> actual = settled;
  for (bool changed = true; changed;) {
    changed = false;
    settled = actual;
    settle_literals(*node.op, node.attrs, settled);
    for (std::size_t i = 0; i < settled.size(); ++i) {
      const DType own = function.type(node.inputs[i]).dtype;
      if (!actual[i].is_literal || settled[i].dtype == own) continue;
      actual[i] = {own, false};
      changed = true;
    }
  }
  std::string text;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const ConstantId constant = function.value(node.inputs[i]).index;
    const bool named = !names.of_value[node.inputs[i]].empty();
    text += i > 0 ? ", " : "";
    if (named || actual[i].is_literal) {
      text += operand(node.inputs[i], settled[i].dtype, function, names);
    } else {
      name_constant(constant);
      text += json_quote(constant_names_[constant]);
    }
  }
  return text;
}

// A header stands as seen from the folder that was read, a library as seen from the working folder.
Attr ModuleWriter::user_file(const OpDef& op, const NamedAttr& attr) const {
  const bool header = op.name == "custom" && attr.name == "source";
  if (options_.read_from.empty() || (!header && (op.name != "extern" || attr.name != "library")))
    return attr.value;
  namespace fs = std::filesystem;
  const fs::path file = std::get<std::string>(attr.value);
  if (file.empty()) return attr.value;
  const fs::path place = fs::absolute(header ? options_.read_from / file : file).lexically_normal();
  return place.lexically_relative(fs::absolute(folder_).lexically_normal()).generic_string();
}

std::string ModuleWriter::node(const Function& function, const Node& node, const Names& names) {
  std::string text = "{";
  if (node.result_count == 1) {
    text += "\"name\": " + names.of_value[node.first_result];
  } else {
    std::string list;
    for (std::uint32_t i = 0; i < node.result_count; ++i) {
      list += (i > 0 ? ", " : "") + names.of_value[node.first_result + i];
    }
    text += "\"names\": [" + list + "]";
  }
  text += ", \"op\": " + json_quote(node.op->name);
  if (!node.inputs.empty()) text += ", \"inputs\": [" + operands(function, node, names) + "]";
  std::string attrs;
  for (const NamedAttr& attr : node.attrs) {
    if (std::holds_alternative<CustomRef>(attr.value)) continue;
    std::string value = attr_json(user_file(*node.op, attr), module_.dims);
    auto spec = std::find_if(node.op->attrs.begin(), node.op->attrs.end(),
                             [&](const AttrSpec& s) { return s.name == attr.name; });
    const bool known = spec != node.op->attrs.end() && spec->fallback;
    if (known && attr_json(*spec->fallback, module_.dims) == value) continue;
    attrs += fmt::format("{}{}: {}", attrs.empty() ? "" : ", ", json_quote(attr.name), value);
  }
  if (!attrs.empty()) text += ", \"attrs\": {" + attrs + "}";
  const std::string& user = module_.locations[node.loc].user;
  if (!user.empty()) text += ", \"loc\": " + json_quote(user);
  text += device_field(module_.locations[node.loc].device);
  for (std::size_t r = 0; r < node.regions.size(); ++r) {
    const bool is_named = std::find(module_.functions.begin(), module_.functions.end(), node.regions[r]) !=
                          module_.functions.end();
    text += fmt::format(", {}: {}", json_quote(node.op->regions[r]),
                        is_named ? json_quote(node.regions[r]->name) : this->function(*node.regions[r]));
  }
  return text + "}";
}

std::string ModuleWriter::function(const Function& function) {
  Names names;
  name_values(function, names);
  std::string text;
  Block block(text, 3, '{', '}');
  if (!function.inputs.empty()) {
    Block inputs(block.entry("inputs"), 4, '{', '}');
    for (ValueId id : function.inputs) {
      inputs.entry() += names.of_value[id] + ": " + json_quote(to_string(function.type(id), module_.dims));
    }
    inputs.close();
  }
  if (!function.nodes.empty()) {
    Block nodes(block.entry("nodes"), 4, '[', ']');
    for (const Node& each : function.nodes) nodes.entry() += node(function, each, names);
    nodes.close();
  }
  if (!function.outputs.empty()) {
    Block outputs(block.entry("outputs"), 4, '{', '}');
    for (const Output& output : function.outputs) {
      outputs.entry(output.name) +=
          operand(output.value, natural(output.value, function, names), function, names);
    }
    outputs.close();
  }
  if (!function.updates.empty()) {
    Block updates(block.entry("updates"), 4, '{', '}');
    for (const Update& update : function.updates) {
      const State& state = module_.states[update.state];
      const DType settled = settle_literal(natural(update.value, function, names), state.type.dtype);
      updates.entry(state.name) += operand(update.value, settled, function, names);
    }
    updates.close();
  }
  block.close();
  return text;
}

WrittenModule ModuleWriter::write() && {
  name_globals();
  // Functions first: they decide which literals need to be constants.
  std::string functions;
  Block table(functions, 2, '{', '}');
  for (const auto& each : module_.functions) table.entry(each->name) += function(*each);
  table.close();
  Block root(written_.json, 1, '{', '}');
  root.entry("format") += "\"cohort-ir\"";
  root.entry("version") += "\"1.0\"";
  root.entry("name") += json_quote(module_.name);
  if (!module_.dims.empty()) {
    Block dims(root.entry("dims"), 2, '{', '}');
    for (const NamedDim& dim : module_.dims) {
      dims.entry(dim.name) += fmt::format("{{\"min\": {}, \"max\": {}}}", dim.min, dim.max);
    }
    dims.close();
  }
  constants(root);
  states(root);
  root.entry("functions") += functions;
  root.close();
  written_.json += '\n';
  return std::move(written_);
}

}  // namespace

WrittenModule write_module_text(const Module& module, const std::string& tensor_file,
                                const WriteOptions& options, const std::string& folder) {
  return ModuleWriter(module, tensor_file, options, folder).write();
}

void write_module(const std::string& path, const Module& module, const WriteOptions& options) {
  const std::filesystem::path tensors = std::filesystem::path(path).replace_extension(".safetensors");
  WrittenModule written = write_module_text(module, tensors.filename().string(), options, folder_of(path));
  AtomicFiles files;
  if (!written.tensors.empty()) files.add(tensors.string(), safetensors_bytes(written.tensors));
  files.add(path, written.json);
  files.commit();
}

}  // namespace cohort
