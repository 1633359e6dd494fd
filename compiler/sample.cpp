#include "compiler/sample.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/ranges.h>

namespace cohort {

std::uint64_t Random::next() {
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}
std::int64_t Random::below(std::int64_t bound) {
  return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(bound));
}
std::int64_t Random::between(std::int64_t low, std::int64_t high) { return low + below(high - low + 1); }
double Random::uniform(double low, double high) {
  return low + (high - low) * (static_cast<double>(next() >> 11) * 0x1p-53);
}

namespace {

std::uint64_t dtype_mask(DType dtype) {
  const std::int64_t bits = dtype_bytes(dtype) * 8;
  return bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

// Bits of the floats that no decimal number rounds to by accident: least denormal, least normal, greatest.
std::vector<std::uint64_t> extreme_bits(DType dtype) {
  switch (dtype) {
    case DType::kF16:
      return {0x0001, 0x0400, 0x7bff};
    case DType::kBF16:
      return {0x0001, 0x0080, 0x7f7f};
    case DType::kF32:
      return {0x00000001, 0x00800000, 0x7f7fffff};
    default:
      return {0x1, 0x0010000000000000, 0x7fefffffffffffff};
  }
}

}  // namespace

std::vector<Scalar> special_values(DType dtype) {
  std::vector<Scalar> values;
  if (dtype == DType::kBool) return {make_scalar_int(dtype, 0), make_scalar_int(dtype, 1)};
  if (is_float(dtype)) {
    const double inf = std::numeric_limits<double>::infinity();
    for (const double v : {0.0, 1.0, 0.5, 2.0, 3.0, 0.1, 1.0009765625, 0.75, 100.0, 6e4, inf})
      for (const double sign : {1.0, -1.0}) values.push_back(make_scalar(dtype, sign * v));
    values.push_back(make_scalar(dtype, std::numeric_limits<double>::quiet_NaN()));
    for (const std::uint64_t bits : extreme_bits(dtype))
      for (const std::uint64_t sign : {std::uint64_t{0}, (dtype_mask(dtype) >> 1) + 1})
        values.push_back({dtype, bits | sign});
    return values;
  }
  for (const std::int64_t v : {0, 1, 2, 3, 7, 8, 100}) values.push_back(make_scalar_int(dtype, v));
  const std::uint64_t mask = dtype_mask(dtype);
  for (const std::uint64_t v : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}})
    values.push_back({dtype, mask - v});       // -1 .. -3, or the greatest unsigned
  values.push_back({dtype, mask >> 1});        // the greatest signed
  values.push_back({dtype, (mask >> 1) + 1});  // the least signed
  values.push_back({dtype, (mask >> 1) + 2});
  return values;
}

Scalar sample_scalar(DType dtype, Random& random) {
  const std::int64_t kind = random.below(10);
  if (kind < 2) {
    const std::vector<Scalar> special = special_values(dtype);
    return special[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(special.size())))];
  }
  if (kind == 2 && dtype != DType::kBool) return {dtype, random.next() & dtype_mask(dtype)};
  if (is_float(dtype)) return make_scalar(dtype, random.uniform(-4, 4));
  if (dtype == DType::kBool) return make_scalar_int(dtype, random.below(2));
  return make_scalar_int(dtype, is_signed_int(dtype) ? random.between(-5, 5) : random.between(0, 10));
}

void store_scalar(Tensor& tensor, std::int64_t index, Scalar value) {
  const auto bytes = static_cast<std::size_t>(dtype_bytes(tensor.dtype()));
  std::memcpy(tensor.mutable_data() + static_cast<std::size_t>(index) * bytes, &value.bits, bytes);
}

Scalar load_scalar(const Tensor& tensor, std::int64_t index) {
  const auto bytes = static_cast<std::size_t>(dtype_bytes(tensor.dtype()));
  Scalar value{tensor.dtype(), 0};
  std::memcpy(&value.bits, tensor.data() + static_cast<std::size_t>(index) * bytes, bytes);
  return value;
}

Tensor sample_tensor(DType dtype, const Extents& extents, Random& random) {
  Tensor tensor(dtype, extents);
  for (std::int64_t i = 0; i < tensor.size(); ++i) store_scalar(tensor, i, sample_scalar(dtype, random));
  return tensor;
}

namespace {

Tensor everyday_tensor(DType dtype, const Extents& extents, Random& random) {
  Tensor tensor(dtype, extents);
  for (std::int64_t i = 0; i < tensor.size(); ++i)
    store_scalar(tensor, i,
                 is_float(dtype) ? make_scalar(dtype, random.uniform(-2, 2))
                                 : make_scalar_int(dtype, random.below(dtype == DType::kBool ? 2 : 3)));
  return tensor;
}

}  // namespace

SampleCall sample_call(const Module& module, const Function& function, std::uint64_t seed) {
  Random random(seed);
  SampleCall call;
  for (const NamedDim& dim : module.dims)
    call.dims.push_back(random.between(dim.min, std::min(dim.max, dim.min + 7)));
  const auto sample = [&](const Type& type) {
    const Extents extents = evaluate(type.shape, call.dims);
    return seed % 2 ? everyday_tensor(type.dtype, extents, random)
                    : sample_tensor(type.dtype, extents, random);
  };
  for (const ValueId input : function.inputs) call.inputs.push_back(sample(function.type(input)));
  for (const State& state : module.states) call.state.push_back(sample(state.type));
  return call;
}

std::optional<std::string> first_difference(const Tensor& expected, const Tensor& actual) {
  if (expected.dtype() != actual.dtype() || expected.extents() != actual.extents())
    return fmt::format("{}[{}] became {}[{}]", dtype_name(expected.dtype()),
                       fmt::join(expected.extents(), ","), dtype_name(actual.dtype()),
                       fmt::join(actual.extents(), ","));
  if (expected == actual) return std::nullopt;
  for (std::int64_t i = 0; i < expected.size(); ++i) {
    const Scalar a = load_scalar(expected, i);
    const Scalar b = load_scalar(actual, i);
    if (a == b) continue;
    if (!is_float(a.dtype))
      return fmt::format("element {} was {} and became {}", i, scalar_as_int(a), scalar_as_int(b));
    if (std::isnan(scalar_as_double(a)) && std::isnan(scalar_as_double(b))) continue;
    return fmt::format("element {} was {} and became {}", i, scalar_as_double(a), scalar_as_double(b));
  }
  return std::nullopt;
}

}  // namespace cohort
