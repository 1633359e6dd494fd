// Files the compiler emits, as values; writing them is apart from making them.
#pragma once

#include <string>
#include <vector>

namespace cohort {

struct Artefact {
  std::string name;  // of the file, without a folder
  std::string bytes;
};

// Writes all files or none into `directory`, which is made if need be. A file that holds its bytes already
// keeps its time stamp. What cannot be written is a UserError of category kFile.
void write_artefacts(const std::string& directory, const std::vector<Artefact>& artefacts);
// An empty file whose time stamp is now.
void write_stamp(const std::string& path);

}  // namespace cohort
