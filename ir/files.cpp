#include "ir/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "ir/diagnostics.h"

namespace cohort {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_at(const std::string& shown, DiagId id, const std::string& reason) {
  throw UserError(diagnostic(id, Location{shown, 0, 0}, shown, reason));
}

// Opens for reading and refuses folders; gives the descriptor and fills `info`.
int open_for_reading(const std::string& path, const std::string& shown, struct stat& info) {
  if (path.empty() || path.find('\0') != std::string::npos) {
    fail_at(shown, DiagId::kFileUnreadable, "this is no file name");
  }
  // Non-blocking, so that a named pipe without a writer is no trap; it makes no difference to regular files.
  int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) fail_at(shown, DiagId::kFileUnreadable, std::strerror(errno));
  if (::fstat(descriptor, &info) != 0 || S_ISDIR(info.st_mode)) {
    ::close(descriptor);
    fail_at(shown, DiagId::kFileUnreadable, "it is a folder");
  }
  return descriptor;
}

// Lexically: does the relative path leave the folder it starts in?
bool climbs_out(const fs::path& path) {
  int depth = 0;
  for (const fs::path& part : path) {
    if (part == "..") {
      if (--depth < 0) return true;
    } else if (part != "." && !part.empty()) {
      ++depth;
    }
  }
  return false;
}

}  // namespace

ByteSource ByteSource::open(const std::string& path, std::string shown) {
  struct stat info = {};
  int descriptor = open_for_reading(path, shown, info);
  ByteSource source;
  source.descriptor_ = descriptor;
  source.shown_ = std::move(shown);
  if (!S_ISREG(info.st_mode)) fail_at(source.shown_, DiagId::kFileUnreadable, "it is no regular file");
  source.size_ = static_cast<std::uint64_t>(info.st_size);
  return source;
}

ByteSource::ByteSource(std::string_view bytes, std::string shown)
    : shown_(std::move(shown)), memory_(bytes), size_(bytes.size()) {}

ByteSource::ByteSource(ByteSource&& other) noexcept
    : shown_(std::move(other.shown_)),
      memory_(other.memory_),
      size_(other.size_),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

ByteSource::~ByteSource() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void ByteSource::read(std::uint64_t offset, void* target, std::uint64_t count) const {
  require(offset <= size_ && count <= size_ - offset, "a read within the file");
  if (count == 0) return;
  if (descriptor_ < 0) {
    std::memcpy(target, memory_.data() + offset, count);
    return;
  }
  char* to = static_cast<char*>(target);
  while (count > 0) {
    ssize_t got =
        ::pread(descriptor_, to, std::min<std::uint64_t>(count, 1U << 30), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_at(shown_, DiagId::kFileUnreadable, std::strerror(errno));
    if (got == 0) fail_at(shown_, DiagId::kFileUnreadable, "it shrank while it was read");
    to += got;
    offset += static_cast<std::uint64_t>(got);
    count -= static_cast<std::uint64_t>(got);
  }
}

std::string read_file(const std::string& path) {
  struct stat info = {};
  int descriptor = open_for_reading(path, path, info);
  // Pipes are waited for from here on.
  ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
  std::string bytes;
  std::size_t used = 0;
  int error = 0;
  bytes.resize(S_ISREG(info.st_mode) ? static_cast<std::size_t>(info.st_size) + 1 : 65536);
  for (;;) {
    if (used == bytes.size()) bytes.resize(bytes.size() * 2);
    ssize_t got =
        ::read(descriptor, bytes.data() + used, std::min<std::size_t>(bytes.size() - used, 1U << 30));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) error = errno;
    if (got <= 0) break;
    used += static_cast<std::size_t>(got);
  }
  ::close(descriptor);
  if (error != 0) fail_at(path, DiagId::kFileUnreadable, std::strerror(error));
  bytes.resize(used);
  return bytes;
}

std::string folder_of(const std::string& path) {
  std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

std::string resolve_path(const std::string& folder, std::string_view path, bool allow_path) {
  std::string text(path);
  if (text.empty() || text.find('\0') != std::string::npos) {
    fail_at(text, DiagId::kFileUnreadable, "this is no file name");
  }
  fs::path relative(text);
  fs::path whole = fs::path(folder) / relative;
  if (allow_path) return whole.string();
  bool escapes = relative.is_absolute() || climbs_out(relative);
  std::error_code error;
  if (!escapes) {
    // Links are followed as far as the path exists; opening what does not exist says so.
    fs::path real_folder = fs::weakly_canonical(folder, error);
    fs::path real = error ? fs::path() : fs::weakly_canonical(whole, error);
    if (error) fail_at(text, DiagId::kFileUnreadable, error.message());
    auto [in_folder, in_path] =
        std::mismatch(real_folder.begin(), real_folder.end(), real.begin(), real.end());
    escapes = in_folder != real_folder.end();
  }
  if (escapes) {
    Diagnostic refused = diagnostic(DiagId::kPathEscapes, Location{}, text);
    refused.hint = "`--allow-path` allows it";
    throw UserError(std::move(refused));
  }
  return whole.string();
}

}  // namespace cohort
