// Tensors in files: NumPy's .npy (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html) and
// .safetensors (https://huggingface.co/docs/safetensors). Whatever bytes a file holds, reading gives the
// tensor or a UserError that names the file and what is wrong with it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ir/files.h"
#include "ir/tensor.h"

namespace cohort {

struct NamedTensor {
  std::string name;
  Tensor data;
};

// Little-endian, C or Fortran order, versions 1 to 3. Elements of two raw bytes ("V2", as ml_dtypes saves
// them) are bf16.
Tensor read_npy(const ByteSource& source);
std::string npy_bytes(const Tensor& tensor);

// The tensors of a .safetensors file, read one by one.
class SafetensorsFile {
 public:
  explicit SafetensorsFile(ByteSource source);

  std::vector<std::string> names() const;                     // in alphabetical order
  std::optional<Tensor> read(const std::string& name) const;  // nothing: there is none of this name
  const ByteSource& source() const { return source_; }

 private:
  struct Entry {
    std::string dtype;  // as the file spells it
    Extents extents;
    std::uint64_t begin = 0;  // in the file
    std::uint64_t end = 0;
  };
  void check_layout() const;

  ByteSource source_;
  std::map<std::string, Entry> entries_;
};

// Tensors in the given order, 64-byte aligned in the file if the header allows; equal tensors give equal
// bytes.
std::string safetensors_bytes(const std::vector<NamedTensor>& tensors);

std::string file_sha256(const ByteSource& source);

// Every tensor of a file, by its extension; the one of an .npy file has no name.
std::vector<NamedTensor> read_tensor_file(const std::string& path);

// The files that one graph refers to, each opened and hashed once.
class TensorFiles {
 public:
  // Paths are relative to `folder`; see resolve_path.
  TensorFiles(std::string folder, bool allow_path);
  // The tensor of `path`: of a .safetensors file the one named `key`. `sha256` is checked if it is not empty.
  Tensor read(std::string_view path, std::string_view key, std::string_view sha256);
  const std::set<std::string>& opened() const { return opened_; }

 private:
  void check_hash(const ByteSource& source, std::string_view sha256);

  std::string folder_;
  bool allow_path_;
  std::set<std::string> opened_;
  std::map<std::string, SafetensorsFile> safetensors_;
  std::map<std::string, std::string> hashes_;  // by name in messages
};

}  // namespace cohort
