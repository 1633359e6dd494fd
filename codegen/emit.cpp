#include "codegen/emit.h"

#include "codegen/emit_files.h"
#include "codegen/emit_replay.h"

namespace cohort {

std::vector<Artefact> emit_module(const CompiledModule& compiled, const EmitOptions& options) {
  EmitContext context{compiled, options, name_module(compiled, options.prefix, options.instrument),
                      weight_bytes(compiled)};
  if (!context.lists_states()) append_state_directory(context);
  context.external_weights = context.weights.size() > options.inline_weights;
  plan_replays(context);
  std::vector<Artefact> files = emit_sources(context);
  const std::string& prefix = context.names.prefix;
  files.insert(files.begin(), {prefix + ".h", emit_header(context)});
  files.insert(files.begin() + 1, {prefix + ".hpp", emit_wrapper(context)});
  if (context.external_weights) files.push_back({context.weights_file(), context.weights});
  files.push_back({prefix + ".manifest.json", emit_manifest(context)});
  files.push_back({prefix + ".cmake", emit_cmake(context)});
  files.push_back({prefix + ".pc", emit_pkg_config(context)});
  return files;
}

}  // namespace cohort
