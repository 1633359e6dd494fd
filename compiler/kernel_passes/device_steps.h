// Loops of steps on the GPU, each step of which has work for all of it: the CPU goes through the steps and
// launches what they consist of. Loops of small steps are one launch of one block instead.
#pragma once

#include "ir/kernel.h"

namespace cohort::kernel {

// Whether the last statement of a nest is such a loop, and the others are lets that each launch can repeat.
bool has_heavy_steps(const Program& program, const std::vector<Stmt>& nest, const Dims& dims);

// Whether a nest is a call of rt_gemm, with lets of indices before it; and that call alone, its scalars
// without the lets.
bool is_one_product(const std::vector<Stmt>& nest);
std::vector<Stmt> one_product(std::vector<Stmt> nest);

// Whether a nest is such a product, or a loop over the elements of one (Note [tiles] in ir/kernel.h), that a
// launch of its own computes in tiles, which lie in shared memory.
bool is_tiled(const std::vector<Stmt>& nest, const Dims& dims);

// What one step consists of: nests that can be launches of their own. Products without a launch of their own
// are loops. `nest` keeps its last statement, the loop, without a body.
std::vector<std::vector<Stmt>> parts_of_step(Program& program, std::vector<Stmt>& nest, const Dims& dims);

}  // namespace cohort::kernel
