// One run of clang's parser in this process over a file with our private headers. Only .cpp files of this
// folder include it.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Tooling/Syntax/Tokens.h>

#include <functional>
#include <string>
#include <vector>

#include "ir/diagnostics.h"

namespace cohort {

using Headers = std::vector<std::pair<std::string, std::string>>;
using UseParsed = std::function<void(clang::ASTContext&, const clang::syntax::TokenBuffer&)>;

// One run: the command line of clang's own parser, and files in memory, by path.
struct ParseRun {
  std::vector<std::string> arguments;
  Headers files;
};
std::vector<Diagnostic> parse(const ParseRun& run, std::vector<std::string>& files_read,
                              const UseParsed& use);

// A header of the user's. Runs `use` on what was parsed if there are no errors; gives the errors.
// `files_read` receives all files of the user's, sorted.
std::vector<Diagnostic> with_parsed(const std::string& path, std::vector<std::string>& files_read,
                                    const UseParsed& use);
// Headers under the folder of our own.
Headers in_private_folder(const Headers& headers);

// A path without "./" and "dir/../".
std::string tidy_path(const std::string& path);
// Where the user sees it: of a macro where it is used.
Location location_of(const clang::SourceManager& sources, clang::SourceLocation at);
// In one of our private headers.
bool is_private(const clang::SourceManager& sources, clang::SourceLocation at);

}  // namespace cohort
