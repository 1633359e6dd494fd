// Compiles an emitted module with the user's C++ compiler.
#pragma once

#include <string>
#include <vector>

namespace cohort {

enum class LibraryKind : unsigned char { kShared, kStatic };

struct BuildOptions {
  LibraryKind kind = LibraryKind::kShared;
  std::string compiler;            // empty: $CXX, else c++; may hold arguments ("ccache g++")
  std::string march = "native";    // empty: the compiler's default
  std::vector<std::string> flags;  // further flags, after the recipe's
  // What compiles and links device code; empty: $CUDACXX, else nvcc, which is looked for in /usr/local/cuda,
  // too. Another program than nvcc is called with `-I` folders, `-c` source, `-o` object and nothing else.
  std::string device_compiler;
  std::vector<std::string> architectures;  // "90"; empty: the recipe's
  bool blas = false;                       // device code calls cuBLAS
  std::vector<std::string> link;           // further words of the link line
  std::string runtime;             // folder of cohort/prelude.h; empty: found beside the running program
};

// Builds lib<prefix>.so or lib<prefix>.a in `directory` from the sources named, `.cu` among them being device
// code, and gives its path. A failure
// is a UserError of category kHostCompiler that holds what the compiler wrote.
std::string build_module(const std::string& directory, const std::string& prefix,
                         const std::vector<std::string>& sources, const BuildOptions& options);

// The folder of the runtime's headers, from where the running program lies: PREFIX/bin/cohort and
// PREFIX/include, or the same in a build tree. Empty if there is none.
std::string find_runtime();

}  // namespace cohort
