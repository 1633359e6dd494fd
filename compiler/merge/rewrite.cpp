#include "compiler/merge/rewrite.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <unordered_map>

#include "compiler/kernel_passes/access.h"
#include "compiler/kernel_passes/walk.h"
#include "compiler/merge/align.h"
#include "compiler/merge/common_name.h"
#include "compiler/merge/cost.h"
#include "compiler/merge/tables.h"
#include "compiler/merge/views.h"

namespace cohort::merge {
namespace {

using namespace kernel;

// An operand in terms of the member: element [index] of the first member's array is [position, index] of
// `buffer`; of its list, element [i, index] is [place `position + i`, index].
struct Target {
  BufferId buffer = kNoBuffer;  // none: as it is
  ExprRef position;
  std::vector<ExprRef> extents;  // of the arrays, by axis, where the buffer holds them flat
  bool list = false;
  std::vector<std::uint64_t> places;  // of a list: positions of all members' arrays, one after the other
};

class Rewriter {
 public:
  Rewriter(Module& module, Program program, Plan plan, const Storages& states, std::size_t function,
           const CpuProfile& cpu, MergeResult& result)
      : module_(module),
        program_(std::move(program)),
        plan_(std::move(plan)),
        states_(states),
        function_(function),
        cpu_(cpu),
        result_(result),
        tables_(module, program_) {}

  Program run() {
    views_ = place_arrays(module_, program_, plan_, states_, tables_);
    order_members();
    copy_outputs();
    std::vector<Kernel> kernels;
    for (Group& group : plan_.groups)
      kernels.push_back(group.kernels.size() == 1 ? single(group.kernels.front()) : merged(group));
    std::move(copies_.begin(), copies_.end(), std::back_inserter(kernels));
    program_.kernels = std::move(kernels);
    return std::move(program_);
  }

 private:
  BufferKind kind(BufferId b) const { return program_.buffers[b].kind; }

  // Where the members of a group do not stand as its arrays lie, they take the order of the operand with
  // which most operands are blocks.
  void order_members() {
    for (Group& group : plan_.groups) {
      const std::vector<std::vector<std::uint32_t>> placed = places(group);
      std::vector<std::uint32_t> order(group.kernels.size()), best;
      std::iota(order.begin(), order.end(), 0U);
      std::size_t most = count_blocks(placed, order);
      for (auto by = placed.begin(); by != placed.end() && most < placed.size(); ++by) {
        std::stable_sort(order.begin(), order.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return (*by)[a] < (*by)[b]; });
        const std::size_t blocks = count_blocks(placed, order);
        if (blocks <= most) continue;
        most = blocks;
        best = order;
      }
      if (!best.empty()) reorder(group, best);
    }
  }
  // By operand that differs between members the place of each member's array.
  std::vector<std::vector<std::uint32_t>> places(const Group& group) const {
    std::vector<std::vector<std::uint32_t>> result;
    for (const Operand& operand : group.operands) {
      const BufferId first = operand.buffers.front();
      if (operand.shared || plan_.lists.contains(first) || views_[first].buffer == kNoBuffer) continue;
      result.emplace_back();
      for (const BufferId b : operand.buffers) result.back().push_back(views_[b].position);
    }
    return result;
  }
  static std::size_t count_blocks(const std::vector<std::vector<std::uint32_t>>& placed,
                                  const std::vector<std::uint32_t>& order) {
    return static_cast<std::size_t>(std::count_if(placed.begin(), placed.end(), [&](const auto& places) {
      return std::adjacent_find(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
               return places[b] != places[a] + 1;
             }) == order.end();
    }));
  }

