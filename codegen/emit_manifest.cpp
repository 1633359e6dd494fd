// NAME.manifest.json: everything a loader needs to call the module without reading its header. Described by
// manifest.schema.json.
#include <nlohmann/json.hpp>

#include "codegen/emit_files.h"
#include "codegen/text.h"
#include "ir/sha256.h"

namespace cohort {

namespace {

using Json = nlohmann::ordered_json;

Json shape_json(const Shape& shape, const Dims& dims) {
  Json out = Json::array();
  for (const Dim& dim : shape) {
    if (dim.is_constant()) {
      out.push_back(dim.offset);
    } else {
      out.push_back({{"dim", dims[dim.symbol].name}, {"scale", dim.scale}, {"offset", dim.offset}});
    }
  }
  return out;
}

void add_type(Json& json, const Type& type, const Dims& dims) {
  json["type"] = to_string(type, dims);
  json["dtype"] = std::string(dtype_name(type.dtype));
  json["shape"] = shape_json(type.shape, dims);
}

Json array_json(const std::string& name, const std::string& identifier, const Type& type, const Dims& dims,
                std::size_t& at) {
  Json json = {{"name", name}, {"identifier", identifier}};
  add_type(json, type, dims);
  json["offset"] = at;            // of the pointer in the argument struct
  json["bytes_offset"] = at + 8;  // of its byte count
  at += 16;
  return json;
}

Json function_json(const EmitContext& context, std::size_t index) {
  const Module& module = context.module();
  const Function& function = *module.functions[index];
  const FunctionNames& names = context.names.functions[index];
  const std::string symbol = context.names.prefix + "_" + names.identifier;
  std::size_t at = 8;  // behind struct_size; every member takes 8 bytes
  Json dims = Json::array(), inputs = Json::array(), outputs = Json::array(), updates = Json::array();
  for (std::size_t d = 0; d < names.dims.size(); ++d) {
    if (names.dims[d].empty()) continue;
    dims.push_back({{"name", module.dims[d].name}, {"identifier", names.dims[d]}, {"offset", at}});
    at += 8;
  }
  for (std::size_t k = 0; k < function.inputs.size(); ++k) {
    const Value& value = function.value(function.inputs[k]);
    inputs.push_back(array_json(value.name, names.inputs[k], value.type, module.dims, at));
  }
  for (std::size_t k = 0; k < function.outputs.size(); ++k)
    outputs.push_back(array_json(function.outputs[k].name, names.outputs[k],
                                 function.type(function.outputs[k].value), module.dims, at));
  for (const Update& update : function.updates) updates.push_back(module.states[update.state].name);
  Json json = {{"name", function.name}, {"symbol", symbol},  {"args_type", symbol + "_args"},
               {"args_bytes", at},      {"dims", dims},      {"inputs", inputs},
               {"outputs", outputs},    {"updates", updates}};
  if (context.replays[index] > 0) json["replayed"] = true;
  return json;
}

Json states_json(const EmitContext& context) {
  const Module& module = context.module();
  Json out = Json::array();
  for (std::size_t s = 0; s < module.states.size(); ++s) {
    Json json = {{"name", module.states[s].name}, {"identifier", context.names.states[s]}};
    add_type(json, module.states[s].type, module.dims);
    json["offset"] = context.compiled.states[s].offset;
    json["strides"] = context.compiled.states[s].strides;
    if (!module.states[s].is_settable) json["settable"] = false;
    const StateId lead = lead_of(context.compiled, static_cast<StateId>(s));
    if (lead != s) json["equals"] = module.states[lead].name;
    out.push_back(std::move(json));
  }
  return out;
}

Json symbols_json(const EmitContext& context) {
  const std::string& prefix = context.names.prefix;
  const EmitOptions& options = context.options;
  Json out;
  for (const char* name : {"init", "reset", "get", "set", "save", "load", "set_print", "error", "error_text"})
    out[name] = prefix + "_" + name;
  if (options.threads) out["set_parallel"] = prefix + "_set_parallel";
  if (options.instrument) out["profile"] = prefix + "_profile";
  if (context.uses_device())
    for (const char* name : {"attach", "detach", "set_stream", "wait"}) out[name] = prefix + "_" + name;
  return out;
}

Json weights_json(const EmitContext& context) {
  const Module& module = context.module();
  Json constants = Json::array();
  for (const WeightEntry& entry : context.compiled.weights) {
    const Constant& constant = module.constants[entry.constant];
    if (constant.name.empty()) continue;
    Json json = {{"name", constant.name}};
    add_type(json, constant.type, module.dims);
    json["offset"] = entry.offset;
    constants.push_back(std::move(json));
  }
  Json json = {{"storage", context.weights.empty()    ? "none"
                           : context.external_weights ? "incbin"
                                                      : "inline"},
               {"file", context.external_weights ? Json(context.weights_file()) : Json()},
               {"bytes", context.weights.size()},
               {"sha256", sha256_hex(context.weights)},
               {"constants", constants}};
  if (!context.lists_states())
    json["state_directory"] = {{"offset", context.state_directory},
                               {"bytes", context.weights.size() - context.state_directory}};
  return json;
}

}  // namespace

std::string emit_manifest(const EmitContext& context) {
  const Module& module = context.module();
  const CompiledModule& compiled = context.compiled;
  Json dims = Json::array(), functions = Json::array();
  for (const NamedDim& dim : module.dims)
    dims.push_back({{"name", dim.name}, {"min", dim.min}, {"max", dim.max}});
  for (std::size_t f = 0; f < module.functions.size(); ++f) functions.push_back(function_json(context, f));
  const std::uint64_t temporaries = compiled.header_bytes + compiled.state_bytes;
  Json manifest = {
      {"format", "cohort-manifest"},
      {"version", "1.0"},
      {"tool", context.options.tool},
      {"abi", 1},
      {"module", {{"name", module.name}, {"prefix", context.names.prefix}, {"hash", hex64(context.hash)}}},
      {"files", {{"header", context.names.prefix + ".h"}, {"sources", context.sources}}},
      {"symbols", symbols_json(context)},
      {"workspace",
       {{"bytes", context.workspace_bytes()},
        {"alignment", kAlignment},
        {"header", {{"offset", 0}, {"bytes", compiled.header_bytes}}},
        {"state", {{"offset", compiled.header_bytes}, {"bytes", compiled.state_bytes}}},
        {"temporaries", {{"offset", temporaries}, {"bytes", compiled.workspace_bytes - temporaries}}}}},
      {"weights", weights_json(context)},
      {"dims", dims},
      {"functions", functions},
      {"state", states_json(context)},
  };
  if (context.options.instrument)
    manifest["workspace"]["counters"] = {{"offset", context.counters()}, {"bytes", context.counter_bytes}};
  if (context.uses_device()) {
    manifest["files"]["device_sources"] = {context.device_file()};
    manifest["device"] = {{"bytes", compiled.device_bytes}, {"alignment", 256}};
    if (compiled.device_blas > 0) manifest["device"]["blas"] = "cublas";
  }
  return manifest.dump(1) + "\n";
}

}  // namespace cohort
