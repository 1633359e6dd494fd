#include "compiler/merge/views.h"

#include <algorithm>
#include <unordered_map>

#include "compiler/merge/common_name.h"

namespace cohort::merge {
namespace {

using namespace kernel;

class Placer {
 public:
  Placer(const Module& module, Program& program, const Plan& plan, const Storages& states, Tables& tables)
      : module_(module),
        program_(program),
        plan_(plan),
        states_(states),
        tables_(tables),
        views_(program.buffers.size()) {}

  std::vector<View> run() {
    place_state();
    place_temporaries();
    return std::move(views_);
  }

 private:
  BufferKind kind(BufferId b) const { return program_.buffers[b].kind; }

  // Calls f with the arrays of every operand that wants them side by side.
  template <typename F>
  void for_each_list(F&& f) const {
    for (const Group& group : plan_.groups) {
      for (const Operand& operand : group.operands) {
        const std::vector<BufferId> arrays = plan_.arrays(operand);
        if (!arrays.empty()) f(arrays);
      }
    }
  }

  // State: a merged buffer for each part of a storage that groups of this program use together.
  void place_state() {
    std::vector<std::vector<std::uint32_t>> lists;
    for_each_list([&](const std::vector<BufferId>& buffers) {
      if (kind(buffers.front()) != BufferKind::kState) return;
      lists.emplace_back();
      for (const BufferId b : buffers) lists.back().push_back(program_.buffers[b].index);
    });
    const Storages used = join_lists(static_cast<std::uint32_t>(module_.states.size()), lists);
    struct Part {
      std::uint32_t storage, first, last;
    };
    std::vector<Part> parts;
    for (const std::vector<std::uint32_t>& members : used.members) {
      Part part{states_.storage[members.front()], UINT32_MAX, 0};
      for (const std::uint32_t s : members) {
        part.first = std::min(part.first, states_.position[s]);
        part.last = std::max(part.last, states_.position[s]);
      }
      parts.push_back(part);
    }
    std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
      return std::tie(a.storage, a.first) < std::tie(b.storage, b.first);
    });
    std::unordered_map<StateId, View> views;
    for (std::size_t i = 0; i < parts.size();) {
      Part part = parts[i];
      for (++i; i < parts.size() && parts[i].storage == part.storage && parts[i].first <= part.last; ++i)
        part.last = std::max(part.last, parts[i].last);
      const auto begin = states_.members[part.storage].begin();
      const std::vector<StateId> members(begin + part.first, begin + part.last + 1);
      std::vector<Shape> shapes;
      std::vector<std::string> names;
      for (const StateId s : members) {
        shapes.push_back(module_.states[s].type.shape);
        names.push_back(module_.states[s].name);
      }
      const BufferId buffer = add_merged(common_name(names), BufferKind::kState,
                                         module_.states[members.front()].type.dtype, shapes);
      program_.buffers[buffer].index = members.front();
      program_.buffers[buffer].members = members;
      for (std::uint32_t m = 0; m < members.size(); ++m) views[members[m]] = {buffer, m};
    }
    for (BufferId b = 0; b < views_.size(); ++b) {
      if (kind(b) != BufferKind::kState || !program_.buffers[b].members.empty()) continue;
      const auto found = views.find(program_.buffers[b].index);
      if (found != views.end()) views_[b] = found->second;
    }
  }

  void place_temporaries() {
    std::vector<std::vector<std::uint32_t>> lists;
    for_each_list([&](const std::vector<BufferId>& buffers) {
      const BufferKind k = kind(buffers.front());
      if (k == BufferKind::kTemporary || k == BufferKind::kOutput) lists.push_back(buffers);
    });
    const Storages storages = plan_storages(static_cast<std::uint32_t>(program_.buffers.size()), lists);
    for (const std::vector<std::uint32_t>& members : storages.members) {
      std::vector<Shape> shapes;
      std::vector<std::string> names;
      for (const BufferId b : members) {
        shapes.push_back(program_.buffers[b].shape);
        names.push_back(program_.buffers[b].name);
      }
      const BufferId buffer = add_merged(common_name(names), BufferKind::kTemporary,
                                         program_.buffers[members.front()].dtype, shapes);
      for (std::uint32_t m = 0; m < members.size(); ++m) views_[members[m]] = {buffer, m};
    }
  }

  BufferId add_merged(std::string name, BufferKind kind, DType dtype, const std::vector<Shape>& shapes) {
    Buffer buffer{std::move(name), kind, dtype, shapes.front()};
    const auto count = static_cast<std::int64_t>(shapes.size());
    if (std::all_of(shapes.begin(), shapes.end(), [&](const Shape& s) { return s == shapes.front(); })) {
      buffer.shape.insert(buffer.shape.begin(), Dim(count));
    } else {
      std::vector<std::int64_t> starts{0};
      for (const Shape& s : shapes) starts.push_back(starts.back() + cohort::max_element_count(s, {}));
      make_ragged(buffer, std::move(starts), tables_);
    }
    program_.buffers.push_back(std::move(buffer));
    return static_cast<BufferId>(program_.buffers.size() - 1);
  }

  const Module& module_;
  Program& program_;
  const Plan& plan_;
  const Storages& states_;
  Tables& tables_;
  std::vector<View> views_;
};

}  // namespace

void make_ragged(kernel::Buffer& buffer, std::vector<std::int64_t> starts, Tables& tables) {
  std::int64_t greatest = 0;
  for (std::size_t i = 1; i < starts.size(); ++i) greatest = std::max(greatest, starts[i] - starts[i - 1]);
  buffer.shape = {static_cast<std::int64_t>(starts.size()) - 1, greatest};
  buffer.row_table = tables.table(DType::kI64, {starts.begin(), starts.end()});
  buffer.row_starts = std::move(starts);
}

std::vector<View> place_arrays(const Module& module, Program& program, const Plan& plan,
                               const Storages& states, Tables& tables) {
  return Placer(module, program, plan, states, tables).run();
}

}  // namespace cohort::merge
