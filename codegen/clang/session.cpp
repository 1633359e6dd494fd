#include "codegen/clang/session.h"

#include <clang/Basic/AllDiagnostics.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <llvm/Support/thread.h>

#include <algorithm>
#include <filesystem>

#include "codegen/clang/confined_files.h"
#include "codegen/clang/headers.h"

namespace cohort {

namespace {

// Its bytes are no tokens that could be copied.
constexpr const char* kNoEmbed = "`#embed` cannot be used";

// Whether the directive that the place is in is `#embed`: of a file that is not there clang says what it says
// of headers.
bool is_in_embed(const clang::SourceManager& sources, clang::SourceLocation at) {
  const auto [file, offset] = sources.getDecomposedExpansionLoc(at);
  const llvm::StringRef before = sources.getBufferData(file).substr(0, offset);
  llvm::StringRef line = before.substr(before.rfind('\n') + 1).ltrim();
  return line.consume_front("#") && line.ltrim().starts_with("embed");
}

// Errors of clang as diagnostics of ours.
class Errors : public clang::DiagnosticConsumer {
 public:
  explicit Errors(const RefusedFiles& refused) : refused_(refused) {}

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& info) override {
    DiagnosticConsumer::HandleDiagnostic(level, info);
    llvm::SmallString<256> text;
    info.FormatDiagnostic(text);
    Location where;
    bool is_ours = false, is_embed = false;
    if (info.hasSourceManager() && info.getLocation().isValid()) {
      const clang::SourceManager& sources = info.getSourceManager();
      clang::SourceLocation at = info.getLocation();
      is_ours = is_private(sources, at);
      is_embed = is_in_embed(sources, at);
      // Macros of the user's can break a header of ours: told where it is included.
      while (is_private(sources, at))
        at = sources.getIncludeLoc(sources.getFileID(sources.getExpansionLoc(at)));
      where = location_of(sources, at);
    }
    if (level >= clang::DiagnosticsEngine::Error) {
      if (info.getID() == clang::diag::err_cannot_open_file) {
        // Or the folder that it would be in.
        auto why = refused_.find(info.getArgStdStr(0));
        if (why == refused_.end())
          why = refused_.find(std::filesystem::path(info.getArgStdStr(0)).parent_path().string());
        if (why != refused_.end()) {
          found.push_back(why->second);
          found.back().location = std::move(where);
          return;
        }
      }
      if (is_embed) text = kNoEmbed;
      std::string message = text.str().str();
      std::replace(message.begin(), message.end(), '\'', '`');
      if (is_ours) {
        if (!found.empty()) return;  // told once
        message += ", in what is included here; a macro that stands before it may be why";
      }
      found.push_back(diagnostic(DiagId::kCustomSyntax, std::move(where), message));
      const bool header = message.ends_with("file not found");
      if (header) found.back().hint = "standard headers that can be included are " + known_headers();
    }
  }
  std::vector<Diagnostic> found;

 private:
  const RefusedFiles& refused_;
  static std::string known_headers() {
    std::string list;
    for (const auto& [name, text] : private_headers())
      if (name.find('.') == name.npos) list += (list.empty() ? "<" : ", <") + name + ">";
    return list;
  }
};

// What the user's pragmas say of warnings does not hold for the two that are errors here: a function without
// a result on some path has no meaning, and one whose value depends on the order of operands has several.
class Pragmas : public clang::PPCallbacks {
 public:
  explicit Pragmas(clang::DiagnosticsEngine& engine) : engine_(engine) {}
  void PragmaDiagnostic(clang::SourceLocation at, llvm::StringRef, clang::diag::Severity,
                        llvm::StringRef) override {
    for (const char* group : {"return-type", "unsequenced"})
      engine_.setSeverityForGroup(clang::diag::Flavor::WarningOrError, group, clang::diag::Severity::Error,
                                  at);
  }
  void EmbedDirective(clang::SourceLocation at, llvm::StringRef, bool, clang::OptionalFileEntryRef,
                      const clang::LexEmbedParametersResult&) override {
    engine_.Report(at, engine_.getCustomDiagID(clang::DiagnosticsEngine::Error, "%0")) << kNoEmbed;
  }

