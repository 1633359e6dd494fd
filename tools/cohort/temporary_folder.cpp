#include "tools/cohort/temporary_folder.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "ir/diagnostics.h"

namespace cohort {

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "cohort-XXXXXX").string();
  if (!mkdtemp(pattern.data())) fail(DiagId::kFileUnwritable, pattern, "no temporary folder can be made");
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace cohort
