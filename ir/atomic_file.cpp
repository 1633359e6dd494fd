#include "ir/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "ir/diagnostics.h"

namespace cohort {
namespace {

[[noreturn]] void fail_writing(const std::string& path, const std::string& reason) {
  throw UserError(diagnostic(DiagId::kFileUnwritable, Location{path, 0, 0}, path, reason));
}

// 0, or what went wrong.
int write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

bool holds(const std::string& path, const struct stat& info, std::string_view bytes) {
  if (static_cast<std::size_t>(info.st_size) != bytes.size()) return false;
  int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  std::array<char, 65536> block;
  bool is_equal = true;
  while (is_equal) {
    ssize_t got = ::read(descriptor, block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      is_equal = got == 0 && bytes.empty();
      break;
    }
    auto count = static_cast<std::size_t>(got);
    is_equal = count <= bytes.size() && std::memcmp(block.data(), bytes.data(), count) == 0;
    if (is_equal) bytes.remove_prefix(count);
  }
  ::close(descriptor);
  return is_equal;
}

// Creates a new file beside `path` and returns its descriptor.
int create_beside(const std::string& path, std::string& temporary) {
  for (int i = 0; i < 1000; ++i) {
    temporary = fmt::format("{}.{}-{}.part", path, ::getpid(), i);
    int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
  return -1;
}

// A device or a pipe, such as /dev/stdout, cannot be replaced; its bytes are written at once.
void write_through(const std::string& path, std::string_view bytes) {
  int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) fail_writing(path, std::strerror(errno));
  int error = write_all(descriptor, bytes);
  ::close(descriptor);
  if (error != 0) fail_writing(path, std::strerror(error));
}

}  // namespace

AtomicFiles::~AtomicFiles() {
  for (const Pending& file : pending_) ::unlink(file.temporary.c_str());
}

void AtomicFiles::add(const std::string& path, std::string_view bytes) {
  struct stat info = {};
  if (path.empty() || path.find('\0') != std::string::npos) fail_writing(path, "this is no file name");
  if (::stat(path.c_str(), &info) == 0) {
    if (S_ISDIR(info.st_mode)) fail_writing(path, "it is a folder");
    if (!S_ISREG(info.st_mode)) return write_through(path, bytes);
    if (holds(path, info, bytes)) return;
  }
  std::string temporary;
  int descriptor = create_beside(path, temporary);
  if (descriptor < 0) fail_writing(path, std::strerror(errno));
  int error = write_all(descriptor, bytes);
  if (::close(descriptor) != 0 && error == 0) error = errno;
  if (error != 0) {
    ::unlink(temporary.c_str());
    fail_writing(path, std::strerror(error));
  }
  pending_.push_back({path, std::move(temporary)});
}

int AtomicFiles::commit() {
  int changed = 0;
  while (!pending_.empty()) {
    const Pending file = pending_.front();
    if (::rename(file.temporary.c_str(), file.path.c_str()) != 0)
      fail_writing(file.path, std::strerror(errno));
    pending_.erase(pending_.begin());
    ++changed;
  }
  return changed;
}

bool write_file(const std::string& path, std::string_view bytes) {
  AtomicFiles files;
  files.add(path, bytes);
  return files.commit() > 0;
}

}  // namespace cohort
