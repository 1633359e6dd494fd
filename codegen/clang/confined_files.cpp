#include "codegen/clang/confined_files.h"

#include <algorithm>
#include <filesystem>

#include "codegen/clang/headers.h"

namespace cohort {

namespace {

namespace fs = std::filesystem;

class Confined : public llvm::vfs::ProxyFileSystem {
 public:
  Confined(const std::string& folder, std::shared_ptr<RefusedFiles> refused)
      : ProxyFileSystem(llvm::vfs::getRealFileSystem()),
        is_confined_(!folder.empty()),
        refused_(std::move(refused)) {
    std::error_code error;
    if (is_confined_) folder_ = fs::weakly_canonical(folder, error);
  }

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine& path) override {
    if (const std::error_code error = check(path.str())) return error;
    return ProxyFileSystem::status(path);
  }
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const llvm::Twine& path) override {
    if (const std::error_code error = check(path.str())) return error;
    return ProxyFileSystem::openFileForRead(path);
  }

 private:
  // Of other files it is not even told whether they are there.
  std::error_code check(const std::string& path) {
    if (llvm::StringRef(path).starts_with(kPrivateHeaders))
      return std::make_error_code(std::errc::no_such_file_or_directory);
    std::error_code error;
    const fs::file_status found = fs::status(path, error);
    if (fs::is_directory(found)) return {};  // on the way to a file
    if (is_confined_) {
      const fs::path real = fs::weakly_canonical(path, error);
      const auto common = std::mismatch(folder_.begin(), folder_.end(), real.begin(), real.end());
      if (error || folder_.empty() || common.first != folder_.end())
        return refuse(path, diagnostic(DiagId::kPathEscapes, {}, path), "`--allow-path` allows it");
    }
    if (fs::exists(found) && !fs::is_regular_file(found))
      return refuse(path, diagnostic(DiagId::kFileUnreadable, {}, path, "it is no regular file"), "");
    return {};
  }
  std::error_code refuse(const std::string& path, Diagnostic why, std::string hint) {
    why.hint = std::move(hint);
    refused_->try_emplace(path, std::move(why));
    return std::make_error_code(std::errc::permission_denied);
  }

  bool is_confined_;
  fs::path folder_;  // canonical; empty: it has no such path, and nothing lies in it
  std::shared_ptr<RefusedFiles> refused_;
};

}  // namespace

FileSystemRef confined_files(const std::string& folder, std::shared_ptr<RefusedFiles> refused) {
  return llvm::makeIntrusiveRefCnt<Confined>(folder, std::move(refused));
}

}  // namespace cohort
