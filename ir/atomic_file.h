// Files that appear whole or not at all: bytes go to a file beside the target, which is then renamed over it.
// A file that has the right bytes already is left alone, time stamp included, so that build tools see that
// nothing changed. There is no fsync: a build that a power cut interrupts is run again.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cohort {

// Files that are written together: nothing of any of them is visible before commit(), and if one cannot be
// written (UserError of category kFile), none is.
class AtomicFiles {
 public:
  AtomicFiles() = default;
  AtomicFiles(const AtomicFiles&) = delete;
  AtomicFiles& operator=(const AtomicFiles&) = delete;
  // Removes what was not committed.
  ~AtomicFiles();

  // Writes the bytes beside `path`, or notes that `path` holds them already. Its folder must exist.
  void add(const std::string& path, std::string_view bytes);
  // Puts everything in place; returns how many files changed.
  int commit();

 private:
  struct Pending {
    std::string path;
    std::string temporary;
  };
  std::vector<Pending> pending_;
};

// One file; true if it changed.
bool write_file(const std::string& path, std::string_view bytes);

}  // namespace cohort
