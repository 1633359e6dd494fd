// cohort: the command line. Finds the subcommand, runs it, and turns what went wrong into messages and exit
// codes.
#include <cstdio>
#include <exception>
#include <vector>

#include "ir/diagnostics.h"
#include "tools/cohort/command.h"

namespace cohort {
namespace {

constexpr Command kCommands[] = {
    {"compile", "make a C++ module from a graph", declare_compile},
    {"check", "read a graph and report every error in it", declare_check},
    {"inspect", "table of inputs, outputs, state, bytes and work", declare_inspect},
    {"explain", "which kernel computes a node, what was merged and why, where state lies", declare_explain},
    {"run", "call a function on arrays from files", declare_run},
    {"verify", "build a module and compare it with the interpreter", declare_verify},
    {"opt", "run graph passes and print what comes out", declare_opt},
    {"fmt", "graph files in canonical layout", declare_fmt},
    {"ops", "list the operators: operands, attributes, meaning, stated error", declare_ops},
    {"schema", "the JSON Schema of graph files", declare_schema},
    {"calibrate", "measure this machine for the cost models", declare_calibrate},
    {"diff", "how two interfaces differ, and what breaks callers", declare_diff},
    {"dot", "draw a function for Graphviz", declare_dot},
};

int report(const UserError& error) {
  for (const Diagnostic& d : error.diagnostics()) std::fprintf(stderr, "%s\n", to_string(d).c_str());
  if (error.diagnostics().size() > 1) std::fprintf(stderr, "%zu errors\n", error.diagnostics().size());
  return static_cast<int>(diagnostic_category(error.diagnostics().front().id));
}

int run(int argc, char** argv) {
  CLI::App app{"cohort: an ahead-of-time compiler for array graphs", "cohort"};
  app.set_version_flag("--version", "cohort " COHORT_VERSION);
  app.require_subcommand(1);
  std::vector<std::pair<CLI::App*, Action>> actions;
  for (const Command& command : kCommands) {
    CLI::App* sub = app.add_subcommand(command.name, command.summary);
    actions.emplace_back(sub, command.declare(*sub));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitOk : kExitUsage;
  }
  for (const auto& [sub, action] : actions)
    if (sub->parsed()) return action();
  return kExitUsage;
}

}  // namespace
}  // namespace cohort

int main(int argc, char** argv) {
  try {
    return cohort::run(argc, argv);
  } catch (const cohort::UserError& error) {
    return cohort::report(error);
  } catch (const std::exception& error) {
    std::fprintf(stderr,
                 "internal error: %s\nthis is a defect of cohort; please report it with the graph file\n",
                 error.what());
    return cohort::kExitInternal;
  }
}
