#include "tools/cohort/explain_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "codegen/emit.h"
#include "compiler/kernel_passes/walk.h"
#include "ir/op_def.h"

namespace cohort {
namespace {

using kernel::Buffer;
using kernel::BufferId;
using kernel::BufferKind;
using kernel::Stmt;
using kernel::StmtKind;

// What a kernel touches; loops and statements counted.
struct Contents {
  std::set<NodeId> nodes;
  std::set<BufferId> reads, writes;
  int loops = 0, statements = 0;
};

Contents contents_of(const kernel::Kernel& k) {
  Contents contents;
  kernel::for_each_stmt(k.body, [&](const Stmt& s) {
    ++contents.statements;
    contents.loops += s.kind == StmtKind::kFor;
    contents.nodes.insert(s.sources.begin(), s.sources.end());
  });
  kernel::for_each_use(k.body, [&](const kernel::BufferUse& use) {
    (use.written ? contents.writes : contents.reads).insert(use.buffer);
  });
  for (const kernel::KernelRow& row : k.rows) contents.nodes.insert(row.sources.begin(), row.sources.end());
  return contents;
}

// A node as a member of a merged loop.
struct Membership {
  NodeId node = 0;
  std::size_t group = 0, member = 0;
  NodeId first = 0;  // what corresponds to it in the first member
};

class Explanation {
 public:
  Explanation(const Module& source, const CompiledModule& compiled, std::size_t index)
      : source_(source),
        compiled_(compiled),
        index_(index),
        f_(compiled.functions[index]),
        function_(*compiled.module.functions[index]) {
    for (const kernel::Kernel& k : f_.program.kernels) contents_.push_back(contents_of(k));
  }

  Json all(const std::string& node) const {
    Json json{{"nodes_in_file", source_.functions[index_]->nodes.size()},
              {"nodes", function_.nodes.size()},
              {"kernels_before", f_.lowered_kernels},
              {"kernels_after", f_.program.kernels.size()}};
    if (!node.empty()) {
      add_node(json, node);
      return json;
    }
    json["kernels"] = Json::array();
    for (std::size_t k = 0; k < contents_.size(); ++k) json["kernels"].push_back(kernel_json(k));
    json["groups"] = Json::array();
    const std::map<std::size_t, std::set<std::string>> homes = kernels_by_group();
    for (std::size_t g = 0; g < compiled_.groups.size(); ++g) {
      if (compiled_.groups[g].function != index_) continue;
      json["groups"].push_back(group_json(compiled_.groups[g]));
      if (const auto home = homes.find(g); home != homes.end())
        json["groups"].back()["in_kernels"] = home->second;
    }
    add_near_misses(json);
    return json;
  }

 private:
  // Kernels.
  std::string place(BufferId id) const {
    static constexpr const char* kSpaces[] = {"argument", "workspace", "weights", "gpu", "nowhere"};
    const Placement& p = f_.placements[id];
    const char* space = kSpaces[static_cast<int>(p.space)];
    const bool has_offset = p.space != Space::kArgument && p.space != Space::kNone;
    return has_offset ? fmt::format("{}+{}", space, p.offset) : space;
  }
  Json buffer_json(BufferId id) const {
    static constexpr const char* kKinds[] = {"input", "output", "state", "constant", "temporary"};
    const Buffer& b = f_.program.buffers[id];
    return {{"name", b.name},
            {"kind", kKinds[static_cast<int>(b.kind)]},
            {"type", to_string(Type{b.dtype, b.shape}, compiled_.module.dims)},
            {"at", place(id)}};
  }
  Json node_json(NodeId id) const {
    const Node& node = function_.node(id);
    Json json{{"name", display_name(function_, node.first_result)},
              {"op", node.op->name},
              {"type", to_string(function_.type(node.first_result), compiled_.module.dims)}};
    if (const auto group = f_.merged.find(id); group != f_.merged.end())
      json["alike"] = compiled_.groups[group->second].members.size();
    const SourceLoc& loc = compiled_.module.locations[node.loc];
    if (loc.line > 0) json["graph"] = fmt::format("{}:{}:{}", compiled_.module.file, loc.line, loc.column);
    if (!loc.user.empty()) json["source"] = loc.user;
    return json;
  }
  Json kernel_json(std::size_t index) const {
    const kernel::Kernel& k = f_.program.kernels[index];
    const Contents& contents = contents_[index];
    Json json{{"kernel", k.name},
              {"runs", std::max<std::size_t>(k.rows.size(), 1)},
              {"loops", contents.loops},
              {"statements", contents.statements}};
    for (const NodeId node : contents.nodes) json["computes"].push_back(node_json(node));
    for (const BufferId b : contents.reads) json["reads"].push_back(buffer_json(b));
    for (const BufferId b : contents.writes) json["writes"].push_back(buffer_json(b));
    return json;
  }

