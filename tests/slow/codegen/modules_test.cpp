// Emitted modules, compiled and called: the interface, warnings, threads, weights, sources in any number.
#include "tests/slow/codegen/models.h"
#include "tests/slow/codegen/support.h"
#include "tests/support/custom_functions.h"

using namespace cohort;
using namespace cohort::test;

TEST_CASE("case 7, case 30, case 31: the whole interface of a module") {
  const Scratch folder("interface of a module");
  emit_into(folder, kModel);
  build_and_run(folder, {"model.cpp"}, "model.cpp",
                {"-fsanitize=address,undefined", "-fno-sanitize-recover=all"});
}

TEST_CASE("the C++ wrapper") {
  const Scratch folder("wrapper");
  emit_into(folder, kModel);
  build_and_run(folder, {"model.cpp"}, "wrapper.cpp");
}

TEST_CASE("weights by .incbin, several sources, a folder with spaces") {
  const Scratch folder("weights and shards");
  EmitOptions options;
  options.inline_weights = 0;
  options.shards = 2;
  emit_into(folder, kModel, options);
  build_and_run(folder, {"model.cpp", "model_1.cpp"}, "model.cpp");
}

TEST_CASE("case 28, case 29: two modules in one program, 32 threads, under the thread sanitizer") {
  const Scratch folder("threads");
  emit_into(folder, kModel);
  EmitOptions options;
  options.prefix = "hostile";
  emit_into(folder, kHostile, options);
  build_and_run(folder, {"model.cpp", "hostile.cpp"}, "threads.cpp", {"-fsanitize=thread"});
}

TEST_CASE("bits do not depend on threads: through the hook under the thread sanitizer, and with OpenMP") {
  const Scratch folder("shared loops");
  emit_into(folder, kShared);
  build_and_run(folder, {"shared.cpp"}, "shared.cpp", {"-fsanitize=thread"});
  build_and_run(folder, {"shared.cpp"}, "shared.cpp", {"-fopenmp"});
}

TEST_CASE("without threads there is no trace of them") {
  const Scratch folder("one thread");
  CompileOptions one;
  one.threads = false;
  EmitOptions options;
  options.threads = false;
  for (const Artefact& file : emit_module(compile(read_module_text(kShared, "shared.json"), one), options)) {
    INFO(file.name);
    CHECK(file.bytes.find("parallel") == std::string::npos);
    CHECK(file.bytes.find("_gemm_shared") == std::string::npos);
  }
}

#ifdef COHORT_CLANG_LIBRARY
TEST_CASE("case 35: the style of a user's function is the user's") {
  const Scratch folder("careless");
  const Module module = read_module_text(
      R"({"format": "cohort-ir", "version": "1.0", "name": "careless", "functions": {"f": {"inputs": {"x": "f32[20]"},
        "nodes": [{"name": "y", "op": "custom", "source": "custom/careless.h", "function": "careless",
                   "inputs": ["x", 3]}], "outputs": {"y": "y"}}}})",
      "model.json", {.custom = custom_functions()});
  write_artefacts(folder.path(), emit_module(compile(module, {}), {}));
  for (const std::string program : {"g++", "clang++"}) {
    if (!is_installed(program)) continue;
    std::vector<std::string> command{program, "-std=c++20",      "-O1", "-c", folder.file("careless.cpp"),
                                     "-o",    folder.file("x.o")};
    const std::vector<std::string> strict = strict_flags(folder);
    command.insert(command.end(), strict.begin(), strict.end());
    must_run(command);
  }
}
#endif

TEST_CASE("case 35: headers and sources are clean under strict warnings, C11 and C++20, every compiler") {
  const Scratch folder("warnings");
  emit_into(folder, kModel);
  EmitOptions options;
  options.prefix = "hostile";
  emit_into(folder, kHostile, options);
  emit_into(folder, kShared);
  options.prefix = "counted";
  options.instrument = true;
  emit_into(folder, kHostile, options);
  std::ofstream(folder.file("include.c"))
      << "#include \"counted.h\"\n#include \"hostile.h\"\n#include \"model.h\"\nint nothing;\n";
  std::ofstream(folder.file("include.cpp"))
      << "#include \"counted.hpp\"\n#include \"hostile.hpp\"\n#include \"model.hpp\"\nint nothing;\n";
  for (const auto& [c, cpp] : {std::pair<std::string, std::string>{"gcc", "g++"}, {"clang", "clang++"}}) {
    if (!is_installed(c) || !is_installed(cpp)) {
      MESSAGE(c << " is not installed");
      continue;
    }
    const auto compile = [&](const std::string& program, const std::string& standard,
                             const std::string& source, const std::vector<std::string>& more) {
      std::vector<std::string> command{program, standard,          "-O1", "-c", folder.file(source),
                                       "-o",    folder.file("x.o")};
      const std::vector<std::string> strict = strict_flags(folder);
      command.insert(command.end(), strict.begin(), strict.end());
      command.insert(command.end(), more.begin(), more.end());
      must_run(command);
    };
    compile(c, "-std=c11", "include.c", {});
    compile(cpp, "-std=c++20", "include.cpp", {});
    for (const char* source : {"model.cpp", "hostile.cpp", "shared.cpp", "counted.cpp"}) {
      compile(cpp, "-std=c++20", source, {});
      compile(cpp, "-std=c++20", source, {"-DCOHORT_NO_CHECKS"});
    }
  }
}

TEST_CASE("functions named like what the emitter defines") {
  const Scratch folder("clashing");
  emit_into(folder, kClashing);
  std::vector<std::string> command{"c++", "-std=c++20", "-c", folder.file("m.cpp"), "-o", folder.file("m.o")};
  const std::vector<std::string> strict = strict_flags(folder);
  command.insert(command.end(), strict.begin(), strict.end());
  must_run(command);
}

TEST_CASE("the interface under clang++, checks and weights included") {
  if (!is_installed("clang++")) return;
  const Scratch folder("interface under clang");
  EmitOptions options;
  options.inline_weights = 0;
  emit_into(folder, kModel, options);
  build_and_run(folder, {"model.cpp"}, "model.cpp", {}, "clang++");
}

TEST_CASE("case 32: bytes do not depend on folder, locale, time zone or process") {
  const Scratch folder("determinism");
  std::ofstream(folder.file("model.json")) << kModel;
  fs::create_directories(folder.file("other folder"));
  fs::copy(folder.file("model.json"), folder.file("other folder/model.json"));
  must_run({COHORT_TOOL, "compile", "model.json", "-o", "a"}, folder.path());
  must_run({"env", "LC_ALL=de_DE.UTF-8", "TZ=Asia/Tokyo", COHORT_TOOL, "compile", "model.json", "-o", "a"},
           folder.file("other folder"));
  int compared = 0;
  for (const auto& entry : fs::directory_iterator(folder.file("a"))) {
    const std::string other = folder.file("other folder/a/" + entry.path().filename().string());
    CHECK(slurp(entry.path().string()) == slurp(other));
    ++compared;
  }
  CHECK(compared >= 8);
}
