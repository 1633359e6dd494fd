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

// Runs `use` on what was parsed if there are no errors; gives the errors. `files_read` receives all files of
// the user's, sorted.
std::vector<Diagnostic> with_parsed(
    const std::string& path, std::vector<std::string>& files_read,
    const std::function<void(clang::ASTContext&, const clang::syntax::TokenBuffer&)>& use);

// A path without "./" and "dir/../".
std::string tidy_path(const std::string& path);
// Where the user sees it: of a macro where it is used.
Location location_of(const clang::SourceManager& sources, clang::SourceLocation at);
// In one of our private headers.
bool is_private(const clang::SourceManager& sources, clang::SourceLocation at);

}  // namespace cohort
