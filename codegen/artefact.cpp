#include "codegen/artefact.h"

#include <chrono>
#include <filesystem>

#include "ir/atomic_file.h"
#include "ir/diagnostics.h"

namespace cohort {

namespace fs = std::filesystem;

void write_artefacts(const std::string& directory, const std::vector<Artefact>& artefacts) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error && !fs::is_directory(directory)) fail(DiagId::kFileUnwritable, directory, error.message());
  AtomicFiles files;
  for (const Artefact& artefact : artefacts)
    files.add((fs::path(directory) / artefact.name).string(), artefact.bytes);
  files.commit();
}

void write_stamp(const std::string& path) {
  write_file(path, "");
  std::error_code error;
  fs::last_write_time(path, fs::file_time_type::clock::now(), error);
  if (error) fail(DiagId::kFileUnwritable, path, error.message());
}

}  // namespace cohort
