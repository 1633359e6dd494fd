// What the readers of tensor files share: refusing, and taking elements from a file into a tensor.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ir/files.h"
#include "ir/tensor.h"

namespace cohort {

// "`w.npy` is no usable .npy file: REASON".
[[noreturn]] void fail_tensor_file(const std::string& file, std::string_view format,
                                   const std::string& reason);

// Bytes that a tensor of these extents takes; nothing if that is more than memory can be.
std::optional<std::uint64_t> checked_bytes(DType dtype, const Extents& extents);

// Bytes of memory this machine has: more than that is no tensor of a file.
std::uint64_t physical_memory();

// The row-major elements that fill [begin, end) of the file exactly.
Tensor read_elements(const ByteSource& source, std::string_view format, DType dtype, const Extents& extents,
                     std::uint64_t begin, std::uint64_t end);

// Bytes of a file inside a message: what is no printable ASCII becomes '?', and only the beginning is shown.
std::string printable(std::string_view bytes);

}  // namespace cohort
