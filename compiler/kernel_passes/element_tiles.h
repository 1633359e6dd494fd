// A loop over the elements of a product (Note [tiles] in ir/kernel.h) and what is done to them in it.
#pragma once

#include <map>
#include <set>

#include "compiler/kernel_passes/walk.h"

namespace cohort::kernel {

struct ElementNest;

class ElementTiles {
 public:
  // Of a call of rt_gemm: the elements are stored as it stores them.
  ElementTiles(Program& program, const Stmt& call);

  // By buffer, the statements that store every element of it once: where it is loaded at the element at hand,
  // the value is known.
  const std::map<BufferId, Stmt>& stored() const { return stored_; }

  // Adds what a kernel does, if that is a nest of independent loops over the same elements and all that it
  // loads of `stored` is the element at hand; else false. It neither stores what the product or earlier
  // statements touch nor loads what these store without being in `stored`: the caller knows.
  bool add(const std::vector<Stmt>& kernel);

  // The statements of a kernel; stores to temporaries that are not in `loaded` are left out.
  std::vector<Stmt> take(const std::set<BufferId>& loaded);

 private:
  std::optional<Substitution> match(const std::vector<Stmt>& kernel, const ElementNest& nest,
                                    const Substitution& lets) const;
  void append(const ElementNest& nest, const Substitution& loops);
  void name_stored(std::size_t first, const Substitution& loops);

  Program& program_;
  Stmt loop_;
  std::vector<Stmt> before_;
  std::map<BufferId, Stmt> stored_;
};

}  // namespace cohort::kernel
