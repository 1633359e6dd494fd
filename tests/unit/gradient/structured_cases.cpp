// The table of structured operators: attributes, ranks, negative axes, empty arrays, named dims.
#include "support.h"

namespace cohort::test {

namespace {

Tensor x(const Extents& extents, int seed = 0) { return generic(extents, seed); }
Attr ints(std::initializer_list<std::optional<std::int64_t>> entries) { return IntList(entries); }
Attr shape(std::initializer_list<std::int64_t> extents) { return Shape(extents.begin(), extents.end()); }
Attr number(std::int64_t value) { return value; }
Attr text(std::string value) { return value; }
// Shapes over the dims n and m of module_of().
Attr named(std::initializer_list<Dim> dims) { return Shape(dims); }
const Dim kN = Dim::named(0);
constexpr std::nullopt_t kNull = std::nullopt;

using Cases = std::vector<Case>;

void rearrange(Cases& cases) {
  const Cases own{
      {"broadcast", {x({3, 1})}, {{"shape", shape({2, 3, 4})}}},
      {"broadcast", {x({})}, {{"shape", shape({2, 3})}}},
      {"broadcast", {x({1})}, {{"shape", shape({0})}}},
      {"broadcast", {x({3, 1})}, {{"shape", named({3, kN})}}},
      {"full", {x({})}, {{"shape", shape({2, 3})}}},
      {"full", {x({})}, {{"shape", named({kN, 2})}}},
      {"reshape", {x({2, 6})}, {{"shape", shape({3, -1})}}},
      {"reshape", {x({0, 2})}, {{"shape", shape({4, 0})}}},
      {"reshape", {x({3, 4})}, {{"shape", named({Dim::named(0, 2), 2})}}, {"f64[n,4]"}},
      {"transpose", {x({2, 3, 4})}, {}},
      {"transpose", {x({2, 3, 4})}, {{"axes", ints({2, 0, 1})}}},
      {"transpose", {x({2, 3, 4})}, {{"axes", ints({-2, -1, 0})}}},
      {"squeeze", {x({1, 3, 1})}, {}},
      {"squeeze", {x({1, 3, 1})}, {{"axes", ints({-1})}}},
      {"expand", {x({3, 2})}, {{"axes", ints({0, -1})}}},
      {"flip", {x({2, 3})}, {}},
      {"flip", {x({2, 3})}, {{"axes", ints({-1})}}},
      {"roll", {x({2, 3})}, {{"shifts", ints({1, -4})}}},
      {"roll", {x({3, 4})}, {{"shifts", ints({-1})}, {"axes", ints({-1})}}, {"f64[3,n]"}},
      {"tile", {x({2, 3})}, {{"reps", ints({2, 1, 3})}}},
      {"tile", {x({2, 3})}, {{"reps", ints({2})}}},
      {"tile", {x({2})}, {{"reps", ints({0})}}},
      {"tile", {x({3})}, {{"reps", ints({2, 2})}}, {"f64[n]"}},
      {"repeat", {x({2, 3})}, {{"repeats", number(2)}, {"axis", number(-1)}}},
      {"repeat", {x({3, 2})}, {{"repeats", number(3)}}, {"f64[n,2]"}},
      {"repeat", {x({2})}, {{"repeats", number(0)}}},
      {"diag", {x({3})}, {}},
      {"diag", {x({2})}, {{"k", number(-1)}}},
      {"diag", {x({3, 3})}, {{"k", number(1)}}},
      {"diag", {x({2, 4})}, {{"k", number(1)}}},
      {"diag", {x({4, 2})}, {{"k", number(-1)}}},
      {"diag", {x({2, 2})}, {{"k", number(5)}}},
      {"diag", {x({3, 3})}, {}, {"f64[n,n]"}},
      {"copy", {x({2, 3})}, {}},
      {"print", {x({2})}, {}},
      {"assert", {x({2}), tensor(DType::kBool, {2}, {1, 1})}, {}},
      {"add_n", {x({2}), x({2}, 1), x({2}, 2)}, {}},
      {"concat", {x({2, 3}), x({1, 3}, 1), x({0, 3})}, {}},
      {"concat", {x({2, 3}), x({2, 1}, 1)}, {{"axis", number(-1)}}},
      {"concat", {x({3, 2}), x({2, 2}, 1)}, {}, {"f64[n,2]", "f64[2,2]"}},
      {"stack", {x({2}), x({2}, 1), x({2}, 2)}, {}},
      {"stack", {x({2, 3}), x({2, 3}, 1)}, {{"axis", number(-1)}}},
      {"stack", {x({3}), x({3}, 1)}, {{"axis", number(1)}}, {"f64[n]", "f64[n]"}},
      {"split", {x({5, 2})}, {{"sizes", shape({2, 0, 3})}}},
      {"split", {x({2, 5})}, {{"axis", number(-1)}, {"sizes", named({kN, 2})}}, {"f64[2,n+2]"}},
  };
  cases.insert(cases.end(), own.begin(), own.end());
}

void pads(Cases& cases) {
  const auto pad = [&](const Extents& extents, Attr low, Attr high, const std::string& mode,
                       std::vector<std::string> types = {}) {
    Attrs attrs{{"low", low}, {"high", high}, {"mode", text(mode)}};
    cases.push_back({"pad", {x(extents)}, attrs, std::move(types)});
  };
  pad({2, 3}, ints({1, 0}), ints({0, 2}), "constant");
  pad({2, 3}, ints({0, 0}), ints({0, 0}), "constant");
  pad({0}, ints({1}), ints({2}), "constant");
  pad({3, 2}, ints({1, 1}), ints({2, 0}), "constant", {"f64[n,2]"});
  for (const char* mode : {"edge", "reflect", "wrap"}) {
    pad({3}, ints({2}), ints({4}), mode);
    pad({1}, ints({2}), ints({1}), mode);
    pad({2, 3, 2}, ints({0, 3, 0}), ints({0, 1, 0}), mode);
    pad({2, 3}, ints({1, 5}), ints({2, 0}), mode);
    pad({2, 3}, ints({0, 0}), ints({0, 0}), mode);
    pad({3, 2}, ints({4, 0}), ints({1, 1}), mode, {"f64[n,2]"});
  }
}

void slices(Cases& cases) {
  const Tensor one = i64({}, {1}), last = i64({}, {-1});
  const std::vector<std::pair<Attrs, Extents>> ways{
      {{{"starts", ints({1})}, {"stops", ints({3})}}, {2, 3}},
      {{{"axes", ints({-1})}, {"starts", ints({kNull})}, {"stops", ints({-1})}}, {4, 2}},
      {{{"steps", ints({-2, 2})}}, {2, 2}},
      {{{"axes", ints({1})}, {"starts", ints({-1})}, {"stops", ints({kNull})}, {"steps", ints({-1})}},
       {4, 3}},
      {{{"starts", ints({3})}, {"stops", ints({1})}}, {0, 3}},
  };
  for (const auto& [attrs, extents] : ways) {
    cases.push_back({"slice", {x({4, 3})}, attrs});
    cases.push_back({"set_slice", {x({4, 3}), x(extents, 1)}, attrs});
    cases.push_back({"inc_slice", {x({4, 3}), x(extents, 1)}, attrs});
  }
  const Attrs at{{"axes", ints({0, -1})}, {"sizes", shape({2, 2})}, {"steps", ints({1, -1})}};
  cases.push_back({"slice", {x({4, 3}), one, last}, at});
  cases.push_back({"set_slice", {x({4, 3}), x({2, 1}, 1), one, last}, at});
  cases.push_back({"inc_slice", {x({4, 3}), x({}, 1), one, last}, at});
  const Attrs inner{{"starts", ints({1})}, {"stops", ints({kNull})}};
  cases.push_back({"slice", {x({4, 2})}, {{"starts", ints({-1})}}, {"f64[n,2]"}});
  cases.push_back({"slice", {x({4, 2})}, inner, {"f64[n,2]"}});
  cases.push_back({"slice", {x({4, 2})}, {{"steps", ints({-1})}}, {"f64[n,2]"}});
  cases.push_back({"set_slice", {x({4, 2}), x({2}, 1)}, inner, {"f64[n,2]", "f64[2]"}});
  cases.push_back({"inc_slice", {x({4, 2}), x({2}, 1)}, {{"steps", ints({-1})}}, {"f64[n,2]", "f64[2]"}});
}

void indexed(Cases& cases) {
  const Tensor some = i64({2, 2}, {1, -1, 1, 0}), none = i64({0}, {}), two = i64({}, {2});
  const Tensor rows = i64({3, 1}, {0, -1, 1}), columns = i64({2}, {2, 0});
  const Tensor repeated = i64({4}, {1, 0, 1, -1});
  const Cases own{
      {"take", {x({3}), some}},
      {"take", {x({3, 2}), some}},
      {"take", {x({3, 2}), none}},
      {"take", {x({2, 3, 2}), some}, {{"axis", number(1)}}},
      {"take", {x({2, 3, 2}), two}, {{"axis", number(-2)}}},
      {"take", {x({2, 2, 3}), repeated}, {{"axis", number(-1)}}},
      {"take", {x({4, 3}), repeated}, {{"axis", number(1)}}, {"f64[n,3]", "i64[4]"}},
      {"take_along_axis", {x({3, 2}), some}, {{"axis", number(0)}}},
      {"take_along_axis", {x({1, 3}), some}, {{"axis", number(-1)}}},
      {"take_along_axis", {x({2, 3}), i64({1, 2}, {2, 0})}, {{"axis", number(1)}}},
      {"take_along_axis",
       {x({3, 2}), i64({3, 1}, {1, 0, 1})},
       {{"axis", number(1)}},
       {"f64[n,2]", "i64[n,1]"}},
      {"gather", {x({3}), repeated}},
      {"gather", {x({3, 3, 2}), rows, columns}},
      {"gather", {x({3, 2}), two}},
      {"gather", {x({3, 3}), rows, columns}, {}, {"f64[n,3]", "i64[3,1]", "i64[2]"}},
  };
  cases.insert(cases.end(), own.begin(), own.end());
  for (const char* op : {"scatter_set", "scatter_add"}) {
    cases.push_back({op, {x({3}), x({4}, 1), repeated}});
    cases.push_back({op, {x({3, 2}), x({4, 2}, 1), repeated}});
    cases.push_back({op, {x({3, 2}), x({}, 1), repeated}});
    cases.push_back({op, {x({3, 3, 2}), x({2, 1}, 1), rows, columns}});
    cases.push_back({op, {x({3, 2}), x({2}, 1), two}});
    cases.push_back({op, {x({3, 2}), x({0, 2}), none}});
    cases.push_back({op, {x({3}), x({4}, 1), repeated}, {}, {"f64[3]", "f64[n]", "i64[n]"}});
    cases.push_back({op,
                     {x({3, 2}), x({4, 2}, 1), i64({4, 1}, {1, 0, 1, 2}), i64({2}, {1, 1})},
                     {},
                     {"f64[3,2]", "f64[n,m]", "i64[n,1]", "i64[m]"}});
  }
}

void reductions(Cases& cases) {
  for (const char* op :
       {"reduce_sum", "reduce_prod", "reduce_mean", "reduce_max", "reduce_min", "logsumexp"}) {
    cases.push_back({op, {x({3})}});
    cases.push_back({op, {x({})}});
    cases.push_back({op, {x({2, 3})}, {{"axes", ints({-1})}}});
    cases.push_back({op, {x({2, 3, 2})}, {{"axes", ints({2, 0})}, {"keepdims", true}}});
    cases.push_back({op, {x({2, 3})}, {{"axes", ints({})}}});
    cases.push_back({op, {x({3, 0})}, {{"axes", ints({0})}}});
    cases.push_back({op, {x({3, 2})}, {{"axes", ints({0})}}, {"f64[n,2]"}});
    cases.push_back({op, {x({3, 2})}, {{"axes", ints({1})}}, {"f64[n,2]"}});
  }
  cases.push_back({"reduce_sum", {x({0, 2})}, {{"axes", ints({0})}}});
  cases.push_back({"reduce_prod", {x({0, 2})}, {{"axes", ints({0})}}});
  cases.push_back({"reduce_prod", {f64({3}, {0, 2, 3})}});
  cases.push_back({"reduce_prod", {f64({2, 3}, {1.5, 0, 2, -1, 3, .5})}, {{"axes", ints({1})}}});
  cases.push_back({"cumprod", {f64({4}, {2, 0, 3, -1})}});
  cases.push_back({"cumprod", {f64({3, 2}, {0, 1.5, 2, 0.5, 3, 0})}});
  for (const char* op : {"cumsum", "cumprod"}) {
    cases.push_back({op, {x({4})}});
    cases.push_back({op, {x({2, 3})}, {{"axis", number(-1)}}});
    cases.push_back({op, {x({2, 0})}, {{"axis", number(1)}}});
    cases.push_back({op, {x({3, 2})}, {}, {"f64[n,2]"}});
  }
  for (const char* op : {"softmax", "log_softmax", "sort"}) {
    cases.push_back({op, {x({4})}});
    cases.push_back({op, {x({3, 2})}, {{"axis", number(0)}}});
    cases.push_back({op, {x({2, 3, 2})}, {{"axis", number(-2)}}});
    cases.push_back({op, {x({3, 2})}, {{"axis", number(0)}}, {"f64[n,2]"}});
  }
  cases.push_back({"topk", {x({5})}, {{"k", number(2)}}});
  cases.push_back({"topk", {x({4, 2})}, {{"k", number(3)}, {"axis", number(0)}}});
  cases.push_back({"topk", {x({4, 2})}, {{"k", number(0)}, {"axis", number(-2)}}});
}

void products(Cases& cases) {
  const auto product = [&](const std::string& op, const Extents& a, const Extents& b, Attrs attrs = {},
                           std::vector<std::string> types = {}) {
    cases.push_back({op, {x(a), x(b, 1)}, std::move(attrs), std::move(types)});
  };
  for (const char* op : {"matmul", "dot"}) {
    product(op, {3}, {3});
    product(op, {2, 3}, {3});
    product(op, {3}, {3, 2});
    product(op, {2, 3}, {3, 4});
    product(op, {2, 2, 3}, {3});
    product(op, {2, 2, 3}, {3, 2});
    product(op, {3}, {2, 3, 2});
    product(op, {2, 0}, {0, 3});
    product(op, {0, 2}, {2, 3});
    product(op, {4, 3}, {3, 2}, {}, {"f64[n,3]", "f64[3,2]"});
    product(op, {2, 4, 3}, {3, 2}, {}, {"f64[2,n,3]", "f64[3,2]"});
    product(op, {3, 4, 2}, {2}, {}, {"f64[m,n,2]", "f64[2]"});
    product(op, {3, 4, 2}, {2, 2}, {}, {"f64[m,n,2]", "f64[2,2]"});
  }
  product("matmul", {2, 2, 3}, {2, 3, 2});
  product("matmul", {1, 2, 3}, {2, 3, 2});
  product("matmul", {2, 1, 2, 3}, {2, 3, 2});
  product("matmul", {2, 3}, {2, 3, 2});
  for (const bool a_swapped : {false, true}) {
    for (const bool b_swapped : {false, true}) {
      const Attrs flags{{"transpose_a", a_swapped}, {"transpose_b", b_swapped}};
      const auto matrix = [](Extents batch, std::int64_t rows, std::int64_t columns, bool swapped) {
        batch.push_back(swapped ? columns : rows);
        batch.push_back(swapped ? rows : columns);
        return batch;
      };
      product("matmul", matrix({}, 2, 3, a_swapped), matrix({}, 3, 4, b_swapped), flags);
      product("matmul", matrix({2}, 2, 3, a_swapped), matrix({}, 3, 1, b_swapped), flags);
      product("matmul", matrix({}, 2, 3, a_swapped), matrix({2}, 3, 1, b_swapped), flags);
      product("matmul", matrix({2, 1}, 2, 2, a_swapped), matrix({2}, 2, 1, b_swapped), flags);
    }
  }
  for (const Extents& batch : {Extents{}, Extents{2}}) {
    Extents matrix = batch;
    matrix.insert(matrix.end(), {3, 2});
    product("matmul", matrix, {3}, {{"transpose_a", true}});
    product("matmul", {2}, matrix, {{"transpose_b", true}});
  }
  product("dot", {}, {2, 3});
  product("dot", {2, 3}, {});
  product("dot", {}, {});
  product("dot", {2, 3}, {2, 3, 2});
  product("dot", {2, 1, 2}, {2, 2, 3});
  product("outer", {3}, {2});
  product("outer", {2, 2}, {3, 1});
  product("outer", {}, {2});
  product("outer", {3, 2}, {2}, {}, {"f64[n,2]", "f64[2]"});
  cases.push_back({"einsum", {x({2, 3}), x({3, 2}, 1)}, {{"equation", text("ij,jk->ik")}}});
  cases.push_back({"einsum", {x({3, 3})}, {{"equation", text("ii->i")}}});
}

}  // namespace

std::vector<Case> structured_cases() {
  Cases cases;
  rearrange(cases);
  pads(cases);
  slices(cases);
  indexed(cases);
  reductions(cases);
  products(cases);
  return cases;
}

}  // namespace cohort::test
