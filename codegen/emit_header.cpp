// NAME.h: what callers include.
#include <fmt/format.h>

#include <algorithm>

#include "codegen/emit_device.h"
#include "codegen/emit_files.h"
#include "codegen/text.h"
#include "ir/diagnostics.h"

namespace cohort {

namespace {

constexpr std::string_view kInterfaceTypes[kDTypeCount] = {
    "uint8_t",  "int8_t",   "int16_t",    "int32_t",     "int64_t", "uint8_t", "uint16_t",
    "uint32_t", "uint64_t", "cohort_f16", "cohort_bf16", "float",   "double"};

std::string argument_struct(const EmitContext& context, std::size_t index) {
  const Module& module = context.module();
  const Function& function = *module.functions[index];
  const FunctionNames& names = context.names.functions[index];
  const std::string symbol = context.names.prefix + "_" + names.identifier;
  std::string text =
      fmt::format("typedef struct {}_args {{\n  size_t struct_size; /* sizeof({}_args) */\n", symbol, symbol);
  for (std::size_t d = 0; d < names.dims.size(); ++d) {
    if (names.dims[d].empty()) continue;
    const NamedDim& dim = module.dims[d];
    text += fmt::format("  int64_t {}; /* {} to {} */\n", names.dims[d], dim.min, dim.max);
  }
  for (std::size_t k = 0; k < function.inputs.size(); ++k) {
    const Type& type = function.type(function.inputs[k]);
    text += fmt::format("  const {}* {}; /* {} */\n  size_t {}_bytes;\n", interface_type(type.dtype),
                        names.inputs[k], type_comment(type, module.dims), names.inputs[k]);
  }
  for (std::size_t k = 0; k < function.outputs.size(); ++k) {
    const Type& type = function.type(function.outputs[k].value);
    text += fmt::format("  {}* {}; /* out: {} */\n  size_t {}_bytes;\n", interface_type(type.dtype),
                        names.outputs[k], type_comment(type, module.dims), names.outputs[k]);
  }
  return text + fmt::format("}} {}_args;\n", symbol);
}

// "reads x; updates x, y" for the reader of the header.
std::string function_comment(const EmitContext& context, const Function& function) {
  std::string updates;
  constexpr std::size_t kShown = 6;
  for (std::size_t k = 0; k < std::min(function.updates.size(), kShown); ++k)
    updates += (k ? ", " : "") + comment_text(context.module().states[function.updates[k].state].name);
  if (function.updates.size() > kShown)
    updates += fmt::format(" and {} more", function.updates.size() - kShown);
  return fmt::format("/* `{}`{} */\n", comment_text(function.name),
                     updates.empty() ? "" : ": updates " + updates);
}

std::string state_offsets(const EmitContext& context) {
  const Module& module = context.module();
  if (!context.lists_states()) {
    return fmt::format(
        "/* The {0} state variables are reached by name: {1}_get, {1}_set; their offsets are in "
        "{1}.manifest.json. */\n\n",
        module.states.size(), context.names.prefix);
  }
  std::string text;
  for (std::size_t s = 0; s < module.states.size(); ++s) {
    const State& state = module.states[s];
    if (!is_contiguous(context.compiled.states[s], state.type)) continue;
    text += fmt::format("#define {}_OFFSET_{} ((size_t){}) /* `{}`: {}{} */\n", context.names.macro,
                        context.names.states[s], context.compiled.states[s].offset, comment_text(state.name),
                        type_comment(state.type, module.dims), state.is_settable ? "" : ", read only");
  }
  if (text.empty()) return text;
  return "/* State variables that lie in the workspace as one contiguous array, in bytes from its start. "
         "*/\n" +
         text + "\n";
}

constexpr std::string_view kFixedFunctions = R"(
/* Makes `workspace`, {2}_WORKSPACE_SIZE bytes aligned to {2}_WORKSPACE_ALIGN, usable. */
int32_t {0}_init(void* workspace, size_t workspace_bytes);
/* State back to its initial values. */
int32_t {0}_reset(void* workspace);
/* Copies a state variable out or in, by its name in the model; `data` is contiguous, row-major. */
int32_t {0}_get(void* workspace, const char* name, void* data, size_t bytes);
int32_t {0}_set(void* workspace, const char* name, const void* data, size_t bytes);
/* All state to or from a safetensors file; the keys are the names in the model. */
int32_t {0}_save(void* workspace, const char* path);
int32_t {0}_load(void* workspace, const char* path);
/* Where the operator `print` writes; null for nowhere. */
int32_t {0}_set_print(void* workspace, cohort_print_fn print, void* user);
{3}/* What the last call that failed saw; null if the workspace is not initialised. */
const cohort_error* {0}_error(const void* workspace);
/* The same in words: as snprintf, gives the length of the whole text. */
size_t {0}_error_text(const void* workspace, char* text, size_t bytes);
)";

constexpr std::string_view kSetParallel =
    "/* How large loops are shared among threads, also after a reset; null for OpenMP if the sources were\n"
    " * compiled with it, else one thread. Results are the same. */\n"
    "int32_t {0}_set_parallel(void* workspace, cohort_parallel_for_fn parallel_for, void* user);\n";

constexpr std::string_view kProfile =
    "/* What the calls on this workspace were like since its init, as JSON for `cohort compile --profile`: "
    "as\n"
    " * snprintf, gives the length of the whole text; 0 if the workspace is not initialised. */\n"
    "size_t {0}_profile(const void* workspace, char* text, size_t bytes);\n";

}  // namespace

