// The machine's files as a header of the user's may include them: within the graph's folder, as everything
// else that a graph names (resolve_path), and regular files only.
#pragma once

#include <llvm/Support/VirtualFileSystem.h>

#include <map>
#include <memory>
#include <string>

#include "ir/diagnostics.h"

namespace cohort {

using FileSystemRef = llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>;
// Files that were refused and why.
using RefusedFiles = std::map<std::string, Diagnostic>;

// `folder`: "" allows all. `refused` receives what is refused, which is an error of permission for who reads
// it.
FileSystemRef confined_files(const std::string& folder, std::shared_ptr<RefusedFiles> refused);

}  // namespace cohort
