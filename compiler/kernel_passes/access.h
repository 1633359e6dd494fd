// How memory accesses move with a loop variable: what vectorising, fusing and the emitters' choice of load
// depend on.
#pragma once

#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "ir/kernel.h"

namespace cohort::kernel {

// The variables of a loop's body that change with its variable, and what is known of them.
struct LoopVariation {
  VarId var = 0;                            // the loop's variable
  std::optional<std::int64_t> trips;        // where known
  std::unordered_set<VarId> varying;        // it, and every variable whose value depends on it
  std::unordered_set<VarId> inside;         // every variable the body defines, loops included
  std::unordered_map<VarId, ExprRef> lets;  // definitions of the body
};
LoopVariation variation_of(const Stmt& loop);

bool varies(const ExprRef& expr, const LoopVariation& loop);

// d such that expr = d * var + something that does not change with var, if there is a constant d.
std::optional<std::int64_t> coefficient(const ExprRef& expr, const LoopVariation& loop);

// c if the expr is the variable plus a constant c.
std::optional<std::int64_t> offset_from(const Expr& expr, VarId var);

// The position of an element as one expr: the index itself where it is flat already.
ExprRef flat_index(const Buffer& buffer, const std::vector<ExprRef>& index);

enum class Movement : std::uint8_t {
  kInvariant,  // the same element in every iteration
  kUnit,       // the next element
  kStrided,    // a fixed distance, known now or at entry
  kOther       // computed: needs an index for each element
};
// How an access to `buffer` moves from one iteration to the next; flat indices and those with one expr per
// axis.
Movement movement(const Buffer& buffer, const std::vector<ExprRef>& index, const LoopVariation& loop);

// Whether accesses to one buffer, some of which write, never meet between different iterations: all agree on
// an axis whose index changes with the loop's variable and with nothing else of the loop, or all that may
// meet at all do: those with other constants on an axis, or in another range of it, do not.
using IndexRef = const std::vector<ExprRef>*;  // null: all of the buffer
bool tells_iterations_apart(const std::vector<IndexRef>& accesses, const LoopVariation& loop);

}  // namespace cohort::kernel
