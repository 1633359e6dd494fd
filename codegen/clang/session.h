// One run of clang's parser in this process over a file with our private headers. Only .cpp files of this
// folder include it.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Tooling/Syntax/Tokens.h>

#include <memory>
#include <string>
#include <vector>

#include "ir/diagnostics.h"

namespace cohort {

using Headers = std::vector<std::pair<std::string, std::string>>;

// One run: the command line of clang's own parser, and files in memory, by path.
struct ParseRun {
  std::vector<std::string> arguments;
  Headers files;
  std::string folder{};  // other files must lie in it (confined_files.h); "": anywhere
};
// The run for a header of the user's.
ParseRun header_run(const std::string& path, const std::string& folder);

// A file, parsed with all that it includes.
class Parsed {
 public:
  explicit Parsed(const ParseRun& run);
  ~Parsed();
  Parsed(const Parsed&) = delete;
  Parsed& operator=(const Parsed&) = delete;

  const std::vector<Diagnostic>& errors() const;
  // All files but ours, sorted.
  const std::vector<std::string>& files_read() const { return files_read_; }
  // If there are no errors.
  clang::ASTContext& context() const;
  const clang::syntax::TokenBuffer& tokens() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
  std::vector<std::string> files_read_;
};

// Headers under the folder of our own.
Headers in_private_folder(const Headers& headers);

// A path without "./" and "dir/../".
std::string tidy_path(const std::string& path);
// Where the user sees it: of a macro where it is used.
Location location_of(const clang::SourceManager& sources, clang::SourceLocation at);
// In one of our private headers.
bool is_private(const clang::SourceManager& sources, clang::SourceLocation at);

}  // namespace cohort
