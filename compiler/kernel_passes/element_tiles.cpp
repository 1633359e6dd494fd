#include "compiler/kernel_passes/element_tiles.h"

#include <algorithm>

#include "compiler/kernel_passes/cooperate.h"
#include "compiler/kernel_passes/device_steps.h"
#include "compiler/kernel_passes/statements.h"
#include "compiler/kernel_passes/tile_places.h"
#include "ir/ops/product_call.h"

namespace cohort::kernel {

// A nest of loops around each other: lets before the loops, between them, and what the innermost does.
struct ElementNest {
  std::vector<Stmt> before, between, body;
  std::vector<const Stmt*> loops;
};

namespace {

bool is_elementwise(const std::vector<Stmt>& list) {
  return std::all_of(list.begin(), list.end(), [](const Stmt& s) {
    const bool plain = s.kind == StmtKind::kLet || s.kind == StmtKind::kVar || s.kind == StmtKind::kAssign ||
                       s.kind == StmtKind::kIf || s.kind == StmtKind::kStore;
    return plain && is_elementwise(s.body) && is_elementwise(s.else_body);
  });
}

// Nothing if the statements are no such nest.
std::optional<ElementNest> nest_of(const Program& program, const std::vector<Stmt>& kernel) {
  ElementNest nest;
  const std::vector<Stmt>* list = &kernel;
  while (!list->empty() && list->back().kind == StmtKind::kFor) {
    const Stmt& loop = list->back();
    if (!is_extent(loop.value) || is_of_threads(loop.mode) || !is_free(program, loop)) return std::nullopt;
    std::vector<Stmt>& lets = nest.loops.empty() ? nest.before : nest.between;
    lets.insert(lets.end(), list->begin(), list->end() - 1);
    nest.loops.push_back(&loop);
    list = &loop.body;
  }
  const auto is_let = [](const Stmt& s) { return s.kind == StmtKind::kLet; };
  if (nest.loops.empty() || !is_elementwise(*list) ||
      !std::all_of(nest.before.begin(), nest.before.end(), is_let) ||
      !std::all_of(nest.between.begin(), nest.between.end(), is_let))
    return std::nullopt;
  nest.body = *list;
  return nest;
}

// Whether lets outside the innermost loop, which move into it, load nothing that it stores.
bool keeps_order(const ElementNest& nest) {
  std::set<BufferId> written;
  for_each_use(nest.body, [&](const BufferUse& use) {
    if (use.written) written.insert(use.buffer);
  });
  bool keeps = true;
  for (const std::vector<Stmt>* lets : {&nest.before, &nest.between})
    for_each_use(*lets, [&](const BufferUse& use) { keeps = keeps && !written.contains(use.buffer); });
  return keeps;
}

// Adds those that are indices with names.
void add_indices(const std::vector<Stmt>& list, Substitution& lets) {
  for (const Stmt& s : list)
    if (s.kind == StmtKind::kLet && s.dtype == DType::kI64) lets[s.var] = substitute(s.value, lets);
}

}  // namespace

ElementTiles::ElementTiles(Program& program, const Stmt& call) : program_(program) {
  using namespace gemm;
  const std::vector<ExprRef>& s = call.index;
  loop_.kind = StmtKind::kFor;
  loop_.mode = LoopMode::kTiles;
  loop_.dtype = program.buffers[call.buffers[0]].dtype;
  loop_.var = program.next_var++;
  loop_.count = program.next_var;
  std::vector<ExprRef> place;
  for (int axis = 0; axis < 3; ++axis) place.push_back(variable(program.next_var++, DType::kI64));
  loop_.value = s[kBatch] * s[kM] * s[kN];
  loop_.buffers = {call.buffers[1], call.buffers[2]};
  loop_.index = {s[kAAt],    s[kBAt],  s[kBatch],   s[kM],      s[kN],    s[kK],
                 s[kABatch], s[kARow], s[kAColumn], s[kBBatch], s[kBRow], s[kBColumn]};
  loop_.sources = call.sources;
  Stmt store;
  store.buffer = call.buffers[0];
  store.index = {s[kCAt] + place[0] * s[kCBatch] + place[1] * s[kCRow] + place[2] * s[kCColumn]};
  store.value = variable(loop_.var, loop_.dtype);
  stored_[store.buffer] = store;
  loop_.body.push_back(std::move(store));
}

bool ElementTiles::add(const std::vector<Stmt>& kernel) {
  const std::optional<ElementNest> nest = nest_of(program_, kernel);
  if (!nest || !keeps_order(*nest)) return false;
  Substitution lets;
  add_indices(nest->before, lets), add_indices(nest->between, lets), add_indices(nest->body, lets);
  const std::optional<Substitution> loops = match(kernel, *nest, lets);
  if (!loops) return false;
  bool at_hand = true;
  for_each_load(kernel, [&](const Expr& e) {
    const auto found = stored_.find(e.id);
    if (found == stored_.end() || !at_hand) return;
    const ExprRef at = substitute(substitute(e.args[0], lets), *loops);
    at_hand = equal(decompose(at), decompose(found->second.index[0]));
  });
  if (at_hand) append(*nest, *loops);
  return at_hand;
}

std::vector<Stmt> ElementTiles::take(const std::set<BufferId>& loaded) {
  std::erase_if(loop_.body, [&](const Stmt& s) {
    return s.kind == StmtKind::kStore && stored_.contains(s.buffer) && !loaded.contains(s.buffer) &&
           program_.buffers[s.buffer].kind == BufferKind::kTemporary;
  });
  before_.push_back(std::move(loop_));
  return std::move(before_);
}

// The loops' variables in terms of places, by the first element that the nest loads.
std::optional<Substitution> ElementTiles::match(const std::vector<Stmt>& kernel, const ElementNest& nest,
                                                const Substitution& lets) const {
  const Stmt* store = nullptr;
  ExprRef index;
  for_each_load(kernel, [&](const Expr& e) {
    const auto found = stored_.find(e.id);
    if (found == stored_.end() || store != nullptr) return;
    store = &found->second;
    index = substitute(e.args[0], lets);
  });
  if (store == nullptr) return std::nullopt;
  const Linear element = decompose(store->index[0]), loaded = decompose(index);
  std::vector<Axis> places, loops;
  for (VarId axis = 0; axis < 3; ++axis) {
    const std::optional<Linear> stride = factor_of(element, loop_.count + axis);
    if (!stride) return std::nullopt;
    places.push_back({loop_.count + axis, loop_.index[gemm_tiles::kBatch + axis], *stride});
  }
  for (const Stmt* loop : nest.loops) {
    const std::optional<Linear> stride = factor_of(loaded, loop->var);
    if (!stride) return std::nullopt;
    loops.push_back({loop->var, loop->value, *stride});
  }
  return places_of_loops(std::move(places), std::move(loops));
}

void ElementTiles::append(const ElementNest& nest, const Substitution& loops) {
  Substitution renamed;
  for (const Stmt* loop : nest.loops) {
    loop_.sources.insert(loop_.sources.end(), loop->sources.begin(), loop->sources.end());
    const ExprRef& at = loops.at(loop->var);
    if (at->args.empty()) {
      renamed[loop->var] = at;
      continue;
    }
    loop_.body.push_back(let(loop->var, at));
  }
  const auto insert = [&](std::vector<Stmt> list, std::vector<Stmt>& to) {
    substitute(list, renamed);
    rewrite_exprs(list, [&](const ExprRef& e) {
      const auto found = e->kind == ExprKind::kLoad ? stored_.find(e->id) : stored_.end();
      return found == stored_.end() ? e : found->second.value;
    });
    to.insert(to.end(), std::make_move_iterator(list.begin()), std::make_move_iterator(list.end()));
  };
  insert(nest.before, before_);
  insert(nest.between, loop_.body);
  const std::size_t first = loop_.body.size();
  insert(nest.body, loop_.body);
  name_stored(first, loops);
}

// What statements from `first` on store gets a name, by which later readers know it.
void ElementTiles::name_stored(std::size_t first, const Substitution& loops) {
  std::vector<Stmt> named(loop_.body.begin(), loop_.body.begin() + static_cast<std::ptrdiff_t>(first));
  for (std::size_t i = first; i < loop_.body.size(); ++i) {
    Stmt& s = loop_.body[i];
    if (s.kind == StmtKind::kStore && !s.value->args.empty()) {
      named.push_back(let(program_.next_var++, s.value));
      s.value = variable(named.back().var, s.value->dtype);
    }
    named.push_back(std::move(s));
  }
  loop_.body = std::move(named);
  Substitution indices = loops;
  add_indices(loop_.body, indices);
  std::set<VarId> lets{loop_.var};
  std::map<BufferId, int> stores;
  for_each_stmt(loop_.body, [&](const Stmt& s) {
    if (s.kind == StmtKind::kLet) lets.insert(s.var);
    if (s.kind == StmtKind::kStore) ++stores[s.buffer];
  });
  for (std::size_t i = first; i < loop_.body.size(); ++i) {
    const Stmt& s = loop_.body[i];
    // Additions that are stores leave more than their value.
    const bool known_value = s.kind == StmtKind::kStore && s.op == ScalarOp::kNone && s.value->args.empty() &&
                             (s.value->kind != ExprKind::kVar || lets.contains(s.value->id));
    if (!known_value || stores[s.buffer] != 1) continue;
    Stmt known = s;
    known.index = {substitute(s.index[0], indices)};
    stored_[s.buffer] = std::move(known);
  }
}

}  // namespace cohort::kernel
