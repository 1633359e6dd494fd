// Files of the user's: reading them, and where a graph's own paths may lead. Everything that goes wrong is a
// UserError of category kFile that names the file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cohort {

// The bytes of a file that is read piecewise, or of a string that stands for one.
class ByteSource {
 public:
  // Opens a regular file; `shown` is its name in messages.
  static ByteSource open(const std::string& path, std::string shown);
  // Bytes in memory, which must outlive the source.
  ByteSource(std::string_view bytes, std::string shown);
  ByteSource(ByteSource&& other) noexcept;
  ByteSource& operator=(ByteSource&&) = delete;
  ~ByteSource();

  std::uint64_t size() const { return size_; }
  const std::string& shown() const { return shown_; }
  // Reads `count` bytes at `offset`; the range must lie within size().
  void read(std::uint64_t offset, void* target, std::uint64_t count) const;

 private:
  ByteSource() = default;

  std::string shown_;
  std::string_view memory_;
  std::uint64_t size_ = 0;
  int descriptor_ = -1;
};

// A whole file; pipes are read to their end.
std::string read_file(const std::string& path);

// The folder a file lies in ("." for a bare name).
std::string folder_of(const std::string& path);

// Where `path`, as written in a graph that lies in `folder`, leads. Unless `allow_path`, it must be relative
// and stay within the folder, symbolic links followed.
std::string resolve_path(const std::string& folder, std::string_view path, bool allow_path);

}  // namespace cohort
