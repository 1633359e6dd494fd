// cohort compile: a graph file becomes a C++ module, and with --build a library.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "codegen/build.h"
#include "codegen/depfile.h"
#include "codegen/emit.h"
#include "codegen/names.h"
#include "compiler/compiled.h"
#include "ir/json_reader.h"
#include "tools/cohort/command.h"
#include "tools/cohort/input.h"

namespace cohort {
namespace {

struct Request {
  std::string graph;
  std::string directory = ".";
  std::string build;
  std::string depfile_target;
  CompileOptions compile;
  std::string fp = "strict";
  ReadOptions read;
  EmitOptions emit;
  BuildOptions library;
};

// The text form holds all its data; JSON may name tensor files, which are told.
Module read_graph(Request& request, std::vector<std::string>& tensor_files) {
  if (request.graph.ends_with(".txt")) return load_graph({request.graph, request.read.allow_path});
  request.read.files_read = &tensor_files;
  return read_module(request.graph, request.read);
}

int run_compile(Request& request) {
  request.compile.fast = request.fp == "fast";
  std::vector<std::string> inputs{request.graph}, tensor_files;
  const CompiledModule compiled = compile(read_graph(request, tensor_files), request.compile);
  inputs.insert(inputs.end(), tensor_files.begin(), tensor_files.end());
  request.emit.tool = "cohort " COHORT_VERSION;
  std::vector<Artefact> files = emit_module(compiled, request.emit);
  const std::string prefix = name_module(compiled, request.emit.prefix).prefix;
  const std::string stamp = (std::filesystem::path(request.directory) / (prefix + ".stamp")).string();
  const std::string target = request.depfile_target.empty() ? stamp : request.depfile_target;
  files.push_back({prefix + ".d", depfile_text(target, inputs)});
  write_artefacts(request.directory, files);
  if (!request.build.empty()) {
    std::vector<std::string> sources;
    for (const Artefact& file : files)
      if (file.name.ends_with(".cpp")) sources.push_back(file.name);
    request.library.kind = request.build == "static" ? LibraryKind::kStatic : LibraryKind::kShared;
    fmt::print("{}\n", build_module(request.directory, prefix, sources, request.library));
  }
  // The stamp is last: a run that was cut short leaves it old, and the next build tries again.
  write_stamp(stamp);
  return kExitOk;
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
  app.add_option("--disable", request->compile.disabled,
                 "leave a pass out, or its n-th run (pass:n); may be repeated")
      ->allow_extra_args(false);
  app.add_option("--pass-limit", request->compile.pass_limit, "stop after so many runs of passes");
  app.add_flag("--verify-passes", request->compile.verify_passes,
               "run each function before and after every pass");
  app.add_option("--fp", request->fp, "strict, or fast: re-associating rules too")
      ->check(CLI::IsMember({"strict", "fast"}));
  app.add_flag("--allow-path", request->read.allow_path, "tensor files may lie outside the graph's folder");
  app.add_option("--depfile-target", request->depfile_target,
                 "target named in the depfile; default: the stamp");
  return [request] { return run_compile(*request); };
}

}  // namespace cohort
