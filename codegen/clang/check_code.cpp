#include "codegen/clang/check_code.h"

#include "codegen/clang/headers.h"
#include "codegen/clang/session.h"

namespace cohort {

namespace {

constexpr const char* kModule = "/cohort-module";

std::vector<std::string> arguments(const std::string& name, const std::string& runtime) {
  std::vector<std::string> all{
      "-std=c++20", "-nostdsysteminc", "-internal-isystem", kPrivateHeaders,   "-internal-isystem", runtime,
      "-I",         kModule,           "-fsyntax-only",     "-Wno-everything", "-ferror-limit",     "20"};
  if (name.ends_with(".cu"))
    all.insert(all.end(), {"-triple", "nvptx64-nvidia-cuda", "-aux-triple", "x86_64-unknown-linux-gnu",
                           "-target-cpu", "sm_80", "-fcuda-is-device", "-D__CUDACC__", "-x", "cuda"});
  else
    all.insert(all.end(), {"-triple", "x86_64-unknown-linux-gnu", "-x", "c++"});
  all.push_back(std::string(kModule) + "/" + name);
  return all;
}

}  // namespace

std::vector<Diagnostic> check_code(const std::vector<CodeFile>& files, const std::string& runtime) {
  Headers in_memory = in_private_folder(code_headers());
  for (const CodeFile& file : files)
    in_memory.emplace_back(std::string(kModule) + "/" + file.name, file.text);
  std::vector<Diagnostic> found;
  for (const CodeFile& file : files) {
    if (!file.name.ends_with(".cpp") && !file.name.ends_with(".cu")) continue;
    const Parsed parsed({arguments(file.name, runtime), in_memory});
    for (Diagnostic each : parsed.errors()) {
      // Named as it is in the folder of the module.
      if (each.location.file.starts_with(kModule))
        each.location.file.erase(0, std::string_view(kModule).size() + 1);
      found.push_back(std::move(each));
    }
  }
  return found;
}

}  // namespace cohort
