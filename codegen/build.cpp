#include "codegen/build.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "codegen/recipe.h"
#include "codegen/spawn.h"
#include "ir/diagnostics.h"

namespace cohort {

namespace {

namespace fs = std::filesystem;

// $CXX as words. A path with spaces that names a file is one word, as users of spaces in paths expect.
std::vector<std::string> compiler_words(const BuildOptions& options) {
  std::string text = options.compiler;
  if (text.empty()) {
    const char* variable = std::getenv("CXX");
    text = variable && *variable ? variable : "c++";
  }
  std::error_code error;
  if (fs::is_regular_file(text, error)) return {text};
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (end > at) words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words.empty() ? std::vector<std::string>{"c++"} : words;
}

void run_or_fail(const std::vector<std::string>& command, const std::string& directory) {
  const ProcessResult result = run_process(command, directory);
  if (result.exit_code == 0) return;
  Diagnostic d = diagnostic(DiagId::kHostCompilerFailed, {}, command[0],
                            result.output.empty() ? "" : ":\n" + result.output);
  std::string line;
  for (const std::string& word : command) line += (line.empty() ? "" : " ") + word;
  d.notes.push_back("the command was: " + line);
  throw UserError(std::move(d));
}

bool is_clang(const std::vector<std::string>& compiler) {
  std::vector<std::string> command = compiler;
  command.emplace_back("--version");
  return run_process(command).output.find("clang") != std::string::npos;
}

// The program that compiles device code; an error where there is none.
std::string device_compiler(const BuildOptions& options) {
  std::string name = options.device_compiler;
  const char* variable = std::getenv("CUDACXX");
  if (name.empty() && variable && *variable) name = variable;
  if (!name.empty()) return name;
  for (const char* candidate : {"nvcc", "/usr/local/cuda/bin/nvcc"})
    if (run_process({candidate, "--version"}).exit_code == 0) return candidate;
  fail(DiagId::kNoDeviceCompiler);
}

bool is_nvcc(const std::string& compiler) { return fs::path(compiler).filename() == "nvcc"; }

// Of one source of device code, without what to compile.
std::vector<std::string> device_command(const std::string& compiler, const BuildOptions& options) {
  std::vector<std::string> command{compiler};
  if (!is_nvcc(compiler)) return command;
  command.insert(command.end(), kDeviceFlags.begin(), kDeviceFlags.end());
  command.insert(command.end(), {"-Xcompiler", "-fPIC"});
  std::vector<std::string> archs = options.architectures;
  if (archs.empty()) archs.assign(kDeviceArchitectures.begin(), kDeviceArchitectures.end());
  for (const std::string& arch : archs)
    command.push_back(fmt::format("-gencode=arch=compute_{0},code=sm_{0}", arch));
  command.push_back(fmt::format("-gencode=arch=compute_{0},code=compute_{0}", archs.back()));
  return command;
}

// CUDA's runtime as a static library, from where nvcc lies; cuBLAS as a shared one, which is found there
// again.
void add_cuda_runtime(const std::string& nvcc, bool blas, std::vector<std::string>& link) {
  const std::string home =
      nvcc == "nvcc" ? "/usr/local/cuda" : fs::path(nvcc).parent_path().parent_path().string();
  link.insert(link.end(), {"-L" + home + "/lib64", "-lcudart_static", "-ldl", "-lrt", "-lpthread"});
  if (blas) link.insert(link.end(), {"-lcublas", "-Wl,-rpath," + home + "/lib64"});
}

// The build folder of one run: objects and the library appear elsewhere only when whole.
class BuildFolder {
 public:
  explicit BuildFolder(const std::string& directory)
      : path_(fs::path(directory) / (".build." + std::to_string(::getpid()))) {
    std::error_code error;
    fs::create_directories(path_, error);
    if (error) fail(DiagId::kFileUnwritable, path_.string(), error.message());
  }
  ~BuildFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  BuildFolder(const BuildFolder&) = delete;
  BuildFolder& operator=(const BuildFolder&) = delete;
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

}  // namespace

std::string find_runtime() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) return {};
  const fs::path include = program.parent_path().parent_path() / "include";
  return fs::exists(include / "cohort" / "prelude.h", error) ? include.string() : std::string();
}

std::string build_module(const std::string& directory, const std::string& prefix,
                         const std::vector<std::string>& sources, const BuildOptions& options) {
  const std::string runtime = options.runtime.empty() ? find_runtime() : options.runtime;
  if (runtime.empty())
    fail(DiagId::kFileUnreadable, "cohort/prelude.h", "the runtime's headers do not lie beside the program");
  const fs::path folder = fs::absolute(directory);
  const BuildFolder scratch(directory);
  const std::vector<std::string> compiler = compiler_words(options);
  std::vector<std::string> flags(kRecipeFlags.begin(), kRecipeFlags.end());
  if (!options.march.empty()) flags.push_back("-march=" + options.march);
  if (is_clang(compiler)) flags.emplace_back(kClangWideFlag);
  flags.insert(flags.end(), {"-fPIC", "-I" + folder.string(), "-I" + runtime});
  flags.insert(flags.end(), options.flags.begin(), options.flags.end());
  std::vector<std::string> objects, link_words = options.link;
  for (const std::string& source : sources) {
    objects.push_back(fs::absolute(scratch.file(source + ".o")).string());
    std::vector<std::string> command = compiler;
    if (source.ends_with(".cu")) {
      const std::string device = device_compiler(options);
      command = device_command(device, options);
      command.insert(command.end(), {"-I" + folder.string(), "-I" + runtime});
      if (is_nvcc(device)) add_cuda_runtime(device, options.blas, link_words);
    } else {
      command.insert(command.end(), flags.begin(), flags.end());
    }
    command.insert(command.end(), {"-c", (folder / source).string(), "-o", objects.back()});
    run_or_fail(command, {});
  }
  const bool shared = options.kind == LibraryKind::kShared;
  const std::string name = "lib" + prefix + (shared ? ".so" : ".a"),
                    built = fs::absolute(scratch.file(name)).string();
  std::vector<std::string> link = compiler;
  if (shared) {
    link.insert(link.end(), {"-shared", "-o", built});
    link.insert(link.end(), options.flags.begin(), options.flags.end());
  } else {
    const char* archiver = std::getenv("AR");
    link = {archiver && *archiver ? archiver : "ar", "rcsD", built};
  }
  link.insert(link.end(), objects.begin(), objects.end());
  if (shared) link.insert(link.end(), link_words.begin(), link_words.end());
  run_or_fail(link, {});
  const fs::path target = folder / name;
  std::error_code error;
  fs::rename(built, target, error);
  if (error) fail(DiagId::kFileUnwritable, target.string(), error.message());
  return (fs::path(directory) / name).string();
}

}  // namespace cohort
