// The runtime's sorting against its plain description (call_sorting), for every dtype.
#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "cohort/sort.h"
#include "ir/ops/sorting.h"
#include "support.h"

using namespace cohort;
using namespace cohort::test;

namespace {

template <typename T>
void check_type(DType dtype, std::int64_t outer, std::int64_t n, std::int64_t inner, std::int64_t k) {
  Tensor x = varied(dtype, {outer, n, inner}, static_cast<int>(n));
  if (is_float(dtype) && x.size() > 3) {
    set_element(x, 1, std::nan(""));
    set_element(x, x.size() / 2, -0.0);
    set_element(x, x.size() - 1, 0.0);
    set_element(x, x.size() - 2, std::nan(""));
  }
  const auto fresh = [&] {
    return std::vector<Tensor>{Tensor(dtype, {outer, n, inner}), Tensor(DType::kI64, {outer, n, inner}),
                               Tensor(dtype, {outer, k, inner}), Tensor(DType::kI64, {outer, k, inner})};
  };
  std::vector<Tensor> expected = fresh(), actual = fresh();
  const std::int64_t scalars[] = {outer, n, inner, k};
  const std::span<const std::int64_t> view(scalars, 3);
  call_sorting("rt_sort", {&expected[0], 1}, {&x, 1}, view);
  call_sorting("rt_argsort", {&expected[1], 1}, {&x, 1}, view);
  call_sorting("rt_topk", {&expected[2], 2}, {&x, 1}, scalars);
  const T* from = x.as<T>();
  rt_sort(actual[0].mutable_as<T>(), from, outer, n, inner);
  rt_argsort(actual[1].mutable_as<std::int64_t>(), from, outer, n, inner);
  rt_topk(actual[2].mutable_as<T>(), actual[3].mutable_as<std::int64_t>(), from, outer, n, inner, k);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(std::string(dtype_name(dtype)));
    CAPTURE(n);
    CAPTURE(i);
    CHECK(actual[i] == expected[i]);
  }
}

void check_all(std::int64_t outer, std::int64_t n, std::int64_t inner, std::int64_t k) {
  check_type<std::uint8_t>(DType::kBool, outer, n, inner, k);
  check_type<std::int8_t>(DType::kI8, outer, n, inner, k);
  check_type<std::int16_t>(DType::kI16, outer, n, inner, k);
  check_type<std::int32_t>(DType::kI32, outer, n, inner, k);
  check_type<std::int64_t>(DType::kI64, outer, n, inner, k);
  check_type<std::uint8_t>(DType::kU8, outer, n, inner, k);
  check_type<std::uint16_t>(DType::kU16, outer, n, inner, k);
  check_type<std::uint32_t>(DType::kU32, outer, n, inner, k);
  check_type<std::uint64_t>(DType::kU64, outer, n, inner, k);
  check_type<rt_f16>(DType::kF16, outer, n, inner, k);
  check_type<rt_bf16>(DType::kBF16, outer, n, inner, k);
  check_type<float>(DType::kF32, outer, n, inner, k);
  check_type<double>(DType::kF64, outer, n, inner, k);
}

}  // namespace

TEST_CASE("the runtime sorts as described") {
  for (const std::int64_t n : {0, 1, 2, 3, 15, 16, 17, 31, 33, 64, 100, 257}) {
    check_all(1, n, 1, n / 2);
    check_all(2, n, 3, n);
  }
  check_all(1, 3000, 1, 10);
}

TEST_CASE("the runtime sorts runs that are sorted, reversed and constant") {
  for (int kind = 0; kind < 3; ++kind) {
    const std::int64_t n = 1000;
    Tensor x(DType::kF64, {n}), sorted(DType::kF64, {n}), order(DType::kI64, {n});
    for (int i = 0; i < n; ++i) set_element(x, i, kind == 0 ? i / 3 : kind == 1 ? -(i / 3) : 7);
    Tensor expected = order;
    const std::int64_t view[] = {1, n, 1};
    call_sorting("rt_argsort", {&expected, 1}, {&x, 1}, view);
    rt_argsort(order.mutable_as<std::int64_t>(), x.as<double>(), 1, n, 1);
    CHECK(order == expected);
  }
}
