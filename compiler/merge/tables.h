// Constants that merging makes: what differs between members, by member.
#pragma once

#include <map>

#include "compiler/compiled.h"

namespace cohort::merge {

class Tables {
 public:
  Tables(Module& module, kernel::Program& program) : module_(module), program_(program) {}

  // What has value `bits[m]` for member m: a constant, a multiple of m and something, or an element of a
  // table.
  kernel::ExprRef by_member(DType dtype, const std::vector<std::uint64_t>& bits, const kernel::ExprRef& m);
  // A constant of its own for these values, made once.
  kernel::BufferId table(DType dtype, const std::vector<std::uint64_t>& bits);

  // Constants of one dtype one after the other: of equal shape stacked, otherwise flat; `starts` gets where
  // each begins in that case.
  kernel::BufferId stack(std::string name, const std::vector<kernel::BufferId>& parts,
                         std::vector<std::int64_t>& starts);

 private:
  kernel::BufferId add(std::string name, Tensor data);

  Module& module_;
  kernel::Program& program_;
  std::map<std::pair<DType, std::vector<std::uint64_t>>, kernel::BufferId> tables_;
  std::map<std::vector<kernel::BufferId>, kernel::BufferId> stacks_;
};

}  // namespace cohort::merge