bool is_contiguous(const StateLayout& layout, const Type& type) {
  std::int64_t run = 1;
  for (std::size_t axis = type.shape.size(); axis-- > 0;) {
    if (type.shape[axis].offset != 1 && layout.strides[axis] != run) return false;
    run *= type.shape[axis].offset;
  }
  return true;
}

std::string_view interface_type(DType dtype) { return kInterfaceTypes[static_cast<std::size_t>(dtype)]; }

std::string type_comment(const Type& type, const Dims& dims) { return comment_text(to_string(type, dims)); }

std::string bytes_expression(const Type& type, const std::vector<std::string>& dims, std::string_view from) {
  std::int64_t constant = dtype_bytes(type.dtype);
  std::string factors;
  for (const Dim& dim : type.shape) {
    if (dim.is_constant()) {
      constant *= dim.offset;
      continue;
    }
    std::string factor = fmt::format("{}{}", from, dims[dim.symbol]);
    if (dim.scale != 1) factor = fmt::format("{} * {}", dim.scale, factor);
    if (dim.offset != 0)
      factor = fmt::format("({} {} {})", factor, dim.offset < 0 ? "-" : "+", std::abs(dim.offset));
    factors += " * " + factor;
  }
  if (factors.empty()) return std::to_string(constant);
  return fmt::format("static_cast<size_t>({}{})", constant, factors);
}

std::string emit_header(const EmitContext& context) {
  const Module& module = context.module();
  const ModuleNames& names = context.names;
  std::string text = fmt::format("/* {}: the interface of module `{}`, made by {}. */\n", names.prefix + ".h",
                                 comment_text(module.name), context.options.tool);
  const std::string guard = fmt::format("COHORT_MODULE_{}_H", names.prefix);
  text += fmt::format("#ifndef {0}\n#define {0}\n\n#include \"cohort/abi.h\"\n\n", guard);
  text += "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
  text += fmt::format("#define {}_ABI_VERSION 1\n", names.macro);
  text += fmt::format("#define {}_WORKSPACE_SIZE ((size_t){})\n", names.macro, context.workspace_bytes());
  text += fmt::format("#define {}_WORKSPACE_ALIGN ((size_t){})\n\n", names.macro, kAlignment);
  text += state_offsets(context);
  text +=
      "/* Every function gives a status of `enum cohort_status`; 0 is success. One workspace per thread at a "
      "time. */\n";
  const std::string set_parallel =
      context.options.threads ? fmt::format(fmt::runtime(kSetParallel), names.prefix) : std::string();
  text += fmt::format(fmt::runtime(kFixedFunctions.substr(1)), names.prefix, 0, names.macro, set_parallel);
  if (context.options.instrument) text += fmt::format(fmt::runtime(kProfile), names.prefix);
  for (std::size_t f = 0; f < module.functions.size(); ++f) {
    const std::string symbol = names.prefix + "_" + names.functions[f].identifier;
    text += "\n" + function_comment(context, *module.functions[f]) + argument_struct(context, f);
    text += fmt::format("int32_t {0}(void* workspace, const {0}_args* args);\n", symbol);
    if (context.uses_device(f))
      text += fmt::format(
          "/* The same without waiting for the GPU: `args` and its arrays are the call's until {1}_wait. */\n"
          "int32_t {0}_async(void* workspace, const {0}_args* args);\n",
          symbol, names.prefix);
  }
  if (context.uses_device()) text += device_declarations(context);
  return text + "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
}

}  // namespace cohort
