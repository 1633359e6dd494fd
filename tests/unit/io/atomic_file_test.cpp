#include "ir/atomic_file.h"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "ir/diagnostics.h"
#include "ir/files.h"

namespace cohort {
namespace {

namespace fs = std::filesystem;

struct Folder {
  fs::path path = fs::temp_directory_path() / fmt::format("cohort_atomic_{}", ::getpid());
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
  std::string operator/(const char* name) const { return (path / name).string(); }
  long files() const { return std::distance(fs::directory_iterator(path), fs::directory_iterator()); }
};

}  // namespace

TEST_CASE("a file with the right bytes keeps its time stamp") {
  Folder folder;
  const std::string path = folder / "a b.txt";
  CHECK(write_file(path, "one"));
  fs::file_time_type old = fs::last_write_time(path) - std::chrono::hours(1);
  fs::last_write_time(path, old);
  CHECK(!write_file(path, "one"));
  CHECK(fs::last_write_time(path) == old);
  CHECK(write_file(path, "two"));
  CHECK(fs::last_write_time(path) != old);
  CHECK(read_file(path) == "two");
  CHECK(folder.files() == 1);
}

TEST_CASE("files appear together or not at all") {
  Folder folder;
  {
    AtomicFiles files;
    files.add(folder / "a", "1");
    files.add(folder / "b", "2");
    CHECK(!fs::exists(folder / "a"));
    CHECK(files.commit() == 2);
  }
  CHECK(read_file(folder / "b") == "2");
  {
    AtomicFiles files;
    files.add(folder / "a", "new");
    CHECK_THROWS_AS(files.add(folder / "absent/c", "3"), UserError);
  }
  CHECK(read_file(folder / "a") == "1");
  CHECK(folder.files() == 2);
  fs::create_directory(folder / "d");
  CHECK_THROWS_AS(write_file(folder / "d", "4"), UserError);
}

TEST_CASE("case 34: a full disk leaves no part of a file") {
  // A limit on the size of files fails as a full disk does: in mid-write.
  Folder folder;
  CHECK(write_file(folder / "a", "old"));
  rlimit before = {};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = {4096, before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  std::string message;
  try {
    write_file(folder / "a", std::string(100'000, 'x'));
  } catch (const UserError& error) {
    message = error.diagnostics()[0].message;
    CHECK(diagnostic_category(error.diagnostics()[0].id) == Category::kFile);
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  CHECK(message.ends_with("cannot be written: File too large"));
  CHECK(read_file(folder / "a") == "old");
  CHECK(folder.files() == 1);
}

}  // namespace cohort
