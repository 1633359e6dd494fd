// Projects that use an installed Cohort through find_package and cohort_add_graph: Ninja and Make, paths with
// spaces, nothing built again when nothing changed, and the right things when something did.
#include "ir/tensor_files.h"
#include "tests/slow/codegen/support.h"

using namespace cohort;
using namespace cohort::test;

namespace {

void write_weights(const Scratch& folder, double value) {
  Tensor weights(DType::kF32, {1536});
  for (std::int64_t k = 0; k < weights.size(); ++k) set_element(weights, k, value);
  std::ofstream(folder.file("source tree/model/weights.npy"), std::ios::binary) << npy_bytes(weights);
}

// The downstream project in a scratch folder, beside an installed Cohort.
struct Downstream {
  explicit Downstream(const std::string& name, const std::string& project = "downstream") : folder(name) {
    must_run({"cmake", "--install", COHORT_BINARY_DIR, "--prefix", folder.file("the prefix")});
    fs::copy(COHORT_SOURCE_DIR "/tests/cmake/" + project, folder.file("source tree"),
             fs::copy_options::recursive);
    if (project == "downstream") write_weights(folder, 1);
  }
  void configure(const std::string& generator, const std::vector<std::string>& more = {}) {
    std::vector<std::string> command{"cmake",
                                     "-S",
                                     folder.file("source tree"),
                                     "-B",
                                     folder.file("build tree"),
                                     "-G",
                                     generator,
                                     "-DCMAKE_PREFIX_PATH=" + folder.file("the prefix")};
    command.insert(command.end(), more.begin(), more.end());
    must_run(command);
  }
  std::string build() { return must_run({"cmake", "--build", folder.file("build tree")}); }
  std::string run() { return must_run({folder.file("build tree/downstream")}); }

  Scratch folder;
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

void check_rebuilds(const std::string& generator) {
  Downstream project("downstream " + generator);
  project.configure(generator);
  CHECK(has(project.build(), "Compiling graph scale"));
  CHECK(project.run() == "3072\n");
  CHECK(must_run({project.folder.file("build tree/wrapped")}) == "3072\n");
  const std::string again = project.build();
  INFO(again);
  CHECK(!has(again, "Compiling graph"));
  CHECK(!has(again, "Building C"));
  CHECK(!has(again, "Linking"));
  write_weights(project.folder, 2);
  CHECK(has(project.build(), "Compiling graph scale"));
  CHECK(project.run() == "6144\n");
  CHECK(!has(project.build(), "Compiling graph"));
  // Touched, but equal: the graph is compiled, nothing after it.
  write_weights(project.folder, 2);
  const std::string touched = project.build();
  INFO(touched);
  CHECK(has(touched, "Compiling graph scale"));
  CHECK(!has(touched, "scale.cpp.o"));
  CHECK(!has(project.build(), "Compiling graph"));
  // A graph that is wrong stops the build and is tried again.
  const std::string graph = project.folder.file("source tree/model/scale.json"), good = slurp(graph);
  std::ofstream(graph) << "{";
  CHECK(run_process({"cmake", "--build", project.folder.file("build tree")}).exit_code != 0);
  CHECK(run_process({"cmake", "--build", project.folder.file("build tree")}).exit_code != 0);
  std::ofstream(graph) << good;
  project.build();
  CHECK(project.run() == "6144\n");
}

}  // namespace

TEST_CASE("case 33: a downstream project with Ninja") {
  if (is_installed("ninja")) check_rebuilds("Ninja");
}

TEST_CASE("case 33: a downstream project with Make") { check_rebuilds("Unix Makefiles"); }

#ifdef COHORT_CLANG_LIBRARY
// A header that the header of a function of the user's includes is changed.
TEST_CASE("case 33: the header of a custom operator changes") {
  for (const std::string generator : {"Ninja", "Unix Makefiles"}) {
    if (generator == "Ninja" && !is_installed("ninja")) continue;
    Downstream project("custom " + generator, "custom");
    const std::string program = project.folder.file("build tree/custom");
    project.configure(generator);
    CHECK(has(project.build(), "Compiling graph own"));
    CHECK(must_run({program}) == "6\n");
    CHECK(!has(project.build(), "Compiling graph"));
    const std::string header = project.folder.file("source tree/model/our ops/factor.h");
    std::ofstream(header) << "#pragma once\nconstexpr float kFactor = 5;\n";
    CHECK(has(project.build(), "Compiling graph own"));
    CHECK(must_run({program}) == "15\n");
    CHECK(!has(project.build(), "Compiling graph"));
    // A function that is refused stops the build and is tried again.
    std::ofstream(header) << "#pragma once\ninline float kFactor = 5;\n";
    CHECK(run_process({"cmake", "--build", project.folder.file("build tree")}).exit_code != 0);
    std::ofstream(header) << "#pragma once\nconstexpr float kFactor = 7;\n";
    project.build();
    CHECK(must_run({program}) == "21\n");
  }
}
#endif

TEST_CASE("the tool of the machine that builds can be another than the package's") {
  Downstream project("host tool");
  fs::create_directories(project.folder.file("host tools"));
  std::ofstream(project.folder.file("host tools/cohort"))
      << "#!/bin/sh\necho through the host tool\nexec '" COHORT_TOOL "' \"$@\"\n";
  fs::permissions(project.folder.file("host tools/cohort"), fs::perms::all);
  project.configure("Unix Makefiles", {"-DCOHORT_EXECUTABLE=" + project.folder.file("host tools/cohort")});
  CHECK(has(project.build(), "through the host tool"));
  CHECK(project.run() == "3072\n");
}

TEST_CASE("artefacts and depfiles hold no absolute path") {
  Downstream project("relative");
  project.configure("Unix Makefiles");
  project.build();
  int files = 0;
  for (const auto& entry : fs::directory_iterator(project.folder.file("build tree/scale_graph.cohort"))) {
    CHECK(!has(slurp(entry.path().string()), COHORT_BINARY_DIR));
    ++files;
  }
  CHECK(files >= 9);
}
