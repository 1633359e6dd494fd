// cohort run: calls a function on arrays from files, by the interpreter or by a built module.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "compiler/pipeline.h"
#include "ir/atomic_file.h"
#include "ir/diagnostics.h"
#include "ir/interpreter.h"
#include "ir/tensor_files.h"
#include "tools/cohort/command.h"
#include "tools/cohort/engine.h"
#include "tools/cohort/input.h"

namespace cohort {
namespace {

struct RunOptions {
  GraphInput input;
  std::string function, library, state_file, save_state, output_dir, profile;
  std::vector<std::string> inputs;
  std::int64_t steps = 1;
  bool show_state = false;
};

std::vector<Tensor> read_inputs(const Module& module, const Function& function,
                                const std::vector<std::string>& given) {
  std::vector<Tensor> inputs(function.inputs.size());
  std::vector<bool> present(inputs.size());
  for (const std::string& option : given) {
    const auto [name, path] = split_assignment(option, "--input");
    std::size_t i = 0;
    while (i < inputs.size() && function.value(function.inputs[i]).name != name) ++i;
    if (i == inputs.size()) fail(DiagId::kUnknownInput, name, function.name);
    inputs[i] = read_tensor_file(path).front().data;
    present[i] = true;
  }
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (!present[i]) fail(DiagId::kMissingInput, function.value(function.inputs[i]).name, function.name);
  bind_dims(module, function, inputs);
  return inputs;
}

void load_state(const Module& module, const std::string& path, std::vector<Tensor>& state) {
  for (const NamedTensor& tensor : read_tensor_file(path)) {
    std::size_t s = 0;
    while (s < module.states.size() && module.states[s].name != tensor.name) ++s;
    if (s == module.states.size()) fail(DiagId::kUnknownStateInFile, path, tensor.name);
    const Type given{tensor.data.dtype(), Shape(tensor.data.extents().begin(), tensor.data.extents().end())};
    if (!(given == module.states[s].type))
      fail(DiagId::kStateTypeInFile, path, tensor.name, to_string(given, {}),
           to_string(module.states[s].type, {}));
    state[s] = tensor.data;
  }
}

// A path for output `name` inside `folder`: characters that a file name cannot hold become `_`.
std::string output_path(const std::string& folder, std::string name) {
  for (char& c : name)
    if (c == '/' || c == '\\' || c == '\0') c = '_';
  if (name.empty() || name == "." || name == "..") name = "_" + name;
  return (std::filesystem::path(folder) / (name + ".npy")).string();
}

int run(const RunOptions& options) {
  const Module module = without_applied_functions(load_graph(options.input));
  const Function& function = choose_function(module, options.function);
  const std::vector<Tensor> inputs = read_inputs(module, function, options.inputs);
  LoadedLibrary library;
  if (options.library.empty())
    library.engine = interpreter_engine(module);
  else
    library = load_library(module, options.library, !options.profile.empty());
  std::vector<Tensor> state = initial_state(module);
  if (!options.state_file.empty()) load_state(module, options.state_file, state);

  CallResult result;
  for (std::int64_t step = 0; step < options.steps; ++step) {
    result = library.engine(function, inputs, state);
    fmt::print("{}", result.printed);
  }
  for (std::size_t i = 0; i < function.outputs.size(); ++i) {
    const std::string& name = function.outputs[i].name;
    fmt::print("{} = {}\n", name, brief(result.outputs[i]));
    if (!options.output_dir.empty())
      write_file(output_path(options.output_dir, name), npy_bytes(result.outputs[i]));
  }
  if (options.show_state)
    for (std::size_t s = 0; s < state.size(); ++s)
      fmt::print("@{} = {}\n", module.states[s].name, brief(state[s]));
  if (!options.save_state.empty()) {
    std::vector<NamedTensor> tensors;
    for (std::size_t s = 0; s < state.size(); ++s) tensors.push_back({module.states[s].name, state[s]});
    write_file(options.save_state, safetensors_bytes(tensors));
  }
  if (!options.profile.empty()) write_file(options.profile, library.profile());
  return kExitOk;
}

}  // namespace

Action declare_run(CLI::App& app) {
  auto options = std::make_shared<RunOptions>();
  app.add_option("graph", options->input.path, "graph file")->required();
  app.add_option("--function", options->function, "which function (default: the only one)");
  app.add_option("--input", options->inputs, "NAME=PATH of an .npy file, once for each input");
  app.add_option("--steps", options->steps, "how often to call it")->check(CLI::PositiveNumber);
  CLI::Option* library = app.add_option("--module", options->library,
                                        "run this built shared library of the graph, not the interpreter")
                             ->check(CLI::ExistingFile);
  app.add_option("--profile-out", options->profile,
                 "write what the module, compiled with --instrument, has counted to this file")
      ->needs(library);
  app.add_option("--output-dir", options->output_dir, "write each output there as NAME.npy")
      ->check(CLI::ExistingDirectory);
  app.add_option("--state", options->state_file, "start from this .safetensors file of state");
  app.add_option("--save-state", options->save_state, "write all state to this .safetensors file at the end");
  app.add_flag("--show-state", options->show_state, "print all state at the end");
  add_allow_path(app, options->input.allow_path);
  return [options] { return run(*options); };
}

}  // namespace cohort
