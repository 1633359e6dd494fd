// What several subcommands share: reading a graph file, choosing a function, tensors from files and to text.
#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"

namespace cohort {

struct GraphInput {
  std::string path;
  bool allow_path = false;
};

// The module in a file: the text form if its name ends in `.txt`, else JSON. Unusable names are refused.
Module load_graph(const GraphInput& input);

// The function of that name, or the only one if `name` is empty; otherwise an error that lists them.
const Function& choose_function(const Module& module, const std::string& name);

// "name=path" options: splits at the first `=`.
std::pair<std::string, std::string> split_assignment(const std::string& option, const char* what);

// A tensor for reading: nested brackets, long ones cut in the middle.
std::string brief(const Tensor& tensor, std::int64_t limit = 12);

}  // namespace cohort
