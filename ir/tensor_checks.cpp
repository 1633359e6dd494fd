#include "ir/tensor_checks.h"

#include <unistd.h>

#include "ir/diagnostics.h"

namespace cohort {

void fail_tensor_file(const std::string& file, std::string_view format, const std::string& reason) {
  fail(DiagId::kNoTensorFile, file, format, reason);
}

std::uint64_t physical_memory() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE));
}

std::optional<std::uint64_t> checked_bytes(DType dtype, const Extents& extents) {
  constexpr std::int64_t kLimit = std::int64_t{1} << 47;
  constexpr std::size_t kMaxRank = 64;
  std::int64_t bytes = dtype_bytes(dtype);
  bool is_empty = false;
  if (extents.size() > kMaxRank) return {};
  for (std::int64_t extent : extents) {
    if (extent < 0 || extent > kLimit) return {};
    is_empty |= extent == 0;
    // An empty axis does not excuse the others: strides are products of extents too.
    if (extent > 0 && bytes > kLimit / extent) return {};
    if (extent > 0) bytes *= extent;
  }
  return is_empty ? 0 : static_cast<std::uint64_t>(bytes);
}

Tensor read_elements(const ByteSource& source, std::string_view format, DType dtype, const Extents& extents,
                     std::uint64_t begin, std::uint64_t end) {
  std::optional<std::uint64_t> bytes = checked_bytes(dtype, extents);
  if (!bytes) fail_tensor_file(source.shown(), format, "a tensor in it is larger than memory can be");
  if (*bytes != end - begin) {
    fail_tensor_file(source.shown(), format,
                     fmt::format("it holds {} bytes where a tensor takes {}", end - begin, *bytes));
  }
  Tensor tensor(dtype, extents);
  if (*bytes > 0) source.read(begin, tensor.mutable_data(), *bytes);
  if (dtype == DType::kBool) {
    for (std::int64_t i = 0; i < tensor.size(); ++i) {
      if (tensor.as<unsigned char>()[i] > 1)
        fail_tensor_file(source.shown(), format, "a bool in it is neither 0 nor 1");
    }
  }
  return tensor;
}

std::string printable(std::string_view bytes) {
  constexpr std::size_t kShown = 40;
  std::string text(bytes.substr(0, kShown));
  for (char& c : text) {
    if (c < ' ' || c > '~') c = '?';
  }
  return bytes.size() > kShown ? text + "..." : text;
}

}  // namespace cohort
