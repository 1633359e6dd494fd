// What is wrong with a type in a file, said precisely; parse_type only says that something is.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ir/diagnostics.h"
#include "ir/type.h"

namespace cohort {

// Parses a type and checks that its extents cannot be negative nor its elements more than memory can hold.
// On failure fills `error`.
std::optional<Type> parse_checked_type(std::string_view text, const Dims& dims, const Location& location,
                                       Diagnostic& error);

// Bytes a tensor of this type takes at most; nothing if that is more than memory can be.
std::optional<std::uint64_t> checked_max_bytes(const Type& type, const Dims& dims);

// Can this name stand in a type?
bool is_dim_name(std::string_view name);
inline constexpr std::int64_t kMaxDim = std::int64_t{1} << 40;

}  // namespace cohort
