// The subcommands of `cohort`: one file each, listed in main.cpp. A command declares its options on its CLI11
// app and returns what to do when it is chosen; that returns the exit code. Errors are thrown and reported by
// main.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <string>

namespace cohort {

using Action = std::function<int()>;

struct Command {
  const char* name;
  const char* summary;
  Action (*declare)(CLI::App& app);
};

// Exit codes: see the README. Codes 1, 3, 4 and 5 are the Category of the first diagnostic.
inline constexpr int kExitOk = 0;
inline constexpr int kExitGraph = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitDifference = 5;
inline constexpr int kExitInternal = 70;

// --allow-path, of every command that reads a graph.
inline void add_allow_path(CLI::App& app, bool& allow) {
  app.add_flag("--allow-path", allow, "let weights, headers and libraries lie outside the graph's folder");
}

Action declare_calibrate(CLI::App& app);
Action declare_check(CLI::App& app);
Action declare_compile(CLI::App& app);
Action declare_diff(CLI::App& app);
Action declare_dot(CLI::App& app);
Action declare_explain(CLI::App& app);
Action declare_fmt(CLI::App& app);
Action declare_inspect(CLI::App& app);
Action declare_ops(CLI::App& app);
Action declare_opt(CLI::App& app);
Action declare_run(CLI::App& app);
Action declare_schema(CLI::App& app);
Action declare_verify(CLI::App& app);

}  // namespace cohort
