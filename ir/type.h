// Types of values: a dtype and a shape. A dimension is `scale * name + offset` over at most one named,
// bounded dim, so memory is planned for the maximum while loops run to the actual extent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cohort {

enum class DType : std::uint8_t {
  kBool,
  kI8,
  kI16,
  kI32,
  kI64,
  kU8,
  kU16,
  kU32,
  kU64,
  kF16,
  kBF16,
  kF32,
  kF64
};
inline constexpr int kDTypeCount = 13;

std::string_view dtype_name(DType dtype);  // "f32"
std::optional<DType> parse_dtype(std::string_view name);
std::int64_t dtype_bytes(DType dtype);  // bytes an element takes in memory; bool takes 1
constexpr bool is_float(DType d) { return d >= DType::kF16; }
constexpr bool is_signed_int(DType d) { return d >= DType::kI8 && d <= DType::kI64; }
constexpr bool is_unsigned_int(DType d) { return d >= DType::kU8 && d <= DType::kU64; }
constexpr bool is_integer(DType d) { return d >= DType::kI8 && d <= DType::kU64; }
// The dtype two operands of an elementwise operator are cast to: NumPy's promotion table; f16 with bf16 gives
// f32.
DType promote(DType a, DType b);

// Index into Module::dims.
using DimId = std::uint32_t;
inline constexpr DimId kNoDim = UINT32_MAX;

struct NamedDim {
  std::string name;
  std::int64_t min = 0;
  std::int64_t max = 0;
  bool operator==(const NamedDim&) const = default;
};

// Extent of one axis: scale * value(symbol) + offset; symbol is kNoDim exactly if scale is 0.
struct Dim {
  std::int64_t offset = 0;
  std::int64_t scale = 0;
  DimId symbol = kNoDim;

  Dim() = default;
  Dim(std::int64_t constant) : offset(constant) {}  // NOLINT: a constant is a dimension
  static Dim named(DimId symbol, std::int64_t scale = 1, std::int64_t offset = 0);

  bool is_constant() const { return scale == 0; }
  bool is_constant(std::int64_t value) const { return scale == 0 && offset == value; }
  bool operator==(const Dim&) const = default;
};

// Sum and product where they are again dimensions; nothing where they would need two names, a square or more
// bits.
std::optional<Dim> add(const Dim& a, const Dim& b);
std::optional<Dim> multiply(const Dim& a, const Dim& b);
// a / b where b divides a whatever the value of the named dim.
std::optional<Dim> divide_exact(const Dim& a, const Dim& b);

using Dims = std::vector<NamedDim>;           // the module's named dims
using DimValues = std::vector<std::int64_t>;  // their values in one call, by DimId
using Shape = std::vector<Dim>;               // outermost axis first; empty for a scalar
using Extents = std::vector<std::int64_t>;    // a shape with every dimension known

std::int64_t evaluate(const Dim& dim, const DimValues& values);
Extents evaluate(const Shape& shape, const DimValues& values);
DimValues maximum_values(const Dims& dims);
std::int64_t max_extent(const Dim& dim, const Dims& dims);  // largest value within the bounds
std::int64_t min_extent(const Dim& dim, const Dims& dims);
std::int64_t element_count(const Extents& extents);    // 1 for a scalar
std::optional<Dim> element_count(const Shape& shape);  // nothing if it is no dimension
std::int64_t max_element_count(const Shape& shape, const Dims& dims);
bool is_constant(const Shape& shape);

struct Type {
  DType dtype = DType::kF64;
  Shape shape;
  bool operator==(const Type&) const = default;
  int rank() const { return static_cast<int>(shape.size()); }
};

std::string to_string(const Dim& dim, const Dims& dims);      // "2*batch+1"
std::string to_string(const Shape& shape, const Dims& dims);  // "[4,batch]"
std::string to_string(const Type& type, const Dims& dims);    // "f32[4,batch]"
// Parses "f32[4,batch]"; nothing if malformed or if a dim is unknown.
std::optional<Dim> parse_dim(std::string_view text, const Dims& dims);
std::optional<Type> parse_type(std::string_view text, const Dims& dims);

// NumPy's broadcasting of two shapes; nothing if they do not broadcast. A named dim broadcasts with itself
// and with 1.
std::optional<Shape> broadcast(const Shape& a, const Shape& b);

}  // namespace cohort
