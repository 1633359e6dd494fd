#include "tools/cohort/explain_html.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "compiler/plan_memory.h"
#include "ir/atomic_file.h"
#include "ir/op_def.h"
#include "tools/cohort/page_template.h"

namespace cohort {
namespace {

// How much of each list a page has; the first row whose page is small enough is taken.
struct Limits {
  std::size_t nodes, names, kernels, bars, near;
};
constexpr Limits kLimits[] = {{12000, 12000, 4000, 6000, 200},
                              {4000, 2000, 1000, 3000, 50},
                              {1000, 500, 500, 1000, 20},
                              {0, 50, 200, 300, 5}};
constexpr std::size_t kNamesOfKernel = 40;  // that it computes, reads or writes

template <typename List>
Json first_names(const List& names, std::size_t limit) {
  Json result = Json::array();
  for (const auto& name : names) {
    if (result.size() == limit) break;
    result.push_back(name);
  }
  return result;
}

// One function of a page.
class FunctionPage {
 public:
  FunctionPage(const CompiledModule& compiled, std::size_t index, const Json& report, const Limits& limits)
      : compiled_(compiled),
        index_(index),
        report_(report),
        limits_(limits),
        f_(compiled.functions[index]),
        function_(*compiled.module.functions[index]),
        group_of_node_(function_.nodes.size(), -1) {
    for (std::size_t g = 0; g < compiled.groups.size(); ++g) {
      if (compiled.groups[g].function != index) continue;
      const int local = static_cast<int>(groups_.size());
      groups_.push_back(&compiled.groups[g]);
      for (const std::vector<NodeId>& nodes : groups_.back()->nodes)
        for (const NodeId n : nodes)
          if (group_of_node_[n] < 0) group_of_node_[n] = local;
      // A copy into state is drawn as the loop that computes what is copied.
      int writer = local;
      if (groups_.back()->nodes.front().empty())
        for (const MergedGroup::Place& place : groups_.back()->places)
          if (const auto from = group_of_buffer_.find(place.buffer);
              !place.written && from != group_of_buffer_.end())
            writer = from->second;
      for (const MergedGroup::Place& place : groups_.back()->places)
        if (place.written) group_of_buffer_.try_emplace(place.buffer, writer);
    }
  }

  Json all() const {
    Json json{{"name", function_.name}};
    for (const char* key : {"nodes_in_file", "nodes", "kernels_before", "kernels_after"})
      json[key] = report_[key];
    json["operators"] = operators();
    json["graph"] = graph();
    json["kernels"] = kernels();
    json["kernels_left_out"] = report_["kernels"].size() - json["kernels"].size();
    json["groups"] = groups();
    json["near_misses"] = near_misses();
    json["map"] = map();
    return json;
  }

 private:
  // The graph before: how many nodes of each operator are in which group (-1: in none).
  Json operators() const {
    std::map<std::string, std::map<int, std::size_t>> counts;
    for (NodeId n = 0; n < function_.nodes.size(); ++n)
      ++counts[std::string(function_.node(n).op->name)][group_of_node_[n]];
    Json result = Json::array();
    for (const auto& [op, by_group] : counts) result.push_back({{"op", op}, {"groups", by_group}});
    return result;
  }
  // [name, operator, group, layer, inputs] by node; empty if they are too many.
  Json graph() const {
    Json nodes = Json::array();
    if (function_.nodes.size() > limits_.nodes) return nodes;
    std::vector<std::size_t> layers(function_.nodes.size(), 0);
    for (NodeId n = 0; n < function_.nodes.size(); ++n) {
      const Node& node = function_.node(n);
      Json inputs = Json::array();
      for (const ValueId input : node.inputs) {
        const Value& v = function_.value(input);
        if (v.kind != ValueKind::kNode) continue;
        inputs.push_back(v.index);
        layers[n] = std::max(layers[n], layers[v.index] + 1);
      }
      nodes.push_back({display_name(function_, node.first_result), node.op->name, group_of_node_[n],
                       layers[n], std::move(inputs)});
    }
    return nodes;
  }

