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
  using Use = std::function<void(clang::ASTContext&, const clang::syntax::TokenBuffer&)>;
  explicit Action(const Use& use) : use_(use) {}

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
  const Use& use_;
  std::optional<clang::syntax::TokenCollector> collector_;
};

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files_with_headers() {
  auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  for (const auto& [name, text] : private_headers())
    memory->addFile(std::string(kPrivateHeaders) + "/" + name, 0, llvm::MemoryBuffer::getMemBufferCopy(text));
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

std::vector<Diagnostic> with_parsed(const std::string& path, std::vector<std::string>& files_read,
                                    const Action::Use& use) {
  Errors errors;
  clang::CompilerInstance instance;
  const char* const arguments[] = {"-triple",
                                   "x86_64-unknown-linux-gnu",
                                   "-std=c++20",
                                   "-nostdsysteminc",
                                   "-internal-isystem",
                                   kPrivateHeaders,
                                   "-fsyntax-only",
                                   "-Wno-everything",
                                   "-Werror=return-type",
                                   "-ffp-contract=off",
                                   "-fcxx-exceptions",
                                   "-fexceptions",
                                   "-ferror-limit",
                                   "20",
                                   "-x",
                                   "c++",
                                   path.c_str()};
  clang::DiagnosticsEngine command_line(new clang::DiagnosticIDs, new clang::DiagnosticOptions, &errors,
                                        false);
  clang::CompilerInvocation::CreateFromArgs(instance.getInvocation(), arguments, command_line);
  instance.createDiagnostics(&errors, false);
  instance.getDiagnosticOpts().ShowCarets = false;  // no count of errors on stderr
  instance.createFileManager(files_with_headers());
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

}  // namespace cohort
