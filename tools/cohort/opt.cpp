// cohort opt: runs graph passes on a graph and prints the result in the text form, or writes a graph file.
#include <fmt/format.h>

#include "compiler/pipeline.h"
#include "compiler/run_passes.h"
#include "ir/files.h"
#include "ir/json_writer.h"
#include "ir/text_printer.h"
#include "tools/cohort/command.h"
#include "tools/cohort/input.h"

namespace cohort {

namespace {

struct Options {
  GraphInput input;
  CompileOptions compile;
  std::vector<std::string> passes;
  std::string fp = "strict", output;
  bool list = false;
  bool time = false;
};

int list_passes() {
  for (const Pass& pass : all_passes()) fmt::print("{:<18} {}\n", pass.name, pass.description);
  return kExitOk;
}

void print_times(const PassRunner& runner) {
  for (const PassRun& run : runner.log())
    fmt::print(stderr, "{:>9.3f} ms  {:<18} {:<16} {:>8} nodes, then {:>8}{}\n", run.seconds * 1e3,
               run.pass->name, run.function, run.nodes_before, run.nodes_after,
               run.changed ? "" : "  (no change)");
}

int run(const Options& options) {
  if (options.list) return list_passes();
  PassRunner runner(load_graph(options.input), options.compile);
  if (options.passes.empty()) run_pipeline(runner);
  for (const std::string& name : options.passes) runner.run(known_pass(name));
  if (options.time) print_times(runner);
  const Module result = runner.finish();
  if (options.output.empty())
    fmt::print("{}", print_text(result));
  else
    write_module(options.output, result, {.read_from = folder_of(options.input.path)});
  return kExitOk;
}

}  // namespace

Action declare_opt(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("graph", options->input.path, "graph file, JSON or .txt");
  add_allow_path(app, options->input.allow_path);
  app.add_flag("--list", options->list, "list the passes");
  app.add_option("-o,--output", options->output, "write a graph file here instead of printing the text form");
  app.add_option("--passes", options->passes, "run just these passes, in this order")->delimiter(',');
  app.add_option("--disable", options->compile.disabled, "leave out a pass, or its n-th run: name or name:n")
      ->delimiter(',');
  app.add_option("--pass-limit", options->compile.pass_limit, "stop after so many runs of passes");
  app.add_option("--stop-after", options->compile.stop_after, "stop after the first run of this pass");
  app.add_option("--fp", options->fp, "strict, or fast: re-associating rules too")
      ->check(CLI::IsMember({"strict", "fast"}));
  app.add_option("--reproducer", options->compile.reproducer, "where to write a failing pass's input");
  app.add_flag("--verify-passes", options->compile.verify_passes,
               "run the function before and after every pass");
  app.add_flag("--print-changed", options->compile.print_changed,
               "print the function after each pass that changed it");
  app.add_flag("--time", options->time, "print how long each pass took");
  options->compile.reproducer = "cohort-reproducer.txt";
  app.parse_complete_callback([options] {
    if (!options->list && options->input.path.empty()) throw CLI::RequiredError("graph");
  });
  return [options] {
    options->compile.fast = options->fp == "fast";
    return run(*options);
  };
}

}  // namespace cohort