  Json kernels() const {
    Json result = Json::array();
    for (std::size_t k = 0; k < std::min(limits_.kernels, report_["kernels"].size()); ++k) {
      const Json& from = report_["kernels"][k];
      Json json{{"name", from["kernel"]},
                {"runs", from["runs"]},
                {"loops", from["loops"]},
                {"statements", from["statements"]},
                {"groups", Json::array()}};
      for (const char* key : {"computes", "reads", "writes"}) {
        std::vector<std::string> names;
        if (from.contains(key))
          for (const Json& thing : from[key]) names.push_back(thing["name"].get<std::string>());
        json[key] = first_names(names, kNamesOfKernel);
        json[std::string(key) + "_count"] = names.size();
      }
      result.push_back(std::move(json));
    }
    for (std::size_t g = 0; g < report_["groups"].size(); ++g) {
      const Json& group = report_["groups"][g];
      if (!group.contains("in_kernels")) continue;
      for (Json& kernel : result)
        if (std::find(group["in_kernels"].begin(), group["in_kernels"].end(), kernel["name"]) !=
            group["in_kernels"].end())
          kernel["groups"].push_back(g);
    }
    return result;
  }
  Json groups() const {
    Json result = Json::array();
    for (const Json& from : report_["groups"]) {
      Json json = from;
      json["members"] = first_names(from["members"], limits_.names);
      result.push_back(std::move(json));
    }
    return result;
  }
  Json near_misses() const {
    Json result = Json::array();
    for (const Json& from : report_["near_misses"]) {
      Json json = from;
      json["kernels"] = first_names(from["kernels"], limits_.near);
      result.push_back(std::move(json));
    }
    return result;
  }

  // Bars of the workspace: state over all steps, temporaries over those in which they live.
  Json map() const {
    const std::vector<Life> life = lives(f_.program);
    std::size_t steps = 1;
    for (const Life& l : life)
      if (l.first != Life::kNever) steps = std::max(steps, l.last + 1);
    Json bars = Json::array();
    add_state(bars);
    std::size_t left = 0;
    for (kernel::BufferId b = 0; b < f_.program.buffers.size(); ++b) {
      const kernel::Buffer& buffer = f_.program.buffers[b];
      if (f_.placements[b].space != Space::kWorkspace || buffer.kind != kernel::BufferKind::kTemporary)
        continue;
      if (bars.size() >= limits_.bars) {
        ++left;
        continue;
      }
      const auto group = group_of_buffer_.find(b);
      bars.push_back({{"name", buffer.name},
                      {"kind", "temporary"},
                      {"group", group == group_of_buffer_.end() ? -1 : group->second},
                      {"arrays", group == group_of_buffer_.end() ? 1 : buffer.shape.front().offset},
                      {"offset", f_.placements[b].offset},
                      {"bytes", buffer_bytes(buffer, compiled_.module.dims)},
                      {"each", stands_by_member(b)},
                      {"first", life[b].first},
                      {"last", life[b].last}});
    }
    return {{"steps", steps},
            {"header", compiled_.header_bytes},
            {"bytes", compiled_.workspace_bytes},
            {"left_out", left},
            {"bars", std::move(bars)}};
  }
  // Whether array m of a merged buffer is member m's, all of one size.
  bool stands_by_member(kernel::BufferId b) const {
    const auto group = group_of_buffer_.find(b);
    if (group == group_of_buffer_.end() || !f_.program.buffers[b].row_starts.empty()) return false;
    for (const MergedGroup::Place& place : groups_[static_cast<std::size_t>(group->second)]->places) {
      if (place.buffer != b || !place.written) continue;
      for (std::size_t m = 0; m < place.positions.size(); ++m)
        if (place.positions[m] != m) return false;
      return f_.program.buffers[b].shape.front().offset == static_cast<std::int64_t>(place.positions.size());
    }
    return false;
  }
  // Variables one by one while they are few, otherwise by storage.
  void add_state(Json& bars) const {
    std::vector<int> group_of_state(compiled_.states.size(), -1), storage(compiled_.states.size(), -1);
    for (std::size_t s = 0; s < compiled_.state_storages.size(); ++s)
      for (const StateId state : compiled_.state_storages[s]) storage[state] = static_cast<int>(s);
    for (const auto& [b, group] : group_of_buffer_) {
      for (const std::uint32_t state : f_.program.buffers[b].members) group_of_state[state] = group;
    }
    const bool each = compiled_.states.size() <= limits_.bars / 2;
    const auto bar = [&](StateId s, const std::string& name, std::size_t arrays, std::uint64_t bytes) {
      bars.push_back({{"name", name},
                      {"kind", "state"},
                      {"group", group_of_state[s]},
                      {"storage", storage[s]},
                      {"arrays", arrays},
                      {"offset", compiled_.states[s].offset},
                      {"bytes", bytes}});
    };
    const auto bytes_of = [&](StateId s) {
      return static_cast<std::uint64_t>(compiled_.module.states[s].init.bytes());
    };
    for (StateId s = 0; s < compiled_.states.size() && bars.size() < limits_.bars / 2; ++s)
      if (each || storage[s] < 0) bar(s, compiled_.module.states[s].name, 1, bytes_of(s));
    if (each) return;
    for (const std::vector<StateId>& members : compiled_.state_storages) {
      std::uint64_t bytes = 0;
      for (const StateId s : members) bytes += bytes_of(s);
      bar(members.front(), compiled_.module.states[members.front()].name + ", ...", members.size(), bytes);
    }
  }

