// cohort check: reads a graph, reports every error in it or says what is in it.
#include <fmt/format.h>

#include "compiler/pipeline.h"
#include "tools/cohort/command.h"
#include "tools/cohort/input.h"

namespace cohort {

Action declare_check(CLI::App& app) {
  auto input = std::make_shared<GraphInput>();
  app.add_option("graph", input->path, "graph file")->required();
  add_allow_path(app, input->allow_path);
  return [input] {
    const Module module = load_graph(*input);
    without_applied_functions(module);  // derivatives that do not exist are found when they are taken
    std::size_t nodes = 0;
    for (const auto& function : module.functions) nodes += function->nodes.size();
    fmt::print("{}: module `{}`: {} functions, {} nodes, {} state variables: no errors\n", input->path,
               module.name, module.functions.size(), nodes, module.states.size());
    return kExitOk;
  };
}

}  // namespace cohort
