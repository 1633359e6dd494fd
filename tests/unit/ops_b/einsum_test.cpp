#include <doctest/doctest.h>

#include <map>

#include "support.h"

using namespace cohort;
using namespace cohort::test;

namespace {

Tensor einsum(const std::string& equation, const std::vector<Tensor>& inputs) {
  return run1("einsum", inputs, {{"equation", equation}});
}

// The definition, term by term: `terms` and `result` are letters only.
Tensor summed_by_definition(const std::vector<std::string>& terms, const std::string& result,
                            const std::vector<Tensor>& inputs) {
  std::map<char, std::int64_t> extents;
  for (std::size_t i = 0; i < terms.size(); ++i)
    for (std::size_t axis = 0; axis < terms[i].size(); ++axis)
      extents[terms[i][axis]] = inputs[i].extents()[axis];
  Extents result_extents;
  for (const char c : result) result_extents.push_back(extents[c]);
  Tensor sum(inputs[0].dtype(), result_extents);
  std::map<char, std::int64_t> index;
  for (const auto& [c, extent] : extents) index[c] = 0;
  const auto flat = [&](const std::string& term) {
    std::int64_t at = 0;
    for (const char c : term) at = at * extents[c] + index[c];
    return at;
  };
  for (bool more = true; more;) {
    double product = 1;
    for (std::size_t i = 0; i < terms.size(); ++i) product *= element_as_double(inputs[i], flat(terms[i]));
    set_element(sum, flat(result), element_as_double(sum, flat(result)) + product);
    more = false;
    for (auto& [c, i] : index) {
      if (++i < extents[c]) {
        more = true;
        break;
      }
      i = 0;
    }
  }
  return sum;
}

void check(const std::vector<std::string>& terms, const std::string& result) {
  const std::map<char, std::int64_t> extents{{'i', 2}, {'j', 3}, {'k', 4}, {'l', 5}, {'b', 3}, {'c', 2}};
  std::vector<Tensor> inputs;
  std::string equation;
  for (const std::string& term : terms) {
    Extents own;
    for (const char c : term) own.push_back(extents.at(c));
    inputs.push_back(varied(DType::kI64, own, static_cast<int>(inputs.size())));
    equation += (inputs.size() == 1 ? "" : ",") + term;
  }
  CAPTURE(equation);
  CHECK_SAME(einsum(equation + "->" + result, inputs), summed_by_definition(terms, result, inputs));
}

}  // namespace

TEST_CASE("einsum: one operand") {
  check({"i"}, "i");
  check({"ij"}, "ji");
  check({"ijk"}, "ki");
  check({"ijk"}, "");
  check({"ii"}, "");
  check({"ii"}, "i");
  check({"iji"}, "ji");
  check({"iijj"}, "ji");
  check({"iii"}, "i");
}

TEST_CASE("einsum: two operands") {
  check({"i", "i"}, "");
  check({"i", "i"}, "i");
  check({"i", "j"}, "ij");
  check({"i", "j"}, "ji");
  check({"ij", "jk"}, "ik");
  check({"ij", "jk"}, "ki");
  check({"ji", "jk"}, "ik");
  check({"ij", "kj"}, "ik");
  check({"ij", "j"}, "i");
  check({"j", "ji"}, "i");
  check({"ij", "ij"}, "");
  check({"ij", "ij"}, "i");
  check({"bij", "bjk"}, "bik");
  check({"ibj", "bkj"}, "kbi");
  check({"bj", "bjk"}, "bk");
  check({"bij", "bj"}, "ib");
  check({"bc", "bc"}, "cb");
  check({"ijkl", "kl"}, "ij");
  check({"ijkl", "klb"}, "ijb");
  check({"ijk", "lj"}, "ikl");
  check({"ij", "kl"}, "");
  check({"ii", "ij"}, "j");
  check({"", "ij"}, "ij");
}

TEST_CASE("einsum: more operands") {
  check({"ij", "jk", "kl"}, "il");
  check({"i", "ij", "j"}, "");
  check({"i", "i", "i"}, "i");
  check({"bi", "ijk", "bj"}, "bk");
  check({"ik", "jk", "kl"}, "ijl");
}