  // Outputs that moved into a storage are copied to the caller's arrays at the end.
  void copy_outputs() {
    for (BufferId b = 0; b < views_.size(); ++b) {
      if (kind(b) != BufferKind::kOutput || views_[b].buffer == kNoBuffer) continue;
      Kernel kernel;
      kernel.name = program_.buffers[b].name;
      std::vector<ExprRef> index;
      std::vector<Stmt> loops;
      for (const Dim& d : program_.buffers[b].shape) {
        Stmt loop;
        loop.kind = StmtKind::kFor;
        loop.var = program_.next_var++;
        loop.value = extent(d);
        index.push_back(variable(loop.var, DType::kI64));
        loops.push_back(std::move(loop));
      }
      Stmt store;
      store.buffer = b;
      store.dtype = program_.buffers[b].dtype;
      store.index = index;
      store.value = load_from(target_of(b), store.dtype, index);
      std::vector<Stmt> body{std::move(store)};
      for (; !loops.empty(); loops.pop_back()) {
        loops.back().body = std::move(body);
        body = {std::move(loops.back())};
      }
      kernel.body = std::move(body);
      copies_.push_back(std::move(kernel));
    }
  }

  // Accesses.
  Target target_of(BufferId b) const {
    if (const auto list = plan_.lists.arrays.find(b); list != plan_.lists.arrays.end()) {
      Target target = list_target(list->second);
      target.position = constant_index(0);
      for (const Dim& d : program_.buffers[list->second.front()].shape) target.extents.push_back(extent(d));
      return target;
    }
    if (b >= views_.size() || views_[b].buffer == kNoBuffer) return {};
    Target target;
    target.buffer = views_[b].buffer;
    target.position = constant_index(views_[b].position);
    for (const Dim& d : program_.buffers[b].shape) target.extents.push_back(extent(d));
    return target;
  }
  Target list_target(const std::vector<BufferId>& arrays) const {
    Target target;
    target.list = true;
    target.buffer = views_[arrays.front()].buffer;
    for (const BufferId b : arrays) target.places.push_back(views_[b].position);
    return target;
  }
  std::vector<ExprRef> index_into(const Target& target, std::vector<ExprRef> index) {
    std::vector<ExprRef> result{target.position};
    if (target.list) {
      const ExprRef place = target.position + index.front();
      result = {place->kind == ExprKind::kConst
                    ? constant_index(static_cast<std::int64_t>(target.places[place->bits]))
                    : tables_.by_member(DType::kI64, target.places, place)};
      index.erase(index.begin());
    }
    if (program_.buffers[target.buffer].row_starts.empty()) {
      result.insert(result.end(), index.begin(), index.end());
      return result;
    }
    ExprRef flat = constant_index(0);
    for (std::size_t axis = 0; axis < index.size(); ++axis) flat = flat * target.extents[axis] + index[axis];
    result.push_back(std::move(flat));
    return result;
  }
  // The flat element at which the array begins.
  ExprRef start_of(const Target& target) const {
    const Buffer& buffer = program_.buffers[target.buffer];
    std::vector<ExprRef> index{target.position};
    index.resize(buffer.shape.size(), constant_index(0));
    return flat_index(buffer, index);
  }
  ExprRef load_from(const Target& target, DType dtype, const std::vector<ExprRef>& index) {
    return load(target.buffer, dtype, index_into(target, index));
  }

  using Targets = std::function<Target(BufferId)>;
  void redirect(std::vector<Stmt>& list, const Targets& targets,
                const std::function<ExprRef(const ExprRef&)>& constants) {
    for (Stmt& stmt : list) {
      rewrite_exprs(stmt, [&](const ExprRef& e) -> ExprRef {
        if (e->kind == ExprKind::kConst && constants) return constants(e);
        if (e->kind != ExprKind::kLoad) return e;
        const Target target = targets(e->id);
        return target.buffer == kNoBuffer ? e : load_from(target, e->dtype, e->args);
      });
      if (stmt.kind == StmtKind::kStore) {
        const Target target = targets(stmt.buffer);
        if (target.buffer != kNoBuffer) {
          stmt.index = index_into(target, stmt.index);
          stmt.buffer = target.buffer;
        }
      }
      for (std::size_t i = 0; i < stmt.buffers.size(); ++i) {
        const Target target = targets(stmt.buffers[i]);
        if (target.buffer == kNoBuffer) continue;
        stmt.buffers[i] = target.buffer;
        stmt.index[i] = stmt.index[i] + start_of(target);  // call_has_starts, or it would be fixed
      }
      redirect(stmt.body, targets, constants);
      redirect(stmt.else_body, targets, constants);
    }
  }