  // Groups.
  // Of groups that compute a node by that; of copies into state, which are joined to what they copy or need
  // no kernel at all, by what they write.
  std::map<std::size_t, std::set<std::string>> kernels_by_group() const {
    std::map<std::size_t, std::set<std::string>> result;
    std::map<BufferId, std::set<std::string>> writers;
    for (std::size_t k = 0; k < contents_.size(); ++k) {
      const std::string& name = f_.program.kernels[k].name;
      for (const NodeId n : contents_[k].nodes)
        if (const auto group = f_.merged.find(n); group != f_.merged.end())
          result[group->second].insert(name);
      for (const BufferId b : contents_[k].writes) writers[b].insert(name);
    }
    for (std::size_t g = 0; g < compiled_.groups.size(); ++g) {
      const MergedGroup& group = compiled_.groups[g];
      if (group.function != index_ || !group.nodes.front().empty()) continue;
      for (const MergedGroup::Place& place : group.places)
        if (const auto kernels = writers.find(place.buffer); place.written && kernels != writers.end())
          result[g].insert(kernels->second.begin(), kernels->second.end());
    }
    return result;
  }
  static Json group_json(const MergedGroup& group) {
    const std::size_t saved = group.members.size() - 1;
    // What all members have in common is read once; a position in a table is read for each member.
    const std::int64_t bytes = static_cast<std::int64_t>(saved * group.shared_bytes) -
                               static_cast<std::int64_t>(8 * group.tables * group.members.size());
    return {{"name", group.kernel},
            {"count", group.members.size()},
            {"members", group.members},
            {"statements", group.statements},
            {"blocks", group.blocks},
            {"tables", group.tables},
            {"shared", group.shared},
            {"kernels_before", group.members.size()},
            {"kernels_after", 1},
            {"predicted_ns", {{"apart", group.apart_ns}, {"merged", group.merged_ns}}},
            {"saved", {{"calls", saved}, {"statements", saved * group.statements}, {"bytes", bytes}}}};
  }
  void add_near_misses(Json& json) const {
    json["near_misses"] = Json::array();
    std::vector<const NearMiss*> misses;
    for (const NearMiss& miss : compiled_.near_misses)
      if (miss.function == index_) misses.push_back(&miss);
    std::stable_sort(misses.begin(), misses.end(), [](const NearMiss* a, const NearMiss* b) {
      return a->kernels.size() > b->kernels.size();
    });
    for (const NearMiss* miss : misses) {
      if (json["near_misses"].size() == kMostNearMisses) break;
      json["near_misses"].push_back({{"reason", miss->reason},
                                     {"count", miss->kernels.size()},
                                     {"would_save_at_most", {{"calls", miss->kernels.size() - 1}}},
                                     {"kernels", miss->kernels}});
    }
    json["near_misses_left_out"] = misses.size() - json["near_misses"].size();
  }

