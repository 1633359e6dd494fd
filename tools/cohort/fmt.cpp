// cohort fmt: graph files in canonical layout.
#include <fmt/format.h>

#include "ir/atomic_file.h"
#include "ir/files.h"
#include "ir/json_writer.h"
#include "ir/text_printer.h"
#include "tools/cohort/command.h"
#include "tools/cohort/input.h"

namespace cohort {
namespace {

struct FmtOptions {
  std::vector<std::string> paths;
  bool check = false, in_place = false, as_text = false;
};

std::string formatted(const std::string& path, bool as_text) {
  if (as_text || path.ends_with(".txt")) return print_text(load_graph({path, true}));
  return format_json(read_file(path), path);
}

int run(const FmtOptions& options) {
  bool all_formatted = true;
  for (const std::string& path : options.paths) {
    const std::string text = formatted(path, options.as_text);
    if (options.check) {
      if (text == read_file(path)) continue;
      all_formatted = false;
      fmt::print("{}: not formatted\n", path);
    } else if (options.in_place) {
      write_file(path, text);
    } else {
      fmt::print("{}", text);
    }
  }
  return all_formatted ? kExitOk : kExitDifference;
}

}  // namespace

Action declare_fmt(CLI::App& app) {
  auto options = std::make_shared<FmtOptions>();
  app.add_option("graph", options->paths, "graph files, JSON or .txt")->required();
  CLI::Option* check =
      app.add_flag("--check", options->check, "change nothing; exit code 5 if a file is not formatted");
  CLI::Option* in_place = app.add_flag("-i,--in-place", options->in_place, "write the files anew");
  app.add_flag("--text", options->as_text, "print the text form of a JSON graph")
      ->excludes(check)
      ->excludes(in_place);
  return [options] { return run(*options); };
}

}  // namespace cohort
