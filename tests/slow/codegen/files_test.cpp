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

TEST_CASE("case 34: a run that is killed leaves each file whole or absent") {
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

namespace {

// The tool in `folder` with every file limited to `blocks` of the shell's; more is an error of write, or a
// signal.
ProcessResult compile_limited(const Scratch& folder, int blocks, bool by_signal, const std::string& more) {
  const std::string trap = by_signal ? "" : "trap '' XFSZ; ";
  return run_process({"sh", "-c",
                      trap + fmt::format("ulimit -c 0; ulimit -f {}; exec '{}' compile model.json -o full {}",
                                         blocks, COHORT_TOOL, more)},
                     folder.path());
}

}  // namespace

TEST_CASE(
    "case 34: a disk that is full in mid-write leaves each file whole or absent, and the next run ends "
    "well") {
  const Scratch folder("full disk");
  std::ofstream(folder.file("model.json")) << kModel;
  const std::string target = "--depfile-target=model.stamp";
  must_run({COHORT_TOOL, "compile", "model.json", target, "-o", "whole"}, folder.path());
  const auto whole = contents(folder.file("whole"));
  int failed = 0;
  for (int blocks = 0; blocks < 60; blocks += 3) {
    for (const bool by_signal : {false, true}) {
      CAPTURE(blocks);
      CAPTURE(by_signal);
      fs::remove_all(folder.file("full"));
      const ProcessResult result = compile_limited(folder, blocks, by_signal, target);
      const auto found = contents(folder.file("full"));
      for (const auto& [name, bytes] : found) CHECK(bytes == whole.at(name));
      CHECK((result.exit_code == 0) == (found == whole));
      if (result.exit_code == 0) continue;
      ++failed;
      CHECK(!found.contains("model.stamp"));
      if (by_signal) continue;
      CHECK(result.exit_code == 3);
      CHECK(result.output.find("error[file_unwritable]") != std::string::npos);
      // Nothing half-written lies about under another name either.
      CHECK(std::distance(fs::directory_iterator(folder.file("full")), fs::directory_iterator()) ==
            static_cast<std::ptrdiff_t>(found.size()));
    }
  }
  CHECK(failed >= 10);
  must_run({COHORT_TOOL, "compile", "model.json", target, "-o", "full"}, folder.path());
  CHECK(contents(folder.file("full")) == whole);
}

TEST_CASE("case 34: no space left on the device") {
  const Scratch folder("no space");
  std::ofstream(folder.file("model.json")) << kModel;
  for (const std::string name : {"model.h", "model.cpp", "model.manifest.json", "model.d"}) {
    CAPTURE(name);
    fs::remove_all(folder.file("out"));
    fs::create_directories(folder.file("out"));
    fs::create_symlink("/dev/full", folder.file("out") + "/" + name);
    const ProcessResult result =
        run_process({COHORT_TOOL, "compile", "model.json", "-o", "out"}, folder.path());
    CHECK(result.exit_code == 3);
    CHECK(result.output.find("No space left on device") != std::string::npos);
  }
}

TEST_CASE("case 34: a library that cannot be written whole is not there") {
  const Scratch folder("full disk for a library");
  std::ofstream(folder.file("model.json")) << kModel;
  // Enough for the sources, too little for the object file.
  const ProcessResult result = compile_limited(folder, 100, false, "--build shared");
  CHECK(result.exit_code == 4);
  for (const auto& entry : fs::recursive_directory_iterator(folder.file("full"))) {
    const std::string name = entry.path().filename().string();
    CHECK_MESSAGE((!name.ends_with(".so") && !name.ends_with(".o") && !name.ends_with(".stamp")), name);
  }
  must_run({"env", "CXX=c++", COHORT_TOOL, "compile", "model.json", "-o", "full", "--build", "shared"},
           folder.path());
  CHECK(fs::exists(folder.file("full/libmodel.so")));
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
