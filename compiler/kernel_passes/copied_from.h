// Which matrices a matrix is a copy of: itself, transposed, or several side by side.
#pragma once

#include <optional>

#include "ir/kernel.h"

namespace cohort::kernel {

struct CopiedPart {
  BufferId buffer = 0;
  std::int64_t column = 0;  // of the copy, at which it begins
  ExprRef columns;
  bool transposed = false;
};

class CopiedFrom {
 public:
  explicit CopiedFrom(const Program& program);

  // The parts of a temporary matrix from left to right, if kernels before `reader` make it by copying
  // matrices, and these are still the same in `reader`.
  std::optional<std::vector<CopiedPart>> parts_of(BufferId copy, std::uint32_t reader) const;

 private:
  struct Writer {
    std::uint32_t kernel = 0;
    std::optional<CopiedPart> part;  // if it is a copy of a whole matrix
  };
  void stores(const std::vector<Stmt>& list, std::vector<const Stmt*>& loops, std::uint32_t kernel);
  std::optional<CopiedPart> copied_part(const Stmt& store, const std::vector<const Stmt*>& loops) const;
  bool stays(BufferId buffer, std::uint32_t from, std::uint32_t to) const;

  const std::vector<Buffer> buffers_;
  std::vector<std::vector<Writer>> writers_;  // by buffer, in order of execution
};

}  // namespace cohort::kernel
