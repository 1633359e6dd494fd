// Every operator on every dtype, ranks 0 to 3 and empty arrays: it is refused, or interpreter and loops
// agree. (With sanitizers this finds what the tables of values do not reach.)
#include <doctest/doctest.h>

#include "check.h"
#include "ir/op_def.h"

namespace cohort::test {

namespace {

// Plausible values for an attribute when x has this shape.
std::vector<Attr> candidates(const AttrSpec& spec, const Shape& x) {
  const std::int64_t rank = static_cast<std::int64_t>(x.size());
  switch (spec.kind) {
    case AttrKind::kBool:
      return {true};
    case AttrKind::kInt:
      return {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, std::int64_t{2}, INT64_MIN, INT64_MAX};
    case AttrKind::kFloat:
      return {1.5};
    case AttrKind::kString:
      return {std::string("edge"), std::string("wrap"), std::string("right"), std::string("i->")};
    case AttrKind::kInts:
      return {IntList(x.size(), 0),
              IntList(x.size(), 1),
              IntList(x.size(), -1),
              IntList{0},
              IntList{},
              rank == 0 ? IntList{} : IntList{rank - 1}};
    case AttrKind::kShape: {
      Shape longer = x;
      longer.insert(longer.begin(), Dim(2));
      const Shape first{x.empty() ? Dim(1) : x[0]};
      return {x, longer, first, Shape{-1}, Shape{}, Shape{2, 0}, Shape{INT64_MAX, 4}, Shape{INT64_MIN, -1}};
    }
    case AttrKind::kDType:
      return {DType::kF32, DType::kBool, DType::kU8};
    case AttrKind::kCustom:
      return {};
    case AttrKind::kStrings:
      return {Strings{}, Strings{"x"}};
  }
  return {};
}

// Every set of attributes with one candidate for each required one, and with at most one of the others.
std::vector<Attrs> attribute_sets(const OpDef& op, const Shape& x) {
  std::vector<Attrs> sets{{}};
  for (const AttrSpec& spec : op.attrs) {
    std::vector<Attrs> extended;
    for (const Attrs& set : sets) {
      if (!spec.required) extended.push_back(set);
      const bool is_full = !spec.required && extended.size() + sets.size() > 40;
      if (is_full) continue;
      for (Attr& value : candidates(spec, x)) {
        extended.push_back(set);
        set_attr(extended.back(), std::string(spec.name), std::move(value));
      }
    }
    sets = std::move(extended);
  }
  return sets;
}

}  // namespace

TEST_CASE("every operator on every dtype, ranks 0 to 3, and empty arrays") {
  const std::vector<Shape> shapes{{}, {3}, {0}, {1}, {2, 3}, {2, 2}, {2, 0}, {2, 1, 3}};
  for (const OpDef* op : all_ops()) {
    // They need functions that fit: tests/ops/loops.txt, tests/ops/custom.txt.
    if (!op->regions.empty() || op->attrs_in_node) continue;
    int accepted = 0;
    for (const Shape& x : shapes) {
      for (const Attrs& attrs : attribute_sets(*op, x)) {
        for (int d = 0; d < kDTypeCount; ++d) {
          const int most = std::min(op->max_inputs, op->min_inputs + 1);
          for (int count = op->min_inputs; count <= most; ++count) {
            std::vector<Type> types(static_cast<std::size_t>(count), Type{static_cast<DType>(d), x});
            accepted += try_op(*op, types, attrs);
            if (count < 2) continue;
            for (int i = 1; i < count; ++i) types[static_cast<std::size_t>(i)] = {DType::kI64, {}};
            accepted += try_op(*op, types, attrs);
          }
        }
      }
    }
    INFO(op->name);
    CHECK(accepted > 0);
  }
}

}  // namespace cohort::test