  // One node.
  std::optional<NodeId> find_node(const std::string& name) const {
    for (NodeId n = 0; n < function_.nodes.size(); ++n) {
      const Node& node = function_.node(n);
      for (ValueId r = 0; r < node.result_count; ++r)
        if (display_name(function_, node.first_result + r) == name) return n;
    }
    return std::nullopt;
  }
  std::optional<Membership> membership(NodeId node) const {
    for (std::size_t g = 0; g < compiled_.groups.size(); ++g) {
      const MergedGroup& group = compiled_.groups[g];
      if (group.function != index_ || group.nodes.front().empty()) continue;
      for (std::size_t m = 0; m < group.nodes.size(); ++m) {
        const auto found = std::find(group.nodes[m].begin(), group.nodes[m].end(), node);
        if (found == group.nodes[m].end()) continue;
        const auto at = static_cast<std::size_t>(found - group.nodes[m].begin());
        return Membership{node, g, m, group.nodes.front()[std::min(at, group.nodes.front().size() - 1)]};
      }
    }
    return std::nullopt;
  }
  void add_node(Json& json, const std::string& name) const {
    json["kernels"] = Json::array();
    const std::optional<NodeId> node = find_node(name);
    if (!node) return;
    const std::optional<Membership> member = membership(*node);
    for (std::size_t k = 0; k < contents_.size(); ++k) {
      const std::set<NodeId>& nodes = contents_[k].nodes;
      if (nodes.contains(*node) || (member && nodes.contains(member->first)))
        json["kernels"].push_back(kernel_json(k));
    }
    if (!member || json["kernels"].empty()) return;
    const MergedGroup& group = compiled_.groups[member->group];
    json["member"] = {{"node", name},
                      {"loop", group.kernel},
                      {"number", member->member},
                      {"of", group.members.size()},
                      {"kernel_before", group.members[member->member]},
                      {"stands_for_it", display_name(function_, function_.node(member->first).first_result)},
                      {"storage", storage_of(group, member->member)}};
  }
  // Where a member's result lies: in what the loop writes, or in the state that this is committed to.
  Json storage_of(const MergedGroup& group, std::size_t member) const {
    Json places = Json::array();
    for (const MergedGroup::Place& place : group.places) {
      if (!place.written) continue;
      const std::uint64_t position = place.positions[member];
      if (f_.placements[place.buffer].space != Space::kNone)
        places.push_back(array_json(place.buffer, position));
      for (const MergedGroup& commit : compiled_.groups)
        if (&commit != &group && commit.function == index_)
          add_committed(places, commit, place.buffer, position);
    }
    return places;
  }
  // The state variables that array `position` of a buffer is copied to.
  void add_committed(Json& places, const MergedGroup& commit, BufferId buffer, std::uint64_t position) const {
    if (!commit.nodes.front().empty()) return;  // it computes something
    for (const MergedGroup::Place& from : commit.places) {
      const auto found = std::find(from.positions.begin(), from.positions.end(), position);
      if (from.buffer != buffer || found == from.positions.end()) continue;
      const auto member = static_cast<std::size_t>(found - from.positions.begin());
      for (const MergedGroup::Place& to : commit.places) {
        if (to.written && f_.program.buffers[to.buffer].kind == BufferKind::kState)
          places.push_back(array_json(to.buffer, to.positions[member]));
      }
    }
  }
  Json array_json(BufferId id, std::uint64_t position) const {
    const Buffer& b = f_.program.buffers[id];
    Json json{{"buffer", b.name}, {"position", position}};
    if (b.kind == BufferKind::kState && position < b.members.size()) {
      const StateId state = b.members[position];
      json["state"] = compiled_.module.states[state].name;
      json["offset"] = compiled_.states[state].offset;
      json["bytes"] = compiled_.module.states[state].init.bytes();
      return json;
    }
    const std::int64_t width = dtype_bytes(b.dtype);
    std::int64_t first = 0, count = 0;
    if (b.row_starts.empty()) {
      const std::int64_t arrays = std::max<std::int64_t>(b.shape.front().offset, 1);
      count = kernel::max_element_count(b, compiled_.module.dims) / arrays;
      first = static_cast<std::int64_t>(position) * count;
    } else {
      first = b.row_starts[position];
      count = b.row_starts[position + 1] - first;
    }
    json["offset"] = f_.placements[id].offset + static_cast<std::uint64_t>(first * width);
    json["bytes"] = count * width;
    return json;
  }

  const Module& source_;
  const CompiledModule& compiled_;
  const std::size_t index_;
  const CompiledFunction& f_;
  const Function& function_;
  std::vector<Contents> contents_;  // by kernel
};

}  // namespace

Json explain_function(const Module& source, const CompiledModule& compiled, std::size_t function,
                      const std::string& node) {
  return Explanation(source, compiled, function).all(node);
}

Json explain_sources(const Module& source, const CompiledModule& compiled, CompileOptions options) {
  const auto size = [](const CompiledModule& module) {
    std::size_t bytes = 0, lines = 0;
    for (const Artefact& file : emit_module(module, {})) {
      if (!file.name.ends_with(".cpp")) continue;
      bytes += file.bytes.size();
      lines += static_cast<std::size_t>(std::count(file.bytes.begin(), file.bytes.end(), '\n'));
    }
    return Json{{"bytes", bytes}, {"lines", lines}};
  };
  Json json{{"as_compiled", size(compiled)}};
  options.merge = MergeMode::kOff;
  json["unmerged"] = size(compile(source, options));
  return json;
}

Json explain_storages(const CompiledModule& compiled) {
  Json storages = Json::array();
  for (const std::vector<StateId>& storage : compiled.state_storages) {
    Json members = Json::array();
    std::uint64_t bytes = 0;
    for (const StateId s : storage) {
      const State& state = compiled.module.states[s];
      members.push_back({{"name", state.name},
                         {"position", members.size()},
                         {"offset", compiled.states[s].offset},
                         {"bytes", state.init.bytes()}});
      bytes += static_cast<std::uint64_t>(state.init.bytes());
    }
    storages.push_back({{"offset", compiled.states[storage.front()].offset},
                        {"bytes", bytes},
                        {"count", storage.size()},
                        {"members", std::move(members)}});
  }
  return storages;
}

Json explain_equal_states(const CompiledModule& compiled) {
  std::map<StateId, Json> others;  // by what they equal
  for (StateId s = 0; s < compiled.states.size(); ++s)
    if (const StateId lead = lead_of(compiled, s); lead != s)
      others.try_emplace(lead, Json::array()).first->second.push_back(compiled.module.states[s].name);
  Json equal = Json::array();
  for (auto& [lead, names] : others)
    equal.push_back({{"state", compiled.module.states[lead].name},
                     {"count", names.size()},
                     {"others", std::move(names)}});
  return equal;
}

}  // namespace cohort
