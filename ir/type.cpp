#include "ir/type.h"

#include <algorithm>
#include <charconv>

#include "ir/trimmed.h"

namespace cohort {

namespace {

struct DTypeInfo {
  std::string_view name;
  std::int64_t bytes;
};
constexpr DTypeInfo kDTypes[kDTypeCount] = {{"bool", 1}, {"i8", 1},  {"i16", 2}, {"i32", 4}, {"i64", 8},
                                            {"u8", 1},   {"u16", 2}, {"u32", 4}, {"u64", 8}, {"f16", 2},
                                            {"bf16", 2}, {"f32", 4}, {"f64", 8}};

const DTypeInfo& info(DType dtype) { return kDTypes[static_cast<int>(dtype)]; }

DType signed_of_bytes(std::int64_t bytes) {
  return bytes == 1 ? DType::kI8 : bytes == 2 ? DType::kI16 : bytes == 4 ? DType::kI32 : DType::kI64;
}

// NumPy: the float that holds every integer of `bytes` bytes; 4 and 8 byte integers need f64.
DType float_for_integer(std::int64_t bytes) {
  return bytes == 1 ? DType::kF16 : bytes == 2 ? DType::kF32 : DType::kF64;
}

DType promote_integers(DType a, DType b) {
  const bool a_signed = is_signed_int(a);
  if (a_signed == is_signed_int(b)) return dtype_bytes(a) >= dtype_bytes(b) ? a : b;
  const DType s = a_signed ? a : b, u = a_signed ? b : a;
  if (dtype_bytes(s) > dtype_bytes(u)) return s;
  if (dtype_bytes(u) == 8) return DType::kF64;
  return signed_of_bytes(dtype_bytes(u) * 2);
}

bool parse_int(std::string_view text, std::int64_t& value) {
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  return !text.empty() && result.ec == std::errc() && result.ptr == end;
}

DimId find_dim(std::string_view name, const Dims& dims) {
  for (std::size_t i = 0; i < dims.size(); ++i)
    if (dims[i].name == name) return static_cast<DimId>(i);
  return kNoDim;
}

}  // namespace

std::string_view dtype_name(DType dtype) { return info(dtype).name; }
std::int64_t dtype_bytes(DType dtype) { return info(dtype).bytes; }

std::optional<DType> parse_dtype(std::string_view name) {
  for (int i = 0; i < kDTypeCount; ++i)
    if (kDTypes[i].name == name) return static_cast<DType>(i);
  return std::nullopt;
}

DType promote(DType a, DType b) {
  if (a == b) return a;
  if (a == DType::kBool) return b;
  if (b == DType::kBool) return a;
  if (is_integer(a) && is_integer(b)) return promote_integers(a, b);
  if (is_integer(b)) std::swap(a, b);
  if (is_integer(a)) a = float_for_integer(dtype_bytes(a));
  if (a == b) return a;
  if (dtype_bytes(a) == 2 && dtype_bytes(b) == 2) return DType::kF32;  // f16 with bf16
  return dtype_bytes(a) >= dtype_bytes(b) ? a : b;
}

Dim Dim::named(DimId symbol, std::int64_t scale, std::int64_t offset) {
  Dim dim(offset);
  if (scale != 0) {
    dim.scale = scale;
    dim.symbol = symbol;
  }
  return dim;
}

std::optional<Dim> add(const Dim& a, const Dim& b) {
  if (!a.is_constant() && !b.is_constant() && a.symbol != b.symbol) return std::nullopt;
  std::int64_t scale = 0, offset = 0;
  if (__builtin_add_overflow(a.scale, b.scale, &scale) ||
      __builtin_add_overflow(a.offset, b.offset, &offset)) {
    return std::nullopt;
  }
  return Dim::named(a.is_constant() ? b.symbol : a.symbol, scale, offset);
}

std::optional<Dim> multiply(const Dim& a, const Dim& b) {
  if (!a.is_constant() && !b.is_constant()) return std::nullopt;
  const Dim& named = a.is_constant() ? b : a;
  const std::int64_t factor = a.is_constant() ? a.offset : b.offset;
  std::int64_t scale = 0, offset = 0;
  if (__builtin_mul_overflow(named.scale, factor, &scale) ||
      __builtin_mul_overflow(named.offset, factor, &offset)) {
    return std::nullopt;
  }
  return Dim::named(named.symbol, scale, offset);
}

std::optional<Dim> divide_exact(const Dim& a, const Dim& b) {
  if (a == b && !a.is_constant()) return Dim(1);
  if (b.is_constant()) {
    if (b.offset == 0 || a.scale % b.offset != 0 || a.offset % b.offset != 0) return std::nullopt;
    return Dim::named(a.symbol, a.scale / b.offset, a.offset / b.offset);
  }
  if (a.symbol != b.symbol || a.scale % b.scale != 0) return std::nullopt;
  const std::int64_t factor = a.scale / b.scale;
  if (b.offset * factor != a.offset) return std::nullopt;
  return Dim(factor);
}

std::int64_t evaluate(const Dim& dim, const DimValues& values) {
  return dim.is_constant() ? dim.offset : dim.scale * values[dim.symbol] + dim.offset;
}

Extents evaluate(const Shape& shape, const DimValues& values) {
  Extents extents;
  extents.reserve(shape.size());
  for (const Dim& dim : shape) extents.push_back(evaluate(dim, values));
  return extents;
}

DimValues maximum_values(const Dims& dims) {
  DimValues values;
  for (const NamedDim& dim : dims) values.push_back(dim.max);
  return values;
}

namespace {
// scale * value + offset, at the ends of the range where it does not fit.
std::int64_t saturated(const Dim& dim, std::int64_t value) {
  std::int64_t product = 0, total = 0;
  const bool is_negative = (dim.scale < 0) != (value < 0);
  if (__builtin_mul_overflow(dim.scale, value, &product)) return is_negative ? INT64_MIN : INT64_MAX;
  if (__builtin_add_overflow(product, dim.offset, &total)) return dim.offset < 0 ? INT64_MIN : INT64_MAX;
  return total;
}
}  // namespace

std::int64_t max_extent(const Dim& dim, const Dims& dims) {
  if (dim.is_constant()) return dim.offset;
  const NamedDim& named = dims[dim.symbol];
  return saturated(dim, dim.scale > 0 ? named.max : named.min);
}

std::int64_t min_extent(const Dim& dim, const Dims& dims) {
  if (dim.is_constant()) return dim.offset;
  const NamedDim& named = dims[dim.symbol];
  return saturated(dim, dim.scale > 0 ? named.min : named.max);
}

std::int64_t element_count(const Extents& extents) {
  std::int64_t count = 1;
  for (const std::int64_t extent : extents) count *= extent;
  return count;
}

std::optional<Dim> element_count(const Shape& shape) {
  std::optional<Dim> count = Dim(1);
  for (const Dim& dim : shape) {
    count = multiply(*count, dim);
    if (!count) return count;
  }
  return count;
}

std::int64_t max_element_count(const Shape& shape, const Dims& dims) {
  std::int64_t count = 1;
  for (const Dim& dim : shape) count *= max_extent(dim, dims);
  return count;
}

bool is_constant(const Shape& shape) {
  return std::all_of(shape.begin(), shape.end(), [](const Dim& dim) { return dim.is_constant(); });
}

std::string to_string(const Dim& dim, const Dims& dims) {
  if (dim.is_constant()) return std::to_string(dim.offset);
  std::string text = dim.scale == 1 ? "" : std::to_string(dim.scale) + "*";
  text += dim.symbol < dims.size() ? dims[dim.symbol].name : "?";
  if (dim.offset > 0) text += "+";
  if (dim.offset != 0) text += std::to_string(dim.offset);
  return text;
}

std::string to_string(const Shape& shape, const Dims& dims) {
  std::string text = "[";
  for (const Dim& dim : shape) {
    if (text.size() > 1) text += ",";
    text += to_string(dim, dims);
  }
  return text + "]";
}

std::string to_string(const Type& type, const Dims& dims) {
  return std::string(dtype_name(type.dtype)) + to_string(type.shape, dims);
}

std::optional<Dim> parse_dim(std::string_view text, const Dims& dims) {
  text = trimmed(text);
  std::int64_t constant = 0;
  if (parse_int(text, constant)) return constant < 0 ? std::nullopt : std::optional<Dim>(constant);
  if (const DimId exact = find_dim(text, dims); exact != kNoDim) return Dim::named(exact);
  std::int64_t scale = 1, offset = 0;
  if (const std::size_t star = text.find('*'); star != text.npos) {
    if (!parse_int(trimmed(text.substr(0, star)), scale)) return std::nullopt;
    text = trimmed(text.substr(star + 1));
  }
  if (find_dim(text, dims) == kNoDim) {
    const std::size_t sign = text.find_last_of("+-");
    if (sign == text.npos || !parse_int(trimmed(text.substr(sign + 1)), offset)) return std::nullopt;
    if (text[sign] == '-') offset = -offset;
    text = trimmed(text.substr(0, sign));
  }
  const DimId symbol = find_dim(text, dims);
  if (symbol == kNoDim) return std::nullopt;
  return Dim::named(symbol, scale, offset);
}

std::optional<Type> parse_type(std::string_view text, const Dims& dims) {
  text = trimmed(text);
  const std::size_t open = text.find('[');
  if (open == text.npos || text.back() != ']') return std::nullopt;
  const std::optional<DType> dtype = parse_dtype(trimmed(text.substr(0, open)));
  if (!dtype) return std::nullopt;
  Type type{*dtype, {}};
  std::string_view rest = trimmed(text.substr(open + 1, text.size() - open - 2));
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    const std::optional<Dim> dim = parse_dim(rest.substr(0, comma), dims);
    if (!dim) return std::nullopt;
    type.shape.push_back(*dim);
    if (comma == rest.npos) break;
    rest.remove_prefix(comma + 1);
    if (trimmed(rest).empty()) return std::nullopt;
  }
  return type;
}

std::optional<Shape> broadcast(const Shape& a, const Shape& b) {
  const Shape& longer = a.size() >= b.size() ? a : b;
  const Shape& shorter = a.size() >= b.size() ? b : a;
  Shape result = longer;
  const std::size_t skip = longer.size() - shorter.size();
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    const Dim& other = shorter[i];
    Dim& mine = result[skip + i];
    if (mine == other || other.is_constant(1)) continue;
    if (!mine.is_constant(1)) return std::nullopt;
    mine = other;
  }
  return result;
}

}  // namespace cohort
