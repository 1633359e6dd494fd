// Writes modules as graph files, and formats graph files: one entry a line, keys in a fixed order, the
// shortest numbers that read back to the same bits. What write_module gives is formatted already.
#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"
#include "ir/tensor_files.h"

namespace cohort {

struct WriteOptions {
  // Constants and initial values of more elements go to a .safetensors file. Negative: everything stays
  // inline.
  std::int64_t inline_limit = 256;
  // The folder of the graph that was read: headers and libraries of the user's are then written as seen from
  // the folder of `path`. Empty: as they stand.
  std::string read_from{};
};

struct WrittenModule {
  std::string json;
  std::vector<NamedTensor> tensors;  // what belongs into `tensor_file`; empty: there is no such file
};

// The graph file wants every node named once: nodes without a name get one, second bearers of a name another,
// and so do tensors without a name and literals whose dtype the README's rule would not give. All else reads
// back the same. `tensor_file` is the name, relative to the graph, that large tensors are referred to by.
// `folder` is where the graph will lie.
WrittenModule write_module_text(const Module& module, const std::string& tensor_file,
                                const WriteOptions& options = {}, const std::string& folder = ".");

// Writes `path` and, if there are large tensors, a .safetensors file of the same stem beside it: both or
// none.
void write_module(const std::string& path, const Module& module, const WriteOptions& options = {});

// The canonical form of a graph file's text. Meaning, digits of numbers and keys of the user's own (`x-...`)
// are kept; known keys take their order, the user's follow. Throws UserError if the text is no JSON or a key
// stands twice.
std::string format_json(std::string text, const std::string& name);

}  // namespace cohort
