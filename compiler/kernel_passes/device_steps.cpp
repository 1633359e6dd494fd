#include "compiler/kernel_passes/device_steps.h"

#include <algorithm>
#include <cmath>

#include "compiler/kernel_passes/cooperate.h"
#include "compiler/kernel_passes/device_products.h"
#include "compiler/kernel_passes/loop_cost.h"
#include "compiler/kernel_passes/nests.h"
#include "compiler/kernel_passes/walk.h"
#include "ir/ops/product_call.h"

namespace cohort::kernel {
namespace {

// Statements that threads could run side by side: one block takes longer for more than for two launches.
constexpr double kHeavyStep = 1 << 17;
constexpr double kTile = 64;  // rt_gemm_tiles of cuda_gemm.h: rows and columns
constexpr double kShortSum = 128;
constexpr double kMostlyEmpty = 8;      // times more elements of tiles than of the result
constexpr double kFewProductRows = 16;  // leave most of a tile idle

// Reads nothing that a launch could change.
bool is_index(const ExprRef& e) {
  return e->kind != ExprKind::kLoad && e->kind != ExprKind::kFinish &&
         std::all_of(e->args.begin(), e->args.end(), is_index);
}

double work_of(const Program& program, const Stmt& s, const Dims& dims) {
  if (is_product_call(s)) return multiplications(s, dims);
  double body = 0, statements = 0;
  for (const Stmt& inner : s.body) body += work_of(program, inner, dims), ++statements;
  for (const Stmt& inner : s.else_body) body += work_of(program, inner, dims), ++statements;
  if (s.kind != StmtKind::kFor) return body;
  const double trips = greatest_extent(s.value, dims);
  return is_free(program, s) ? trips * std::max(body, statements) : trips * body;
}

// Whether tiles would be mostly empty, and sums so short that threads may walk along rows of memory each.
bool is_small(const ExprRef& m, const ExprRef& n, const ExprRef& k, const Dims& dims) {
  const double rows = greatest_extent(m, dims), columns = greatest_extent(n, dims);
  const double depth = greatest_extent(k, dims);
  const double tiles = std::ceil(rows / kTile) * std::ceil(columns / kTile);
  return depth <= kShortSum && rows * columns * kMostlyEmpty <= tiles * kTile * kTile;
}

// Whether a product has rows enough for tiles.
bool has_own_launch(const Stmt& stmt, const Dims& dims) {
  return stmt.kind == StmtKind::kCall && stmt.text == "rt_gemm" &&
         greatest_extent(stmt.index[gemm::kM], dims) >= kFewProductRows &&
         std::all_of(stmt.index.begin(), stmt.index.end(), is_index);
}

}  // namespace

bool is_tiled(const std::vector<Stmt>& nest, const Dims& dims) {
  const Stmt& last = nest.back();
  if (last.mode == LoopMode::kTiles) {
    using namespace gemm_tiles;
    return !is_small(last.index[kM], last.index[kN], last.index[kK], dims);
  }
  using namespace gemm;
  if (last.text == "rt_gemm_blas") return true;
  if (!is_one_product(nest) || is_small(last.index[kM], last.index[kN], last.index[kK], dims)) return false;
  return nest.size() == 1 || has_own_launch(last, dims);
}

bool is_one_product(const std::vector<Stmt>& nest) {
  const Stmt& last = nest.back();
  return last.kind == StmtKind::kCall && last.text == "rt_gemm" &&
         std::all_of(last.index.begin(), last.index.end(), is_index) &&
         std::all_of(nest.begin(), nest.end() - 1,
                     [](const Stmt& s) { return s.kind == StmtKind::kLet && is_index(s.value); });
}

std::vector<Stmt> one_product(std::vector<Stmt> nest) {
  Substitution lets;
  for (std::size_t i = 0; i + 1 < nest.size(); ++i) lets[nest[i].var] = substitute(nest[i].value, lets);
  std::vector<Stmt> call;
  call.push_back(std::move(nest.back()));
  substitute(call, lets);
  return call;
}

bool has_heavy_steps(const Program& program, const std::vector<Stmt>& nest, const Dims& dims) {
  const Stmt& loop = nest.back();
  const bool lets = std::all_of(nest.begin(), nest.end() - 1,
                                [](const Stmt& s) { return s.kind == StmtKind::kLet && is_index(s.value); });
  if (!lets || loop.kind != StmtKind::kFor || loop.mode != LoopMode::kSerial || !is_extent(loop.value) ||
      is_free(program, loop))
    return false;
  double work = 0;
  for (const Stmt& s : loop.body) work += work_of(program, s, dims);
  return work >= kHeavyStep;
}

std::vector<std::vector<Stmt>> parts_of_step(Program& program, std::vector<Stmt>& nest, const Dims& dims) {
  std::vector<Stmt> step(std::make_move_iterator(nest.begin()), std::make_move_iterator(nest.end() - 1));
  nest.erase(nest.begin(), nest.end() - 1);
  for (Stmt& s : nest[0].body) {
    std::vector<Stmt> one;
    one.push_back(std::move(s));
    if (!has_own_launch(one[0], dims)) write_products(program, one);
    step.push_back(std::move(one[0]));
  }
  nest[0].body.clear();
  return cut_into_nests(program, std::move(step));
}

}  // namespace cohort::kernel
