// Which loops on flat indices threads may share, one claim a line.
#include "compiler/kernel_passes/independence.h"

#include <doctest/doctest.h>

using namespace cohort;
using namespace cohort::kernel;

namespace {

constexpr VarId kOuter = 0, kInner = 1, kLet = 2;
constexpr DType kF = DType::kF64, kI = DType::kI64;

ExprRef c(std::int64_t value) { return constant_index(value); }
ExprRef v(VarId id) { return variable(id, kI); }
ExprRef y(const ExprRef& index) { return load(0, kF, {index}); }
ExprRef zero() { return constant(make_scalar(kF, 0)); }

Stmt statement(StmtKind kind, DType dtype, VarId var, ExprRef value) {
  Stmt s;
  s.kind = kind;
  s.dtype = dtype;
  s.var = var;
  s.value = std::move(value);
  return s;
}
Stmt loop(VarId var, ExprRef extent, std::vector<Stmt> body) {
  Stmt s = statement(StmtKind::kFor, kI, var, std::move(extent));
  s.body = std::move(body);
  return s;
}
Stmt store(ExprRef index, ExprRef value) {
  Stmt s = statement(StmtKind::kStore, kF, 0, std::move(value));
  s.index = {std::move(index)};
  return s;
}

bool threads_may_share(const ExprRef& extent, std::vector<Stmt> body) {
  Program program;
  program.flat = true;
  program.buffers = {{"y", BufferKind::kOutput, kF, {Dim(1000000)}, 0},
                     {"at", BufferKind::kInput, kI, {Dim(1000)}, 0}};
  const Stmt outer = loop(kOuter, extent, std::move(body));
  return is_independent(program, outer, variation_of(outer), Together::kThreads);
}
// for v0 < outer { for v1 < inner { y[index] = 0 } }
bool stores_apart(const ExprRef& outer, const ExprRef& inner, const ExprRef& index) {
  return threads_may_share(outer, {loop(kInner, inner, {store(index, zero())})});
}

}  // namespace

TEST_CASE("rows that do not reach into each other") {
  CHECK(stores_apart(c(9), c(50), v(kOuter) * c(50) + v(kInner)));
  CHECK(stores_apart(c(9), c(40), v(kOuter) * c(50) + v(kInner) + c(10)));
  CHECK(!stores_apart(c(9), c(51), v(kOuter) * c(50) + v(kInner)));
  CHECK(stores_apart(c(9), c(2), v(kOuter) * c(3) + v(kInner) * c(2)));
  CHECK(!stores_apart(c(9), c(3), v(kOuter) * c(3) + v(kInner) * c(2)));
  CHECK(!stores_apart(c(9), c(50), v(kInner)));
  CHECK(!stores_apart(c(9), c(50), v(kOuter) + v(kInner)));
}

TEST_CASE("columns that the loop goes round once") {
  CHECK(stores_apart(c(30), c(200), v(kInner) * c(30) + v(kOuter)));
  CHECK(stores_apart(c(30), c(200), v(kInner) * c(60) + v(kOuter)));
  CHECK(!stores_apart(c(31), c(200), v(kInner) * c(30) + v(kOuter)));
  CHECK(!stores_apart(c(30), c(200), v(kInner) * c(45) + v(kOuter)));
}

TEST_CASE("extents that are known at run time") {
  const ExprRef n = extent(Dim::named(0)), more = extent(Dim::named(0, 1, 1));
  CHECK(stores_apart(c(9), n, v(kOuter) * n + v(kInner)));
  CHECK(!stores_apart(c(9), more, v(kOuter) * n + v(kInner)));
  CHECK(stores_apart(n, c(9), v(kInner) * n + v(kOuter)));
  CHECK(!stores_apart(more, c(9), v(kInner) * n + v(kOuter)));
  CHECK(!stores_apart(c(9), v(kOuter), v(kOuter) * c(50) + v(kInner)));
}

TEST_CASE("an index with a name is what it stands for") {
  const auto named = [](const ExprRef& row) {
    return threads_may_share(
        c(9), {loop(kInner, c(50),
                    {statement(StmtKind::kLet, kI, kLet, row), store(v(kLet) + v(kInner), zero())})});
  };
  CHECK(named(v(kOuter) * c(50)));
  CHECK(!named(v(kOuter) * c(49)));
  CHECK(!named(v(kInner) * c(50)));
}

TEST_CASE("what one iteration reads and another writes") {
  CHECK(threads_may_share(c(9), {store(v(kOuter), y(v(kOuter)))}));
  CHECK(!threads_may_share(c(9), {store(v(kOuter), y(v(kOuter) + c(1)))}));
  CHECK(!threads_may_share(c(9), {store(v(kOuter), y(c(0)))}));
  CHECK(threads_may_share(c(9), {store(v(kOuter) * c(2), y(v(kOuter) * c(2) + c(1)))}));
  CHECK(!threads_may_share(c(9), {store(v(kOuter) * c(2), y(v(kOuter) * c(2) + c(2)))}));
  CHECK(!threads_may_share(c(9), {store(load(1, kI, {v(kOuter)}), zero())}));
}

TEST_CASE("rows of different lengths in merged storage") {
  const auto share = [](const ExprRef& index) {
    Program program;
    program.flat = true;
    program.buffers = {{"y", BufferKind::kOutput, kF, {Dim(3), Dim(70)}, 0},
                       {"starts", BufferKind::kConstant, kI, {Dim(4)}, 0}};
    program.buffers[0].row_starts = {0, 50, 120, 140};
    program.buffers[0].row_table = 1;
    const ExprRef length = load(1, kI, {v(kOuter) + c(1)}) - load(1, kI, {v(kOuter)});
    const Stmt outer = loop(kOuter, c(3), {loop(kInner, length, {store(index, zero())})});
    return is_independent(program, outer, variation_of(outer), Together::kThreads);
  };
  CHECK(share(load(1, kI, {v(kOuter)}) + v(kInner)));
  CHECK(!share(load(1, kI, {c(0)}) + v(kInner)));
  CHECK(!share(v(kInner)));
}

TEST_CASE("a state variable alone and as one of many") {
  const auto share = [](std::vector<std::uint32_t> members) {
    Program program;
    program.flat = true;
    program.buffers = {{"y", BufferKind::kState, kF, {Dim(9)}, 2},
                       {"many", BufferKind::kState, kF, {Dim(99)}, 0}};
    program.buffers[1].members = std::move(members);
    const Stmt outer = loop(kOuter, c(9), {store(v(kOuter), load(1, kF, {v(kOuter)}))});
    return is_independent(program, outer, variation_of(outer), Together::kThreads);
  };
  CHECK(share({0, 1, 3}));
  CHECK(!share({0, 1, 2}));
}

TEST_CASE("values and effects stay within an iteration") {
  Stmt into = statement(StmtKind::kAccumulate, kF, kLet, zero()), own = into;
  into.index = {v(kOuter)};
  CHECK(!threads_may_share(c(9), {into}));
  CHECK(threads_may_share(c(9), {statement(StmtKind::kAccumulator, kF, kLet, nullptr), own}));
  CHECK(!threads_may_share(c(9), {statement(StmtKind::kAssign, kF, kLet, zero())}));
  CHECK(threads_may_share(
      c(9), {statement(StmtKind::kVar, kF, kLet, zero()), statement(StmtKind::kAssign, kF, kLet, zero())}));
  Stmt check = statement(StmtKind::kCheck, kF, 0, constant(make_scalar_int(DType::kBool, 1)));
  check.index = {v(kOuter), c(9)};
  CHECK(!threads_may_share(c(9), {check}));
}
