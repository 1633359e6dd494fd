#include "codegen/clang/session.h"

#include <clang/Frontend/FrontendAction.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <algorithm>
#include <filesystem>

#include "codegen/clang/headers.h"

namespace cohort {

namespace {

// Errors of clang as diagnostics of ours.
class Errors : public clang::DiagnosticConsumer {
 public:
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& info) override {
    DiagnosticConsumer::HandleDiagnostic(level, info);
    llvm::SmallString<256> text;
    info.FormatDiagnostic(text);
    Location where;
    if (info.hasSourceManager() && info.getLocation().isValid())
      where = location_of(info.getSourceManager(), info.getLocation());
    if (level >= clang::DiagnosticsEngine::Error) {
      std::string message = text.str().str();
      std::replace(message.begin(), message.end(), '\'', '`');
      found.push_back(diagnostic(DiagId::kCustomSyntax, std::move(where), message));
      const bool header = message.ends_with("file not found");
      if (header) found.back().hint = "standard headers that can be included are " + known_headers();
    }
  }
  std::vector<Diagnostic> found;

 private:
  static std::string known_headers() {
    std::string list;
    for (const auto& [name, text] : private_headers())
      if (name.find('.') == name.npos) list += (list.empty() ? "<" : ", <") + name + ">";
    return list;
  }
};

class Action : public clang::ASTFrontendAction {
 public:
  explicit Action(const UseParsed& use) : use_(use) {}

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance&, llvm::StringRef) override {
    return std::make_unique<clang::ASTConsumer>();
  }
  bool BeginSourceFileAction(clang::CompilerInstance& instance) override {
    collector_.emplace(instance.getPreprocessor());
    return true;
  }
  void EndSourceFileAction() override {
    const clang::syntax::TokenBuffer tokens = std::move(*collector_).consume();
    clang::CompilerInstance& instance = getCompilerInstance();
    if (!instance.getDiagnostics().hasErrorOccurred()) use_(instance.getASTContext(), tokens);
  }

 private:
  const UseParsed& use_;
  std::optional<clang::syntax::TokenCollector> collector_;
};

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> with_files(const Headers& given) {
  auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  for (const auto& [path, text] : given) memory->addFile(path, 0, llvm::MemoryBuffer::getMemBufferCopy(text));
  auto files = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(llvm::vfs::getRealFileSystem());
  files->pushOverlay(memory);
  return files;
}

}  // namespace

std::string tidy_path(const std::string& path) {
  return std::filesystem::path(path).lexically_normal().string();
}

Location location_of(const clang::SourceManager& sources, clang::SourceLocation at) {
  const clang::PresumedLoc place = sources.getPresumedLoc(sources.getExpansionLoc(at), false);
  if (place.isInvalid()) return {};
  return {tidy_path(place.getFilename()), static_cast<int>(place.getLine()),
          static_cast<int>(place.getColumn())};
}

bool is_private(const clang::SourceManager& sources, clang::SourceLocation at) {
  return sources.getFilename(sources.getExpansionLoc(at)).starts_with(kPrivateHeaders);
}

Headers in_private_folder(const Headers& headers) {
  Headers files;
  for (const auto& [name, text] : headers)
    files.emplace_back(std::string(kPrivateHeaders) + "/" + name, text);
  return files;
}

std::vector<Diagnostic> parse(const ParseRun& run, std::vector<std::string>& files_read,
                              const UseParsed& use) {
  Errors errors;
  clang::CompilerInstance instance;
  clang::DiagnosticsEngine command_line(new clang::DiagnosticIDs, new clang::DiagnosticOptions, &errors,
                                        false);
  std::vector<const char*> arguments;
  for (const std::string& argument : run.arguments) arguments.push_back(argument.c_str());
  clang::CompilerInvocation::CreateFromArgs(instance.getInvocation(), arguments, command_line);
  instance.createDiagnostics(&errors, false);
  instance.getDiagnosticOpts().ShowCarets = false;  // no count of errors on stderr
  instance.createFileManager(with_files(run.files));
  instance.createSourceManager(instance.getFileManager());
  Action action(use);
  instance.ExecuteAction(action);
  const clang::SourceManager& sources = instance.getSourceManager();
  for (auto it = sources.fileinfo_begin(); it != sources.fileinfo_end(); ++it) {
    const llvm::StringRef name = it->first.getName();
    if (!name.starts_with(kPrivateHeaders)) files_read.push_back(tidy_path(name.str()));
  }
  std::sort(files_read.begin(), files_read.end());
  files_read.erase(std::unique(files_read.begin(), files_read.end()), files_read.end());
  return std::move(errors.found);
}

std::vector<Diagnostic> with_parsed(const std::string& path, std::vector<std::string>& files_read,
                                    const UseParsed& use) {
  return parse(
      {{"-triple", "x86_64-unknown-linux-gnu", "-std=c++20", "-nostdsysteminc", "-internal-isystem",
        kPrivateHeaders, "-fsyntax-only", "-Wno-everything", "-Werror=return-type", "-ffp-contract=off",
        "-fcxx-exceptions", "-fexceptions", "-ferror-limit", "20", "-x", "c++", path},
       in_private_folder(private_headers())},
      files_read, use);
}

}  // namespace cohort
