#include "codegen/emit_entry.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "codegen/emit_device.h"
#include "codegen/emit_replay.h"
#include "codegen/text.h"
#include "compiler/kernel_passes/device_checks.h"

namespace cohort {

namespace {

std::string args_type(const EmitContext& context, std::size_t function) {
  return context.names.prefix + "_" + context.names.functions[function].identifier + "_args";
}

// The address of a buffer as an expression inside a part.
std::string address(const EmitContext& context, const PartInfo& info, kernel::BufferId id) {
  const CompiledFunction& compiled = *info.code;
  const kernel::Buffer& buffer = compiled.program.buffers[id];
  const Placement& place = compiled.placements[id];
  const std::string_view type = cpp_dialect().storage_type(buffer.dtype);
  if (place.space == Space::kWorkspace) return fmt::format("rt_place<{}>(workspace, {})", type, place.offset);
  if (place.space == Space::kDevice)
    return fmt::format("rt_place<{}>(header->device, {})", type, place.offset);
  if (place.space == Space::kWeights)
    return fmt::format("rt_place<{}>(static_cast<const void*>({}_weights), {})", type, context.names.prefix,
                       place.offset);
  const FunctionNames& names = context.names.functions[info.function];
  const bool input = buffer.kind == kernel::BufferKind::kInput;
  const std::string member = "args->" + (input ? names.inputs : names.outputs)[buffer.index];
  if (!is_half(buffer.dtype)) return member;
  return fmt::format("reinterpret_cast<{}{}*>({})", input ? "const " : "", type, member);
}

bool is_read_only(const CompiledFunction& compiled, kernel::BufferId id) {
  const kernel::BufferKind kind = compiled.program.buffers[id].kind;
  return kind == kernel::BufferKind::kConstant || kind == kernel::BufferKind::kInput;
}

std::string call_text(const EmitContext& context, const PartCall& part, std::size_t function,
                      const std::map<kernel::BufferId, std::string>& locals) {
  std::vector<std::string> args;
  if (part.kernel.bases) {
    args.emplace_back("workspace");
    args.push_back(context.weights.empty() ? "nullptr" : context.names.prefix + "_weights");
  }
  if (part.kernel.rows) {
    args.push_back(std::to_string(part.call.first_row));
    args.push_back(std::to_string(part.call.row_count));
  }
  if (part.kernel.header) args.emplace_back("header");
  for (const kernel::BufferId id : part.kernel.buffers) args.push_back(locals.at(id));
  for (const DimId d : part.kernel.dims) args.push_back("args->" + context.names.functions[function].dims[d]);
  std::string call = part.kernel.name + "(";
  for (std::size_t k = 0; k < args.size(); ++k) call += (k ? ", " : "") + args[k];
  call += ")";
  call = part.kernel.fails ? fmt::format("  if (const int32_t status = {}) return status;\n", call)
                           : "  " + call + ";\n";
  if (context.options.instrument)
    call += fmt::format("  since = rt_count_kernel(workspace, {}, since);\n", part.counters);
  if (part.aside.marks > 0) call += mark_text(context, function, part.aside.marks);
  return call;
}

std::string wait_text(const EmitContext& context, std::size_t function) {
  return fmt::format("  if (const int32_t status = rt_device_wait({}_device, header, {})) return status;\n",
                     context.names.prefix, c_string(context.module().functions[function]->name));
}

bool checks_on_gpu(const CompiledFunction& code) {
  const std::vector<kernel::Kernel>& kernels = code.program.kernels;
  return std::any_of(kernels.begin(), kernels.end(), [](const kernel::Kernel& k) {
    return k.device == kernel::Device::kGpu && kernel::has_checks(k.body);
  });
}

// Whether transfers of the function, or of calls before with the workspace, may be under way at its
// beginning.
bool begins_behind_transfers(const EmitContext& context, const PartInfo& info) {
  const std::vector<kernel::Kernel>& kernels = info.code->program.kernels;
  return context.uses_device(info.function) &&
         (transfers_workspace(context) || std::any_of(kernels.begin(), kernels.end(), kernel::is_transfer));
}

// A whole buffer to the other device.
std::string transfer_text(const EmitContext& context, const PartCall& part, const PartInfo& info,
                          const std::map<kernel::BufferId, std::string>& locals) {
  const kernel::Stmt& transfer = *part.transfer;
  const FunctionNames& names = context.names.functions[info.function];
  const kernel::Buffer& to = info.code->program.buffers[transfer.buffer];
  const std::string bytes = to.row_starts.empty()
                                ? bytes_expression(Type{to.dtype, to.shape}, names.dims, "args->")
                                : std::to_string(to.row_starts.back() * dtype_bytes(to.dtype));
  const bool up = to.device == kernel::Device::kGpu;
  std::vector<std::string> arguments{context.names.prefix + "_device",
                                     "header",
                                     c_string(context.module().functions[info.function]->name),
                                     locals.at(transfer.buffer),
                                     locals.at(transfer.buffers[0]),
                                     bytes};
  if (!part.aside.crosses) arguments.emplace_back(up ? "rt_to_device" : "rt_to_host");
  if (part.aside.waits > 0) arguments.push_back(std::to_string(part.aside.waits));
  const std::string_view name = !part.aside.crosses ? "rt_device_copy"
                                : up                ? "rt_send_aside"
                                                    : "rt_fetch_aside";
  return wrapped(fmt::format("  if (const int32_t status = {}(", name), arguments, "))\n") +
         "    return status;\n";
}

std::string argument_row(const Type& type, const Dims& dims, const std::string& name,
                         const std::string& original, const std::vector<std::string>& dim_names,
                         bool written) {
  return fmt::format("{{{}, {}, args->{}, args->{}_bytes, {}, {}, {}}}", c_string(original),
                     c_string(to_string(type, dims)), name, name, bytes_expression(type, dim_names, "args->"),
                     dtype_bytes(type.dtype), written);
}

std::string check_function(const EmitContext& context, std::size_t index, const std::string& name) {
  const Module& module = context.module();
  const Function& function = *module.functions[index];
  const FunctionNames& names = context.names.functions[index];
  const std::string type = args_type(context, index), shown = c_string(function.name);
  std::string text = fmt::format("static int32_t {}(void* workspace, const {}* args) {{\n", name, type);
  const std::string guarded = "  if (const int32_t status = {}) return status;\n";
  const std::string call =
      fmt::format("rt_check_call(this_module, {}, workspace, args, sizeof({}))", shown, type);
  const bool plain =
      function.inputs.empty() && function.outputs.empty() &&
      std::all_of(names.dims.begin(), names.dims.end(), [](const auto& d) { return d.empty(); });
  if (plain) return text + "  return " + call + ";\n}\n";
  text += fmt::format(fmt::runtime(guarded), call) +
          "  rt_workspace* header = static_cast<rt_workspace*>(workspace);\n";
  for (std::size_t d = 0; d < names.dims.size(); ++d) {
    if (names.dims[d].empty()) continue;
    const NamedDim& dim = module.dims[d];
    text += fmt::format(fmt::runtime(guarded),
                        fmt::format("rt_check_dim(header, {}, {}, args->{}, {}, {})", shown,
                                    c_string(dim.name), names.dims[d], dim.min, dim.max));
  }
  if (function.inputs.empty() && function.outputs.empty()) return text + "  return COHORT_OK;\n}\n";
  std::vector<std::string> rows;
  for (std::size_t k = 0; k < function.inputs.size(); ++k) {
    const Value& value = function.value(function.inputs[k]);
    rows.push_back(argument_row(value.type, module.dims, names.inputs[k], value.name, names.dims, false));
  }
  for (std::size_t k = 0; k < function.outputs.size(); ++k)
    rows.push_back(argument_row(function.type(function.outputs[k].value), module.dims, names.outputs[k],
                                function.outputs[k].name, names.dims, true));
  constexpr std::size_t kFew = 8;  // that are looked at in line
  if (rows.size() <= kFew)
    return text +
           fmt::format("  return rt_check_arguments(this_module, header, {},\n      rt_argument{});\n}}\n",
                       shown, fmt::join(rows, ",\n      rt_argument"));
  return text +
         fmt::format("  const rt_argument arguments[] = {{\n      {}}};\n", fmt::join(rows, ",\n      ")) +
         fmt::format("  return rt_check_argument_list(this_module, header, {}, arguments);\n}}\n", shown);
}

std::string part_calls(const std::vector<PartInfo>& parts, std::string_view indent) {
  std::string text;
  for (const PartInfo& part : parts)
    text += part.fails ? fmt::format("{}if (const int32_t status = {}(workspace, args)) return status;\n",
                                     indent, part.name)
                       : fmt::format("{}{}(workspace, args);\n", indent, part.name);
  return text;
}

// The parts of the function, or of its copy if the dims have its values.
std::string all_part_calls(const FunctionNames& names, const EntryPlan& plan) {
  std::string text;
  if (plan.copy) {
    std::string condition;
    for (const FixedDim& fixed : plan.copy->dims)
      condition += fmt::format("{}args->{} == {}", condition.empty() ? "" : " && ", names.dims[fixed.dim],
                               fixed.value);
    text = fmt::format("  if ({}) {{  // as in most calls\n{}    return COHORT_OK;\n  }}\n", condition,
                       part_calls(plan.copy_parts, "    "));
  }
  return text + part_calls(plan.parts, "  ");
}

}  // namespace

std::string emit_part(const EmitContext& context, const std::vector<PartCall>& calls, PartInfo& info) {
  const CompiledFunction& compiled = *info.code;
  Identifiers names{"workspace", "args", "header", "status", context.names.prefix + "_weights"};
  if (context.options.instrument) names.reserve("since");
  for (const PartCall& part : calls) names.reserve(part.kernel.name);
  std::map<kernel::BufferId, std::string> locals;
  std::string pointers, body;
  bool header = false;
  const auto buffer_of = [&](kernel::BufferId id) -> const kernel::Buffer& {
    return compiled.program.buffers[id];
  };
  const bool checks = checks_on_gpu(compiled);
  // Whether something on the GPU may still read or write memory of the host, or fail.
  bool pending = checks || begins_behind_transfers(context, info);
  for (const PartCall& part : calls) {
    header = header || part.kernel.header || part.transfer != nullptr;
    info.fails = info.fails || part.kernel.fails || part.transfer != nullptr;
    std::vector<kernel::BufferId> buffers = part.kernel.buffers;
    if (part.transfer) buffers = {part.transfer->buffer, part.transfer->buffers[0]};
    for (const kernel::BufferId id : buffers) {
      if (locals.contains(id)) continue;
      const kernel::Buffer& buffer = compiled.program.buffers[id];
      const bool on_gpu = buffer.device == kernel::Device::kGpu;
      const std::string& name = locals[id] = names.unique((on_gpu ? "device_" : "") + buffer.name);
      pointers += fmt::format("  {}{}* {} = {};  // {}\n", is_read_only(compiled, id) ? "const " : "",
                              cpp_dialect().storage_type(buffer.dtype), name, address(context, info, id),
                              type_comment(Type{buffer.dtype, buffer.shape}, context.module().dims));
    }
    const bool to_state =
        part.transfer && buffer_of(part.transfer->buffer).kind == kernel::BufferKind::kState;
    if (checks && to_state) {  // it changes only if nothing failed
      body += wait_text(context, info.function);
    }
    if (part.transfer) {
      body += transfer_text(context, part, info, locals);
      pending = true;
      continue;
    }
    if (pending && !part.on_gpu) {
      body += wait_text(context, info.function);
      header = info.fails = true;
      pending = false;
    }
    body += call_text(context, part, info.function, locals);
  }
  if (header) pointers = "  rt_workspace* header = static_cast<rt_workspace*>(workspace);\n" + pointers;
  std::string text =
      fmt::format("RT_PART {} {}([[maybe_unused]] void* workspace, [[maybe_unused]] const {}* args) {{\n",
                  info.fails ? "int32_t" : "void", info.name, args_type(context, info.function));
  text += pointers;
  if (context.options.instrument) text += "  [[maybe_unused]] uint64_t since = rt_clock();\n";
  text += body;
  if (info.fails) text += "  return COHORT_OK;\n";
  return text + "}\n";
}

std::string part_declaration(const EmitContext& context, const PartInfo& info) {
  return fmt::format("RT_PART {} {}(void* workspace, const {}* args);\n", info.fails ? "int32_t" : "void",
                     info.name, args_type(context, info.function));
}

std::string emit_entry(const EmitContext& context, const EntryPlan& plan) {
  const FunctionNames& names = context.names.functions[plan.function];
  const bool device = context.uses_device(plan.function), replayed = context.replays[plan.function] > 0;
  std::string text =
      "#ifndef COHORT_NO_CHECKS\n" + check_function(context, plan.function, plan.check) + "#endif\n";
  std::string parts = all_part_calls(names, plan);
  if (crosses_aside(context, plan.function)) {
    text += emit_aside(context, plan.function, plan.aside, parts);
    parts = emit_join(context, plan.function, plan.aside);
  }
  if (replayed) text += emit_replayed(context, plan.function, parts);
  text += fmt::format(
      "extern \"C\" int32_t {}_{}{}([[maybe_unused]] void* workspace, [[maybe_unused]] const {}* args) {{\n",
      context.names.prefix, names.identifier, device ? "_async" : "", args_type(context, plan.function));
  text += fmt::format(
      "#ifndef COHORT_NO_CHECKS\n  if (const int32_t status = {}(workspace, args)) return status;\n#endif\n",
      plan.check);
  if (device)
    text += fmt::format(
        "  if (const int32_t status = rt_device_ready(static_cast<rt_workspace*>(workspace), {}))\n"
        "    return status;\n",
        c_string(context.module().functions[plan.function]->name));
  else
    text += settle_text(context, plan.function);
  text += plan.count;
  if (replayed)
    text += emit_replay(context, plan.function) + "}\n";
  else
    text += parts + "  return COHORT_OK;\n}\n";
  if (!device) return text;
  return text + fmt::format(
                    "extern \"C\" int32_t {0}_{1}(void* workspace, const {2}* args) {{\n"
                    "  if (const int32_t status = {0}_{1}_async(workspace, args)) return status;\n"
                    "  return rt_device_wait({0}_device, static_cast<rt_workspace*>(workspace), {3});\n"
                    "}}\n",
                    context.names.prefix, names.identifier, args_type(context, plan.function),
                    c_string(context.module().functions[plan.function]->name));
}

std::string emit_module_record(const EmitContext& context) {
  const CompiledModule& compiled = context.compiled;
  const bool table = context.lists_states() && !compiled.module.states.empty();
  const std::string weights =
      context.weights.empty() ? "nullptr"
      : context.external_weights
          ? context.names.prefix + "_weights"
          : fmt::format("reinterpret_cast<const unsigned char*>({}_weights)", context.names.prefix);
  return fmt::format(
      "static const rt_module this_module = {{\n"
      "    .name = {},\n    .hash = {},\n    .workspace_bytes = {},\n    .state_offset = {},\n    "
      ".state_bytes = {},\n"
      "    .states = {},\n    .state_count = {},\n    .state_directory = {},\n    .weights = {},\n}};\n",
      c_string(compiled.module.name), hex64(context.hash), context.workspace_bytes(), compiled.header_bytes,
      compiled.state_bytes, table ? "states" : "nullptr", compiled.module.states.size(),
      context.state_directory, weights);
}

std::string emit_fixed_entries(const EmitContext& context) {
  constexpr std::string_view kEntries = R"(
extern "C" int32_t {0}_init(void* workspace, size_t workspace_bytes) {{
  {1}
}}
extern "C" int32_t {0}_reset(void* workspace) {{ return rt_reset(this_module, workspace); }}
extern "C" int32_t {0}_get(void* workspace, const char* name, void* data, size_t bytes) {{
  return rt_transfer(this_module, "get", workspace, name, data, bytes, false);
}}
extern "C" int32_t {0}_set(void* workspace, const char* name, const void* data, size_t bytes) {{
  return rt_transfer(this_module, "set", workspace, name, const_cast<void*>(data), bytes, true);
}}
extern "C" int32_t {0}_save(void* workspace, const char* path) {{
  return rt_save(this_module, workspace, path);
}}
extern "C" int32_t {0}_load(void* workspace, const char* path) {{
  return rt_load_state(this_module, workspace, path);
}}
)";
  constexpr std::string_view kCommon =
      R"(extern "C" int32_t {0}_set_print(void* workspace, cohort_print_fn print, void* user) {{
  return rt_set_print(this_module, workspace, print, user);
}}
extern "C" const cohort_error* {0}_error(const void* workspace) {{ return rt_error(this_module, workspace); }}
extern "C" size_t {0}_error_text(const void* workspace, char* text, size_t bytes) {{
  return rt_error_text(this_module, workspace, text, bytes);
}}
)";
  constexpr std::string_view kSetParallel =
      R"(extern "C" int32_t {0}_set_parallel(void* workspace, cohort_parallel_for_fn parallel_for,
                                        void* user) {{
  return rt_set_parallel(this_module, workspace, parallel_for, user);
}}
)";
  const std::string& prefix = context.names.prefix;
  std::string init = "return rt_init(this_module, workspace, workspace_bytes);";
  if (context.options.instrument)
    init = fmt::format(
        "const int32_t status = rt_init(this_module, workspace, workspace_bytes);\n"
        "  if (status == COHORT_OK) rt_clear_counters(workspace, {}, {});\n  return status;",
        context.counters(), context.counter_bytes);
  if (context.replay_bytes > 0)
    init = fmt::format(
        "const int32_t status = rt_init(this_module, workspace, workspace_bytes);\n"
        "  if (status == COHORT_OK) rt_clear_replays(workspace, {}, {});\n  return status;",
        context.after_workspace(), context.replay_bytes);
  std::string text = context.uses_device() ? emit_device_entries(context, init)
                                           : fmt::format(fmt::runtime(kEntries), prefix, init);
  text += fmt::format(fmt::runtime(kCommon), prefix);
  return context.options.threads ? text + fmt::format(fmt::runtime(kSetParallel), prefix) : text;
}

}  // namespace cohort
