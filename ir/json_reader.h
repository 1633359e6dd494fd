// Reads a graph file (the JSON grammar of the README) into a Module. Strict, and all errors of a run are
// reported together: a wrong node is left out, nodes that read it are skipped silently, reading goes on.
#pragma once

#include <string>
#include <vector>

#include "ir/custom_function.h"

namespace cohort {

struct ReadOptions {
  bool allow_path = false;                         // `file` may lead out of the graph's folder
  std::vector<std::string>* files_read = nullptr;  // receives the tensor files that were read, for depfiles
  CustomReader custom = nullptr;  // reads functions of `custom` nodes; null: they are refused
};

// Throws UserError with every error found.
Module read_module(const std::string& path, const ReadOptions& options = {});

// The same from a text; `name` stands for the file in messages, and files are sought relative to its folder.
Module read_module_text(std::string json, const std::string& name, const ReadOptions& options = {});

}  // namespace cohort
