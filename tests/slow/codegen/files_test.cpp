// What the tool leaves behind when it is killed, when it cannot write, and when nothing changed.
#include <fmt/format.h>

#include <chrono>
#include <map>

#include "tests/slow/codegen/models.h"
#include "tests/slow/codegen/support.h"

using namespace cohort;
using namespace cohort::test;

namespace {

std::map<std::string, std::string> contents(const std::string& folder) {
  std::map<std::string, std::string> out;
  if (!fs::exists(folder)) return out;
  for (const auto& entry : fs::directory_iterator(folder))
    if (!entry.path().filename().string().ends_with(".part"))
      out[entry.path().filename().string()] = slurp(entry.path().string());
  return out;
}

}  // namespace

TEST_CASE("a run that is killed leaves each file whole or absent") {
  const Scratch folder("killed");
  std::ofstream(folder.file("model.json")) << kModel;
  const std::string target = "--depfile-target=model.stamp";  // depfiles name the folder otherwise
  must_run({COHORT_TOOL, "compile", "model.json", target, "-o", "whole"}, folder.path());
  const auto whole = contents(folder.file("whole"));
  int cut_short = 0;
  for (int k = 0; k < 40; ++k) {
    fs::remove_all(folder.file("killed"));
    const std::string delay = fmt::format("{:.3f}", 0.001 * (k + 1));
    const ProcessResult result = run_process(
        {"timeout", "-s", "KILL", delay, COHORT_TOOL, "compile", "model.json", target, "-o", "killed"},
        folder.path());
    const auto found = contents(folder.file("killed"));
    for (const auto& [name, bytes] : found) CHECK(bytes == whole.at(name));
    cut_short += result.exit_code != 0 ? 1 : 0;
    // The stamp is the last: where it is, everything is.
    if (found.contains("model.stamp")) CHECK(found == whole);
  }
  MESSAGE(cut_short, " of 40 runs were killed before they ended");
  must_run({COHORT_TOOL, "compile", "model.json", target, "-o", "killed"}, folder.path());
  CHECK(contents(folder.file("killed")) == whole);
}

TEST_CASE("equal files keep their time stamps, the stamp does not") {
  const Scratch folder("time stamps");
  std::ofstream(folder.file("model.json")) << kModel;
  must_run({COHORT_TOOL, "compile", "model.json", "-o", "out"}, folder.path());
  const auto old = fs::file_time_type::clock::now() - std::chrono::hours(1);
  for (const auto& entry : fs::directory_iterator(folder.file("out"))) fs::last_write_time(entry.path(), old);
  must_run({COHORT_TOOL, "compile", "model.json", "-o", "out"}, folder.path());
  for (const auto& entry : fs::directory_iterator(folder.file("out"))) {
    const bool stamp = entry.path().extension() == ".stamp";
    CHECK((fs::last_write_time(entry.path()) > old) == stamp);
  }
}

TEST_CASE("what cannot be written, compiled or found has an exit code of its own") {
  const Scratch folder("exit codes");
  std::ofstream(folder.file("model.json")) << kModel;
  std::ofstream(folder.file("file")) << "";
  const auto exit_code = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"env", "CXX=c++", COHORT_TOOL, "compile"});
    return run_process(more, folder.path()).exit_code;
  };
  CHECK(exit_code({"model.json", "-o", "file/below"}) == 3);
  CHECK(exit_code({"absent.json"}) == 3);
  CHECK(exit_code({"model.json", "--shards", "0"}) == 2);
  CHECK(exit_code({"model.json", "-o", "a b", "--build", "static"}) == 0);
  CHECK(fs::exists(folder.file("a b/libmodel.a")));
  CHECK(exit_code({"model.json", "-o", "c", "--build", "shared", "--flag=-no-such-flag"}) == 4);
  CHECK(!fs::exists(folder.file("c/libmodel.so")));
  CHECK(!fs::exists(folder.file("c/model.stamp")));
  const ProcessResult absent =
      run_process({"env", "CXX=/no such/compiler", COHORT_TOOL, "compile", "model.json", "--build", "shared"},
                  folder.path());
  CHECK(absent.exit_code == 4);
  CHECK(absent.output.find("error[host_compiler_failed]") != std::string::npos);
}
