// Kernels that are equal but for buffers and scalar constants share one body, called over a table:
//
//   kernel a { simd v0 < 50 { x[v0] = mul(x[v0], 2.0) } }          kernel a {
//   kernel b { simd v1 < 50 { y[v1] = mul(y[v1], 2.0) } }    ⇒       simd v0 < 50 { x[v0] = mul(x[v0], v9) }
//   kernel c { simd v2 < 50 { z[v2] = mul(z[v2], 3.0) } }          }
//                                                                  row x v9 = 2.0
//                                                                  row y v9 = 2.0
//                                                                  row z v9 = 3.0
//                                                                  call a rows 0..3
//
// So 20,000 alike kernels cost the host compiler one. Only where that saves text: see kMinSaved. Calls keep
// the order of the kernels; where many calls would be left, kernels that do not depend on each other are
// brought into an order by depth of dependence, in which equal bodies stand together. Last of all passes:
// afterwards a buffer in a body is the one of row 0. See Note [rows] in ir/kernel.h.
#include <algorithm>
#include <unordered_map>

#include "compiler/kernel_passes/kernel_key.h"
#include "compiler/kernel_passes/kernel_pass.h"
#include "compiler/kernel_passes/walk.h"

namespace cohort::loop_passes {
namespace {

using namespace kernel;

constexpr std::size_t kMinMembers = 4;
constexpr std::size_t kMinSaved = 40;    // statements that need not be compiled again
constexpr std::size_t kManyCalls = 256;  // beyond it calls are reordered

struct Member {
  std::uint32_t kernel = 0;
  KernelKey key;
};
using Members = std::vector<Member>;

// Columns of the table in which the members differ, each once; `column` maps a position to its column or to
// kSame.
struct Columns {
  static constexpr std::size_t kSame = SIZE_MAX;
  std::vector<std::size_t> column;
  std::vector<std::size_t> positions;  // one position for each column
};
template <typename Values>
Columns columns_of(const Members& members, std::size_t count, Values&& values) {
  Columns result;
  result.column.assign(count, Columns::kSame);
  for (std::size_t p = 0; p < count; ++p) {
    const auto equals = [&](const Member& m) { return values(m)[p] == values(members[0])[p]; };
    if (std::all_of(members.begin(), members.end(), equals)) continue;
    for (std::size_t c = 0; c < result.positions.size() && result.column[p] == Columns::kSame; ++c) {
      const std::size_t other = result.positions[c];
      if (std::all_of(members.begin(), members.end(),
                      [&](const Member& m) { return values(m)[p] == values(m)[other]; }))
        result.column[p] = c;
    }
    if (result.column[p] != Columns::kSame) continue;
    result.column[p] = result.positions.size();
    result.positions.push_back(p);
  }
  return result;
}

class Outliner {
 public:
  explicit Outliner(Program& program) : program_(program), place_(program.kernels.size()) {}

  void run() {
    std::unordered_map<std::string, std::size_t> by_shape;
    std::vector<Members> groups;
    for (std::uint32_t k = 0; k < program_.kernels.size(); ++k) {
      Member member{k, kernel_key(program_, k)};
      const auto [found, fresh] = by_shape.try_emplace(member.key.shape, groups.size());
      if (fresh) groups.emplace_back();
      member.key.shape.clear();
      groups[found->second].push_back(std::move(member));
    }
    std::vector<Kernel> kernels;
    bool any = false;
    for (const Members& members : groups) {
      const std::size_t saved =
          (members.size() - 1) * count_statements(program_.kernels[members[0].kernel].body);
      if (members.size() >= kMinMembers && saved >= kMinSaved) {
        share(members, kernels);
        any = true;
        continue;
      }
      for (const Member& member : members) {
        place_[member.kernel] = {static_cast<std::uint32_t>(kernels.size()), 0, 1};
        kernels.push_back(program_.kernels[member.kernel]);
      }
    }
    if (!any) return;
    program_.calls = joined(in_order());
    if (program_.calls.size() > kManyCalls) program_.calls = joined(by_depth());
    program_.kernels = std::move(kernels);
  }