 private:
  clang::DiagnosticsEngine& engine_;
};

class Action : public clang::ASTFrontendAction {
 public:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance&, llvm::StringRef) override {
    return std::make_unique<clang::ASTConsumer>();
  }
  bool BeginSourceFileAction(clang::CompilerInstance& instance) override {
    collector.emplace(instance.getPreprocessor());
    instance.getPreprocessor().addPPCallbacks(std::make_unique<Pragmas>(instance.getDiagnostics()));
    return true;
  }
  std::optional<clang::syntax::TokenCollector> collector;
};

FileSystemRef with_files(const ParseRun& run, std::shared_ptr<RefusedFiles> refused) {
  auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  for (const auto& [path, text] : run.files)
    memory->addFile(path, 0, llvm::MemoryBuffer::getMemBufferCopy(text));
  auto files =
      llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(confined_files(run.folder, std::move(refused)));
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

// What was parsed lives between the begin and the end of the file.
struct Parsed::State {
  explicit State(const ParseRun& run) : refused(std::make_shared<RefusedFiles>()), errors(*refused) {
    clang::DiagnosticsEngine command_line(new clang::DiagnosticIDs, new clang::DiagnosticOptions, &errors,
                                          false);
    std::vector<const char*> arguments;
    for (const std::string& argument : run.arguments) arguments.push_back(argument.c_str());
    clang::CompilerInvocation::CreateFromArgs(instance.getInvocation(), arguments, command_line);
    instance.createDiagnostics(&errors, false);
    instance.createFileManager(with_files(run, refused));
    instance.createSourceManager(instance.getFileManager());
    is_open =
        instance.createTarget() && action.BeginSourceFile(instance, instance.getFrontendOpts().Inputs[0]);
    if (!is_open) return;
    llvm::consumeError(action.Execute());
    tokens.emplace(std::move(*action.collector).consume());
  }
  ~State() {
    if (is_open) action.EndSourceFile();
  }

  std::shared_ptr<RefusedFiles> refused;
  Errors errors;
  clang::CompilerInstance instance;
  Action action;
  std::optional<clang::syntax::TokenBuffer> tokens;
  bool is_open = false;
};

Parsed::Parsed(const ParseRun& run) {
  // Clang's parser recurses.
  constexpr std::optional<unsigned> kStack = 64 << 20;
  llvm::thread(kStack, [&] { state_ = std::make_unique<State>(run); }).join();
  const clang::SourceManager& sources = state_->instance.getSourceManager();
  for (auto it = sources.fileinfo_begin(); it != sources.fileinfo_end(); ++it) {
    const llvm::StringRef name = it->first.getName();
    if (!name.starts_with(kPrivateHeaders)) files_read_.push_back(tidy_path(name.str()));
  }
  std::sort(files_read_.begin(), files_read_.end());
  files_read_.erase(std::unique(files_read_.begin(), files_read_.end()), files_read_.end());
}
Parsed::~Parsed() = default;

const std::vector<Diagnostic>& Parsed::errors() const { return state_->errors.found; }
clang::ASTContext& Parsed::context() const { return state_->instance.getASTContext(); }
const clang::syntax::TokenBuffer& Parsed::tokens() const { return *state_->tokens; }

ParseRun header_run(const std::string& path, const std::string& folder) {
  return {{"-triple", "x86_64-unknown-linux-gnu", "-std=c++20", "-nostdsysteminc", "-internal-isystem",
           kPrivateHeaders, "-fsyntax-only", "-Wno-everything", "-Werror=return-type", "-Werror=unsequenced",
           "-Wsystem-headers", "-ffp-contract=off", "-fcxx-exceptions", "-fexceptions", "-ferror-limit", "20",
           "-x", "c++", path},
          in_private_folder(private_headers()),
          folder};
}

}  // namespace cohort
