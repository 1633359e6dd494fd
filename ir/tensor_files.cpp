#include "ir/tensor_files.h"

#include <algorithm>
#include <filesystem>

#include "ir/diagnostics.h"
#include "ir/sha256.h"

namespace cohort {
namespace {

bool is_npy(std::string_view path) { return path.ends_with(".npy"); }
bool is_safetensors(std::string_view path) { return path.ends_with(".safetensors"); }

[[noreturn]] void fail_extension(const std::string& shown) {
  fail(DiagId::kFileUnreadable, shown, "its name ends neither in `.npy` nor in `.safetensors`");
}

}  // namespace

std::string file_sha256(const ByteSource& source) {
  Sha256 hash;
  std::vector<char> block(1U << 20);
  for (std::uint64_t at = 0; at < source.size(); at += block.size()) {
    std::uint64_t count = std::min<std::uint64_t>(block.size(), source.size() - at);
    source.read(at, block.data(), count);
    hash.add(block.data(), count);
  }
  return hash.hex();
}

std::vector<NamedTensor> read_tensor_file(const std::string& path) {
  std::vector<NamedTensor> tensors;
  if (is_npy(path)) {
    tensors.push_back({"", read_npy(ByteSource::open(path, path))});
  } else if (is_safetensors(path)) {
    SafetensorsFile file(ByteSource::open(path, path));
    for (const std::string& name : file.names()) tensors.push_back({name, *file.read(name)});
  } else {
    fail_extension(path);
  }
  return tensors;
}

TensorFiles::TensorFiles(std::string folder, bool allow_path)
    : folder_(std::move(folder)), allow_path_(allow_path) {}

Tensor TensorFiles::read(std::string_view path, std::string_view key, std::string_view sha256) {
  std::string shown(path);
  if (!is_npy(path) && !is_safetensors(path)) fail_extension(shown);
  std::string real = resolve_path(folder_, path, allow_path_);
  opened_.insert(real);
  if (is_npy(path)) {
    ByteSource source = ByteSource::open(real, shown);
    check_hash(source, sha256);
    return read_npy(source);
  }
  auto found = safetensors_.find(real);
  if (found == safetensors_.end()) {
    found = safetensors_.emplace(real, SafetensorsFile(ByteSource::open(real, shown))).first;
  }
  const SafetensorsFile& file = found->second;
  check_hash(file.source(), sha256);
  std::optional<Tensor> tensor = file.read(std::string(key));
  if (!tensor) {
    Diagnostic missing = diagnostic(DiagId::kWeightMissing, Location{}, shown, key);
    std::vector<std::string> names = file.names();
    std::string near = nearest_name(key, {names.begin(), names.end()});
    if (!near.empty()) missing.hint = fmt::format("did you mean `{}`?", near);
    throw UserError(std::move(missing));
  }
  return *std::move(tensor);
}

void TensorFiles::check_hash(const ByteSource& source, std::string_view sha256) {
  if (sha256.empty()) return;
  auto found = hashes_.find(source.shown());
  if (found == hashes_.end()) found = hashes_.emplace(source.shown(), file_sha256(source)).first;
  std::string wanted(sha256);
  std::transform(wanted.begin(), wanted.end(), wanted.begin(),
                 [](char c) { return c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c; });
  if (found->second != wanted) fail(DiagId::kWeightHash, source.shown(), found->second, wanted);
}

}  // namespace cohort
