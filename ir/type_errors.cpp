#include "ir/type_errors.h"

#include <algorithm>

#include "ir/tensor_checks.h"
#include "ir/trimmed.h"

namespace cohort {
namespace {

constexpr std::int64_t kMaxScale = std::int64_t{1} << 20;

std::string unknown_dtype(std::string_view name) {
  std::vector<std::string_view> names;
  for (int i = 0; i < kDTypeCount; ++i) names.push_back(dtype_name(static_cast<DType>(i)));
  std::string near = nearest_name(name, names);
  std::string reason = fmt::format("there is no dtype `{}`", name);
  return near.empty() ? reason : reason + fmt::format(", did you mean `{}`?", near);
}

std::string reason(std::string_view text, const Dims& dims) {
  text = trimmed(text);
  std::size_t open = text.find('[');
  if (open == text.npos) return "a type looks like `f32[4,8]`, a scalar's like `f32[]`";
  if (text.back() != ']') return "its `]` is missing";
  std::string_view dtype = trimmed(text.substr(0, open));
  if (!parse_dtype(dtype)) return unknown_dtype(dtype);
  std::string_view rest = text.substr(open + 1, text.size() - open - 2);
  while (!rest.empty()) {
    std::size_t comma = std::min(rest.find(','), rest.size());
    std::string_view dim = trimmed(rest.substr(0, comma));
    if (!parse_dim(dim, dims)) {
      if (!dim.empty() && is_dim_name(dim)) return fmt::format("there is no dim `{}`", dim);
      return fmt::format("`{}` is no extent", dim);
    }
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return "a comma is followed by nothing";
}

bool is_bounded(const Dim& dim) {
  return dim.scale >= -kMaxScale && dim.scale <= kMaxScale && dim.offset >= -kMaxDim && dim.offset <= kMaxDim;
}

}  // namespace

std::optional<std::uint64_t> checked_max_bytes(const Type& type, const Dims& dims) {
  Extents extents;
  for (const Dim& dim : type.shape) {
    if (!is_bounded(dim)) return {};
    extents.push_back(max_extent(dim, dims));
  }
  return checked_bytes(type.dtype, extents);
}

std::optional<Type> parse_checked_type(std::string_view text, const Dims& dims, const Location& location,
                                       Diagnostic& error) {
  std::optional<Type> type = parse_type(text, dims);
  if (!type) {
    error = diagnostic(DiagId::kNoType, location, text, reason(text, dims));
    return {};
  }
  for (const Dim& dim : type->shape) {
    if (is_bounded(dim) && min_extent(dim, dims) < 0) {
      error = diagnostic(DiagId::kNoType, location, text,
                         fmt::format("the extent `{}` can be negative", to_string(dim, dims)));
      return {};
    }
  }
  if (!checked_max_bytes(*type, dims)) {
    error = diagnostic(DiagId::kNoType, location, text, "it is larger than memory can be");
    return {};
  }
  return type;
}

bool is_dim_name(std::string_view name) {
  auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
  };
  return !name.empty() && is_letter(name.front()) && std::all_of(name.begin(), name.end(), [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9');
  });
}

}  // namespace cohort