TEST_CASE("einsum: implicit results and ellipses") {
  const Tensor a = varied(DType::kI64, {2, 3}, 1), b = varied(DType::kI64, {3, 4}, 2);
  CHECK_SAME(einsum("ij,jk", {a, b}), summed_by_definition({"ij", "jk"}, "ik", {a, b}));
  CHECK_SAME(einsum("ba", {a}), summed_by_definition({"ba"}, "ab", {a}));
  CHECK_SAME(einsum(" i j , j k -> i k ", {a, b}), summed_by_definition({"ij", "jk"}, "ik", {a, b}));
  const Tensor square = varied(DType::kI64, {3, 3});
  CHECK_SAME(einsum("ii", {square}), summed_by_definition({"ii"}, "", {square}));
  const Tensor x = varied(DType::kI64, {2, 3, 4}, 3), y = varied(DType::kI64, {2, 4, 5}, 4);
  CHECK_SAME(einsum("...ij,...jk->...ik", {x, y}), summed_by_definition({"bij", "bjk"}, "bik", {x, y}));
  CHECK_SAME(einsum("...ij,...jk", {x, y}), summed_by_definition({"bij", "bjk"}, "bik", {x, y}));
  CHECK_SAME(einsum("i...->...", {x}), summed_by_definition({"iab"}, "ab", {x}));
  CHECK_SAME(einsum("...i->i...", {x}), summed_by_definition({"abi"}, "iab", {x}));
  CHECK_SAME(einsum("...,...", {a, a}), summed_by_definition({"ij", "ij"}, "ij", {a, a}));
  // An ellipsis of fewer axes broadcasts, and so do extents of 1.
  CHECK_SAME(einsum("...ij,...jk", {x, varied(DType::kI64, {4, 5}, 5)}),
             summed_by_definition({"bij", "jk"}, "bik", {x, varied(DType::kI64, {4, 5}, 5)}));
  const Tensor one = varied(DType::kI64, {1, 4}, 6);
  CHECK_SAME(einsum("ij,kj->ijk", {x.reshaped({6, 4}), one}).reshaped({6, 4}),
             summed_by_definition({"ij", "j"}, "ij", {x.reshaped({6, 4}), one.reshaped({4})}));
  CHECK_SAME(einsum("ij,ij->ij", {x.reshaped({6, 4}), one}),
             summed_by_definition({"ij", "j"}, "ij", {x.reshaped({6, 4}), one.reshaped({4})}));
}

TEST_CASE("einsum: dtypes") {
  for (const DType dtype : kAllDTypes) {
    CAPTURE(std::string(dtype_name(dtype)));
    for (const char* equation : {"ij,jk->ik", "ij,ij->", "ii->i", "ij->j"}) {
      std::vector<Tensor> inputs{varied(dtype, {3, 3}, 1)};
      if (std::string(equation).find(',') != std::string::npos) inputs.push_back(varied(dtype, {3, 3}, 2));
      CHECK(einsum(equation, inputs).dtype() == dtype);
    }
  }
  CHECK(einsum("i,i->i", {i64({1}, {1}), tensor(DType::kF32, {1}, {1})}).dtype() == DType::kF64);
}

TEST_CASE("einsum: what is built") {
  ModuleBuilder module("m");
  const DimId n = module.add_dim("n", 1, 9), k = module.add_dim("k", 1, 9);
  FunctionBuilder f(module, "f");
  const ValueId x = f.input("x", {DType::kF32, {Dim::named(n), 3}}), w = f.input("w", {DType::kF32, {5, 3}});
  const ValueId y = f.make("einsum", {x, w}, {{"equation", std::string("bi,oi->bo")}}, "y");
  REQUIRE(f.function().nodes.size() == 1);  // the transpose is the product's flag
  CHECK(f.function().nodes[0].op->name == "matmul");
  CHECK(f.function().values[y].name == "y");
  CHECK(to_string(f.type(y), module.module().dims) == "f32[n,5]");
  // Two named dims cannot be one axis: such products are summed elementwise.
  const ValueId z = f.input("z", {DType::kF32, {Dim::named(n), Dim::named(k), 3}});
  CHECK(to_string(f.type(f.make("einsum", {z, w}, {{"equation", std::string("bti,oi->bto")}})),
                  module.module().dims) == "f32[n,k,5]");
}

TEST_CASE("einsum refuses") {
  const Tensor a = f64({2, 3}, {1, 2, 3, 4, 5, 6});
  const auto message = [&](const std::string& equation, const std::vector<Tensor>& inputs) {
    return error_of("einsum", inputs, {{"equation", equation}}).message;
  };
  const std::string about = "`einsum`: attribute `equation` ";
  CHECK(message("ij,jk->ik", {a}) == about + "has 2 terms for 1 operands");
  CHECK(message("ijk->i", {a}) == about + "has the term `ijk` for operand 0, which has rank 2");
  CHECK(message("ijk...->i", {a}) == about + "has the term `ijk...` for operand 0, which has rank 2");
  CHECK(message("i1->i", {a}) == about + "contains `1`, which is no letter");
  CHECK(message("ij->ijj", {a}) == about + "names `j` twice in the result");
  CHECK(message("ij->ik", {a}) == about + "has `k` in the result and in no operand");
  CHECK(message("i...->i", {a}) == about + "sums over the axes of an ellipsis, which the result must have");
  CHECK(message("ij,ij->ij", {a, f64({2, 2}, {1, 2, 3, 4})}) == "`einsum`: shapes [3] and [2,2] do not fit");
}