  const CompiledModule& compiled_;
  const std::size_t index_;
  const Json& report_;
  const Limits& limits_;
  const CompiledFunction& f_;
  const Function& function_;
  std::vector<int> group_of_node_;  // -1: in none
  std::vector<const MergedGroup*> groups_;
  std::map<kernel::BufferId, int> group_of_buffer_;  // that writes it
};

Json storages_of(const Json& report, const Limits& limits) {
  Json result = Json::array();
  if (!report.contains("storages")) return result;
  for (const Json& from : report["storages"]) {
    Json names = Json::array();
    for (const Json& m : from["members"]) {
      if (names.size() == limits.names) break;
      names.push_back(m["name"]);
    }
    result.push_back({{"offset", from["offset"]},
                      {"bytes", from["bytes"]},
                      {"count", from["count"]},
                      {"members", std::move(names)}});
  }
  return result;
}

// JSON inside <script>: no character there can end the element or begin another.
std::string script_text(const Json& json) {
  std::string result;
  for (const char c : json.dump(-1, ' ', true, Json::error_handler_t::replace)) {
    if (c == '<' || c == '>' || c == '&')
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      result += c;
  }
  return result;
}

std::string html_text(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '&':
        result += "&amp;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string filled(const std::string& title, const std::string& data) {
  std::string page = kPageTemplate;
  // The later place first, so that what is filled in is never searched.
  page.replace(page.find("@DATA@"), 6, data);
  page.replace(page.find("@TITLE@"), 7, title);
  return page;
}

}  // namespace

std::string page_text(const CompiledModule& compiled, const Json& report) {
  std::string page;
  for (const Limits& limits : kLimits) {
    Json data{{"module", report["module"]}, {"functions", Json::array()}};
    for (std::size_t f = 0; f < compiled.functions.size(); ++f) {
      const std::string& name = compiled.module.functions[f]->name;
      if (report["functions"].contains(name))
        data["functions"].push_back(FunctionPage(compiled, f, report["functions"][name], limits).all());
    }
    data["storages"] = storages_of(report, limits);
    for (const char* key : {"sources", "measured", "placement"})
      if (report.contains(key)) data[key] = report[key];
    page = filled(html_text(report["module"].get<std::string>()), script_text(data));
    if (page.size() <= kMostPageBytes) break;
  }
  return page;
}

void write_page(const std::string& path, const CompiledModule& compiled, const Json& report) {
  write_file(path, page_text(compiled, report));
}

}  // namespace cohort