  Kernel single(std::uint32_t k) {
    Kernel kernel = std::move(program_.kernels[k]);
    redirect(kernel.body, [&](BufferId b) { return target_of(b); }, {});
    return kernel;
  }

  Kernel merged(const Group& group) {
    Stmt loop;
    loop.kind = StmtKind::kFor;
    loop.var = program_.next_var++;
    loop.value = constant_index(static_cast<std::int64_t>(group.kernels.size()));
    const ExprRef m = variable(loop.var, DType::kI64);
    record(group);
    std::unordered_map<BufferId, Target> targets;
    for (const Operand& operand : group.operands)
      targets.emplace(operand.buffers.front(), operand_target(operand, m));
    Kernel kernel = std::move(program_.kernels[group.kernels.front()]);
    std::size_t next = 0;
    redirect(
        kernel.body,
        [&](BufferId b) {
          const auto found = targets.find(b);
          return found == targets.end() ? target_of(b) : found->second;
        },
        [&](const ExprRef& e) {
          std::vector<std::uint64_t> bits;
          for (const std::vector<std::uint64_t>& values : group.constants) bits.push_back(values[next]);
          ++next;
          return tables_.by_member(e->dtype, bits, m);
        });
    std::vector<std::string> names{kernel.name};
    for (std::size_t i = 1; i < group.kernels.size(); ++i)
      names.push_back(program_.kernels[group.kernels[i]].name);
    kernel.name = common_name(names);
    result_.groups.back().kernel = kernel.name;
    loop.body = std::move(kernel.body);
    kernel.body = {std::move(loop)};
    return kernel;
  }

