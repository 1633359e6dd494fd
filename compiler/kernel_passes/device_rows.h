// Few rows of several loops each, within a block: every loop goes over all rows by itself, so that all
// threads have something to do.
#pragma once

#include "ir/kernel.h"

namespace cohort::kernel {

// Independent rows, fewer than there are threads, of which each is loops over independent elements.
bool is_few_rows(const Program& program, const Stmt& loop);

// for v0 { for v1 A, for v2 B }   ⇒   parallel v3 { v0 = v3 / n, v1 = v3 % n, A }, parallel v4 { ..., B }
std::vector<Stmt> rows_apart(Program& program, Stmt loop);

}  // namespace cohort::kernel
