// cohort compile: a graph file becomes a C++ module, and with --build a library.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "codegen/depfile.h"
#include "compiler/derive/split_loops.h"
#include "ir/files.h"
#include "ir/json_reader.h"
#include "ir/text_parser.h"
#include "tools/cohort/build_graph.h"
#include "tools/cohort/check_emitted.h"
#include "tools/cohort/clang_tools.h"
#include "tools/cohort/command.h"
#include "tools/cohort/input.h"
#include "tools/cohort/merge_option.h"

namespace cohort {
namespace {

struct Request {
  std::string graph;
  std::string directory = ".";
  std::string build;
  std::string depfile_target;
  CompileOptions compile;
  std::string fp = "strict", checkpoint = "none";
  std::string threads = "on";
  std::string target = "cpu";
  std::vector<std::string> profiles;
  std::string device_profile;
  ReadOptions read;
  EmitOptions emit;
  BuildOptions library;
  bool check = false, format = false;
};

// The text form holds all its data; JSON may name tensor files, which are told.
Module read_graph(Request& request, std::vector<std::string>& tensor_files,
                  std::vector<std::string>& headers) {
  request.read.custom = custom_reader(&headers);
  if (request.graph.ends_with(".txt"))
    return parse_text(read_file(request.graph), request.graph, request.read.custom);
  request.read.files_read = &tensor_files;
  return read_module(request.graph, request.read);
}

int run_compile(Request& request) {
  request.compile.fast = request.fp == "fast";
  if (request.target == "cpu") request.compile.placement = PlacementMode::kCpu;
  request.compile.threads = request.emit.threads = request.threads != "off";
  if (request.threads == "openmp") request.library.flags.emplace_back("-fopenmp");
  request.emit.tool = "cohort " COHORT_VERSION;
  std::vector<std::string> inputs{request.graph}, tensor_files, headers;
  Module module = read_graph(request, tensor_files, headers);
  if (request.checkpoint != "none") module = with_checkpoints(std::move(module), request.checkpoint);
  inputs.insert(inputs.end(), tensor_files.begin(), tensor_files.end());
  inputs.insert(inputs.end(), headers.begin(), headers.end());
  inputs.insert(inputs.end(), request.profiles.begin(), request.profiles.end());
  if (!request.device_profile.empty()) {
    inputs.push_back(request.device_profile);
    request.compile.device = read_device_profile(request.device_profile);
  }
  for (const std::string& path : request.profiles)
    add_profile(request.compile.profile, read_profile(path, module));
  std::optional<BuildOptions> build;
  if (!request.build.empty()) build = request.library;
  if (build) build->kind = request.build == "static" ? LibraryKind::kStatic : LibraryKind::kShared;
  std::string stamp;
  const auto depfile = [&](const std::string& prefix) -> Artefact {
    stamp = (std::filesystem::path(request.directory) / (prefix + ".stamp")).string();
    return {prefix + ".d",
            depfile_text(request.depfile_target.empty() ? stamp : request.depfile_target, inputs)};
  };
  ArtefactCheck inspected;
  if (request.check || request.format)
    inspected = [&](const CompiledModule& compiled, std::vector<Artefact>& files,
                    const std::vector<EmittedPlace>& places) {
      if (request.check) check_emitted(compiled, files, places);
      if (request.format) format_emitted(files);
    };
  const BuiltGraph built =
      build_graph(module, request.compile, request.emit, build, request.directory, depfile, inspected);
  for (const std::string& kept : built.kept) fmt::print(stderr, "note: {}\n", kept);
  if (build) fmt::print("{}\n", built.library);
  // The stamp is last: a run that was cut short leaves it old, and the next build tries again.
  write_stamp(stamp);
  return kExitOk;
}

void add_gpu_options(CLI::App& app, Request& request) {
  app.add_option("--target", request.target, "cpu, or cuda: kernels may run on a GPU")
      ->check(CLI::IsMember({"cpu", "cuda"}));
  static const std::map<std::string, PlacementMode> kPlacements{{"cpu", PlacementMode::kCpu},
                                                                {"gpu", PlacementMode::kGpu},
                                                                {"greedy", PlacementMode::kGreedy},
                                                                {"cut", PlacementMode::kCut}};
  request.compile.placement = PlacementMode::kGpu;
  app.add_option("--placement", request.compile.placement,
                 "with --target=cuda: gpu (all that can), cpu (nothing), cut (what is cheapest by the device "
                 "profile), greedy (what state leads to)")
      ->transform(CLI::CheckedTransformer(kPlacements))
      ->type_name("cpu|gpu|greedy|cut");
  static const std::map<std::string, BlasLibrary> kLibraries{{"none", BlasLibrary::kNone},
                                                             {"cublas", BlasLibrary::kCublas}};
  app.add_option("--blas", request.compile.blas,
                 "on a GPU, whose code large products run: none (ours), cublas (other last bits)")
      ->transform(CLI::CheckedTransformer(kLibraries))
      ->type_name("none|cublas");
  app.add_flag("--cuda-graph", request.compile.cuda_graph, "on a GPU, calls are captured and replayed");
  app.add_option("--arch", request.library.architectures,
                 "with --build: a GPU to compile for, such as 90; may be repeated; default: 80, 90, 100, 120")
      ->allow_extra_args(false);
}

void add_clang_options(CLI::App& app, Request& request) {
  app.add_flag("--check", request.check,
               "parse the emitted host and device code with clang first; nothing is written if it is wrong");
  app.add_flag("--format", request.format, "lay the emitted code out by the clang-format library");
}

}  // namespace

Action declare_compile(CLI::App& app) {
  auto request = std::make_shared<Request>();
  app.add_option("graph", request->graph, "the graph file")->required();
  app.add_option("-o,--output", request->directory, "folder for what is made");
  app.add_option("--build", request->build, "build a library with $CXX")
      ->check(CLI::IsMember({"shared", "static"}));
  app.add_option("--prefix", request->emit.prefix, "prefix of symbols and files; default: the module's name");
  app.add_option("--shards", request->emit.shards, "exactly so many C++ sources; default: as many as needed")
      ->check(CLI::PositiveNumber);
  app.add_option("--march", request->library.march, "instruction set for --build; default: this machine's");
  app.add_option("--flag", request->library.flags, "a further flag for $CXX with --build; may be repeated")
      ->allow_extra_args(false);
  add_merge_option(app, request->compile.merge);
  app.add_option("--disable", request->compile.disabled,
                 "leave a pass out, or its n-th run (pass:n); may be repeated")
      ->allow_extra_args(false);
  app.add_option("--pass-limit", request->compile.pass_limit, "stop after so many runs of passes");
  app.add_flag("--verify-passes", request->compile.verify_passes,
               "run each function before and after every pass");
  app.add_option("--fp", request->fp, "strict, or fast: re-associating rules too")
      ->check(CLI::IsMember({"strict", "fast"}));
  app.add_option(
         "--checkpoint", request->checkpoint,
         "memory for gradients of loops of n steps: none, of all; sqrt, of about sqrt(n), which are run "
         "again; step, the carried values of all, each of which is run again")
      ->check(CLI::IsMember({"none", "sqrt", "step"}));
  app.add_option(
         "--threads", request->threads,
         "large loops are shared by threads: off; on, through a hook, or OpenMP in sources compiled with "
         "it; openmp: the same, and --build compiles with it")
      ->check(CLI::IsMember({"on", "off", "openmp"}));
  add_gpu_options(app, *request);
  add_clang_options(app, *request);
  app.add_flag("--instrument", request->emit.instrument,
               "the module counts calls, values of dims and times of kernels, for --profile");
  app.add_option("--profile", request->profiles,
                 "what an instrumented module counted (cohort run --profile-out); may be repeated: the sum")
      ->allow_extra_args(false);
  app.add_option("--device-profile", request->device_profile,
                 "what the machine is like that it will run on, as cohort calibrate writes it");
  add_allow_path(app, request->read.allow_path);
  app.add_option("--depfile-target", request->depfile_target,
                 "target named in the depfile; default: the stamp");
  return [request] { return run_compile(*request); };
}

}  // namespace cohort
