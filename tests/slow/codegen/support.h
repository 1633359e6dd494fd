// Shared by the tests that compile and run emitted modules.
#pragma once

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "codegen/emit.h"
#include "codegen/recipe.h"
#include "codegen/spawn.h"
#include "compiler/compiled.h"
#include "ir/json_reader.h"

namespace cohort::test {

namespace fs = std::filesystem;

// An empty folder under the build tree that vanishes with the object.
class Scratch {
 public:
  explicit Scratch(const std::string& name) : path_(fs::path(COHORT_BINARY_DIR) / "scratch" / name) {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~Scratch() { fs::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

inline std::vector<Artefact> emit_into(const Scratch& folder, const std::string& json,
                                       const EmitOptions& options = {}) {
  const auto files = emit_module(compile(read_module_text(json, "model.json"), {}), options);
  write_artefacts(folder.path(), files);
  return files;
}

inline bool is_installed(const std::string& program) {
  return run_process({program, "--version"}).exit_code == 0;
}

inline std::string slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Runs a command that must succeed; what it wrote is shown if it does not.
inline std::string must_run(const std::vector<std::string>& command, const std::string& directory = {}) {
  const ProcessResult result = run_process(command, directory);
  std::string line;
  for (const std::string& word : command) line += word + ' ';
  INFO(line << "\n" << result.output);
  REQUIRE(result.exit_code == 0);
  return result.output;
}

inline std::vector<std::string> strict_flags(const Scratch& folder) {
  return {"-Wall",    "-Wextra", "-Wpedantic",         "-Wconversion",
          "-Wshadow", "-Werror", "-I" + folder.path(), "-I" COHORT_SOURCE_DIR "/runtime/include"};
}

// Compiles sources and a driver of tests/slow/codegen/drivers with the recipe's flags and runs the program.
inline std::string build_and_run(const Scratch& folder, std::vector<std::string> sources,
                                 const std::string& driver, const std::vector<std::string>& flags = {},
                                 const std::string& compiler = "c++") {
  std::vector<std::string> command{compiler};
  command.insert(command.end(), kRecipeFlags.begin(), kRecipeFlags.end());
  const std::vector<std::string> strict = strict_flags(folder);
  command.insert(command.end(), strict.begin(), strict.end());
  command.insert(command.end(), flags.begin(), flags.end());
  for (std::string& source : sources) command.push_back(folder.file(source));
  const std::string program = folder.file("program");
  command.insert(command.end(),
                 {COHORT_SOURCE_DIR "/tests/slow/codegen/drivers/" + driver, "-pthread", "-o", program});
  must_run(command);
  return must_run({program, folder.path()});
}

}  // namespace cohort::test
