// What several threads do together: the body of one iteration of a `team` or `block` loop, see Note [threads]
// in ir/kernel.h.
#pragma once

#include "ir/kernel.h"

namespace cohort::kernel {

// Statements that one thread would run, shared out among the threads of a team or a block: loops whose
// iterations are independent become lane, thread or team loops, everything else is run by all threads alike,
// stores by one of them, with barriers where threads meet in memory. An accumulator of sixteen lanes has one
// lane in each thread of a team, so sums keep their order.
std::vector<Stmt> shared_out(Program& program, std::vector<Stmt> body, LoopMode among);

// Whether a loop's iterations may run on different threads.
bool is_free(const Program& program, const Stmt& loop);
// Whether a loop's iterations may run on different lanes of a team: independent but for what they accumulate
// into lanes. `loop_variation` as in independence.h.
bool runs_in_lanes(const Program& program, const Stmt& loop);

}  // namespace cohort::kernel