 private:
  void share(const Members& members, std::vector<Kernel>& kernels) {
    Kernel shared = program_.kernels[members[0].kernel];
    const KernelKey& first = members[0].key;
    const Columns buffers = columns_of(
        members, first.buffers.size(), [](const Member& m) -> const auto& { return m.key.buffers; });
    const Columns scalars = columns_of(
        members, first.scalars.size(), [](const Member& m) -> const auto& { return m.key.scalars; });
    for (const std::size_t p : buffers.positions) shared.parameters.push_back(first.buffers[p]);
    shared.scalars.resize(scalars.positions.size());
    for (ScalarParameter& scalar : shared.scalars) scalar.var = program_.next_var++;
    std::size_t position = 0;
    rewrite_scalars(shared.body, [&](const ExprRef& e) -> ExprRef {
      const std::size_t column = scalars.column[position++];
      if (column == Columns::kSame) return e;
      shared.scalars[column].dtype = e->dtype;
      return variable(shared.scalars[column].var, e->dtype);
    });
    for (const Member& member : members) {
      KernelRow row;
      for (const std::size_t p : buffers.positions) row.buffers.push_back(member.key.buffers[p]);
      for (const std::size_t p : scalars.positions) row.scalars.push_back(member.key.scalars[p]);
      for_each_stmt(program_.kernels[member.kernel].body, [&](const Stmt& s) {
        row.sources.insert(row.sources.end(), s.sources.begin(), s.sources.end());
      });
      place_[member.kernel] = {static_cast<std::uint32_t>(kernels.size()),
                               static_cast<std::uint32_t>(shared.rows.size()), 1};
      shared.rows.push_back(std::move(row));
    }
    kernels.push_back(std::move(shared));
  }

  std::vector<KernelCall> in_order() const { return place_; }

  // Kernels by depth of dependence; of one depth those with one body together, rows ascending.
  std::vector<KernelCall> by_depth() const {
    std::vector<std::size_t> written(program_.buffers.size()),
        read(program_.buffers.size());  // depth after it, 0: never
    std::size_t checks = 0, prints = 0;
    std::vector<std::pair<std::size_t, KernelCall>> calls;
    for (std::size_t k = 0; k < program_.kernels.size(); ++k) {
      std::size_t depth = 0;
      bool check = false, print = false, state = false;
      for_each_use(program_.kernels[k].body, [&](const BufferUse& use) {
        depth = std::max(depth, written[use.buffer]);
        if (use.written) depth = std::max(depth, read[use.buffer]);
        state = state || (use.written && program_.buffers[use.buffer].kind == BufferKind::kState);
      });
      for_each_stmt(program_.kernels[k].body, [&](const Stmt& s) {
        check = check || s.kind == StmtKind::kCheck || s.kind == StmtKind::kAssert;
        print = print || s.kind == StmtKind::kPrint || s.kind == StmtKind::kAssert;
      });
      if (state) depth = std::max(depth, checks);
      if (print) depth = std::max(depth, prints);
      for_each_use(program_.kernels[k].body, [&](const BufferUse& use) {
        std::size_t& last = use.written ? written[use.buffer] : read[use.buffer];
        last = std::max(last, depth + 1);
      });
      if (check) checks = std::max(checks, depth + 1);
      if (print) prints = std::max(prints, depth + 1);
      calls.emplace_back(depth, place_[k]);
    }
    std::stable_sort(calls.begin(), calls.end(), [](const auto& a, const auto& b) {
      return std::tuple(a.first, a.second.kernel, a.second.first_row) <
             std::tuple(b.first, b.second.kernel, b.second.first_row);
    });
    std::vector<KernelCall> result;
    for (const auto& [depth, call] : calls) result.push_back(call);
    return result;
  }

  // Neighbours that run consecutive rows of one kernel become one call.
  static std::vector<KernelCall> joined(const std::vector<KernelCall>& calls) {
    std::vector<KernelCall> result;
    for (const KernelCall& call : calls) {
      if (!result.empty() && call.first_row > 0 && result.back().kernel == call.kernel &&
          result.back().first_row + result.back().row_count == call.first_row)
        result.back().row_count += call.row_count;
      else
        result.push_back(call);
    }
    return result;
  }

  Program& program_;
  std::vector<KernelCall> place_;  // what runs a kernel of before, by its position
};

}  // namespace

Program outline(Program program, const Dims&) {
  Outliner(program).run();
  return program;
}

}  // namespace cohort::loop_passes