  Target operand_target(const Operand& operand, const ExprRef& m) {
    MergedGroup& report = result_.groups.back();
    if (operand.shared) {
      ++report.shared;
      const Buffer& buffer = program_.buffers[operand.buffers.front()];
      report.shared_bytes +=
          static_cast<std::uint64_t>(max_element_count(buffer, module_.dims) * dtype_bytes(buffer.dtype));
      return target_of(operand.buffers.front());
    }
    if (plan_.lists.contains(operand.buffers.front())) return lists_target(operand, m);
    Target target;
    std::vector<std::uint64_t> positions;
    if (kind(operand.buffers.front()) == BufferKind::kConstant) {
      target.buffer = stacked(operand.buffers, positions);
    } else {
      target.buffer = views_[operand.buffers.front()].buffer;
      for (const BufferId b : operand.buffers) positions.push_back(views_[b].position);
    }
    target.position = tables_.by_member(DType::kI64, positions, m);
    ++(target.position->kind == ExprKind::kLoad ? report.tables : report.blocks);
    report.places.push_back(
        {target.buffer, written_.contains(operand.buffers.front()), std::move(positions)});
    target.extents = extents_by_member(operand.buffers, m);
    return target;
  }
  // Each member has a list: all arrays in the order of the members, and where each list begins.
  Target lists_target(const Operand& operand, const ExprRef& m) {
    Target target = list_target(plan_.arrays(operand));
    std::vector<std::uint64_t> starts{0};
    std::vector<BufferId> first;
    for (const BufferId b : operand.buffers) {
      starts.push_back(starts.back() + plan_.lists.arrays.at(b).size());
      first.push_back(plan_.lists.arrays.at(b).front());
    }
    starts.pop_back();
    target.position = tables_.by_member(DType::kI64, starts, m);
    const bool block = std::adjacent_find(target.places.begin(), target.places.end(),
                                          [](std::uint64_t a, std::uint64_t b) { return b != a + 1; }) ==
                       target.places.end();
    ++(block ? result_.groups.back().blocks : result_.groups.back().tables);
    target.extents = extents_by_member(first, m);
    return target;
  }
  std::vector<ExprRef> extents_by_member(const std::vector<BufferId>& arrays, const ExprRef& m) {
    std::vector<ExprRef> result;
    const Shape shape = program_.buffers[arrays.front()].shape;  // a copy: tables are added to the buffers
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      std::vector<std::uint64_t> extents;
      for (const BufferId b : arrays)
        extents.push_back(static_cast<std::uint64_t>(program_.buffers[b].shape[axis].offset));
      result.push_back(shape[axis].is_constant() ? tables_.by_member(DType::kI64, extents, m)
                                                 : extent(shape[axis]));
    }
    return result;
  }

  // Constants by member: stacked in the order of the members, or, where most are repeated, each once.
  BufferId stacked(const std::vector<BufferId>& buffers, std::vector<std::uint64_t>& positions) {
    std::vector<BufferId> parts;
    std::unordered_map<BufferId, std::uint64_t> place;
    for (const BufferId b : buffers) {
      if (place.try_emplace(b, parts.size()).second) parts.push_back(b);
    }
    const bool repeated = parts.size() * 2 <= buffers.size();
    if (!repeated) parts = buffers;
    for (std::size_t m = 0; m < buffers.size(); ++m) positions.push_back(repeated ? place[buffers[m]] : m);
    std::vector<std::string> names;
    for (const BufferId b : parts) names.push_back(program_.buffers[b].name);
    std::vector<std::int64_t> starts;
    const BufferId result = tables_.stack(common_name(names), parts, starts);
    if (!starts.empty() && program_.buffers[result].row_starts.empty()) {
      Buffer buffer = program_.buffers[result];
      make_ragged(buffer, std::move(starts), tables_);
      program_.buffers[result] = std::move(buffer);
    }
    return result;
  }

  // For `explain` and the notes in emitted code.
  void record(const Group& group) {
    MergedGroup report;
    report.function = function_;
    report.statements = count_statements(program_.kernels[group.kernels.front()].body);
    for (const std::uint32_t k : group.kernels) {
      report.members.push_back(program_.kernels[k].name);
      std::vector<NodeId>& nodes = report.nodes.emplace_back();
      for_each_stmt(program_.kernels[k].body,
                    [&](const Stmt& s) { nodes.insert(nodes.end(), s.sources.begin(), s.sources.end()); });
    }
    const Times times = predicted_times(program_, cpu_, group.kernels);
    report.apart_ns = times.apart_ns;
    report.merged_ns = times.merged_ns;
    written_.clear();
    for_each_use(program_.kernels[group.kernels.front()].body, [&](const BufferUse& use) {
      if (use.written) written_.insert(use.buffer);
    });
    const auto index = static_cast<std::uint32_t>(result_.groups.size());
    for (const NodeId n : report.nodes.front()) result_.merged[function_].emplace(n, index);
    result_.groups.push_back(std::move(report));
  }

  Module& module_;
  Program program_;
  Plan plan_;
  const Storages& states_;
  const std::size_t function_;
  const CpuProfile& cpu_;
  MergeResult& result_;
  Tables tables_;
  std::vector<View> views_;     // by BufferId of the program before
  std::vector<Kernel> copies_;  // of outputs
  std::set<BufferId> written_;  // by the first member of the group under way
};

}  // namespace

Program rewrite(Module& module, Program program, Plan plan, const Storages& states, std::size_t function,
                const CpuProfile& cpu, MergeResult& result) {
  return Rewriter(module, std::move(program), std::move(plan), states, function, cpu, result).run();
}

}  // namespace cohort::merge
