#include "compiler/merge/equal_states.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "compiler/effects.h"
#include "compiler/structural_hash.h"
#include "ir/op_def.h"
#include "ir/rewriter.h"

namespace cohort {

namespace {

using Vertex = std::uint32_t;

// What must be equal of two vertices beside the classes of their operands.
struct Label {
  enum Kind : std::uint8_t { kUnique, kState, kConstant, kNode };
  Kind kind = kUnique;
  Type type = {};
  const Tensor* data = nullptr;  // of a constant; a variable's initial value
  const Node* node = nullptr;
  std::uint32_t result = 0;                   // which of the node's
  std::vector<std::uint32_t> functions = {};  // that update the variable

  std::uint64_t hash() const {
    std::uint64_t hash = hash_combine(kind, hash_combine(result, static_cast<std::uint64_t>(type.dtype)));
    if (data != nullptr)
      hash = hash_combine(hash, hash_bytes({reinterpret_cast<const char*>(data->data()),
                                            static_cast<std::size_t>(data->bytes())}));
    if (node != nullptr)
      hash = hash_combine(hash, hash_combine(hash_bytes(node->op->name), hash_attrs(node->attrs)));
    for (const std::uint32_t f : functions) hash = hash_combine(hash, f);
    return hash_combine(hash, hash_shape(type.shape));
  }
  bool operator==(const Label& other) const {
    if (kind != other.kind || kind == kUnique || !(type == other.type) || result != other.result)
      return false;
    if (data != nullptr && !(*data == *other.data)) return false;
    if (functions != other.functions) return false;
    return node == nullptr ||
           (node->op == other.node->op && node->attrs == other.node->attrs &&
            node->regions == other.node->regions && node->inputs.size() == other.node->inputs.size());
  }
};

// The variables first, then constants, then every function's inputs and results of nodes. An edge leads from
// a vertex to what it is computed from: its operand at a position, which of a variable is the function whose
// update it is.
struct Graph {
  struct Use {
    std::uint32_t position;
    Vertex user;
  };
  std::vector<Label> labels;
  std::vector<std::vector<Use>> uses;  // by operand
  void edge(Vertex from, std::uint32_t position, Vertex to) { uses[to].push_back({position, from}); }
};

Graph graph_of(const Module& module) {
  Graph graph;
  for (const State& state : module.states)
    graph.labels.push_back(
        {state.is_settable || state.device != DeviceHint::kNone ? Label::kUnique : Label::kState, state.type,
         &state.init});
  for (const Constant& constant : module.constants)
    graph.labels.push_back({Label::kConstant, constant.type, &constant.data});
  std::vector<std::vector<Vertex>> vertices;  // by function and value
  for (const auto& function : module.functions) {
    std::vector<Vertex>& of_value = vertices.emplace_back(function->values.size());
    for (ValueId id = 0; id < function->values.size(); ++id) {
      const Value& value = function->value(id);
      if (value.kind == ValueKind::kState) of_value[id] = value.index;
      if (value.kind == ValueKind::kConstant)
        of_value[id] = static_cast<Vertex>(module.states.size()) + value.index;
      if (value.kind == ValueKind::kState || value.kind == ValueKind::kConstant) continue;
      of_value[id] = static_cast<Vertex>(graph.labels.size());
      Label label;
      if (value.kind == ValueKind::kNode && !has_effect(function->node(value.index)))
        label = {Label::kNode, value.type, nullptr, &function->node(value.index), value.result};
      graph.labels.push_back(std::move(label));
    }
  }
  graph.uses.resize(graph.labels.size());
  for (std::uint32_t f = 0; f < module.functions.size(); ++f) {
    const Function& function = *module.functions[f];
    for (ValueId id = 0; id < function.values.size(); ++id) {
      if (function.value(id).kind != ValueKind::kNode) continue;
      const Node& node = function.node(function.value(id).index);
      for (std::uint32_t k = 0; k < node.inputs.size(); ++k)
        graph.edge(vertices[f][id], k, vertices[f][node.inputs[k]]);
    }
    for (const Update& update : function.updates) {
      const Vertex value = vertices[f][update.value];
      if (value == update.state || module.states[update.state].is_settable) continue;
      graph.labels[update.state].functions.push_back(f);
      graph.edge(update.state, f, value);
    }
  }
  return graph;
}

// Hopcroft's refinement: a class is split where some members, and not all, have their operand at a position
// in the splitter. Of a class that was used already the smaller half suffices.
class Partition {
 public:
  explicit Partition(const Graph& graph)
      : graph_(graph),
        class_of_(graph.labels.size()),
        members_(graph.labels.size()),
        place_(members_.size()) {
    begin();
    while (!pending_.empty()) {
      const std::uint32_t splitter = pending_.back();
      pending_.pop_back();
      refine(splitter);
    }
  }
  std::uint32_t class_of(Vertex v) const { return class_of_[v]; }

 private:
  struct Class {
    std::uint32_t first = 0, size = 0, marked = 0;  // members_[first, first + size), those marked in front
  };

  void begin() {
    std::unordered_map<std::uint64_t, std::vector<Vertex>> known;  // one vertex for each label
    for (Vertex v = 0; v < members_.size(); ++v) {
      std::vector<Vertex>& alike = known[graph_.labels[v].hash()];
      const auto same = std::find_if(alike.begin(), alike.end(),
                                     [&](Vertex other) { return graph_.labels[other] == graph_.labels[v]; });
      class_of_[v] = same == alike.end() ? static_cast<std::uint32_t>(classes_.size()) : class_of_[*same];
      if (same == alike.end()) {
        classes_.emplace_back();
        if (graph_.labels[v].kind != Label::kUnique) alike.push_back(v);
      }
      ++classes_[class_of_[v]].size;
    }
    std::uint32_t end = 0;
    for (std::uint32_t c = 0; c < classes_.size(); ++c) {
      classes_[c].first = end;
      end += classes_[c].size;
      pending_.push_back(c);
    }
    std::vector<std::uint32_t> filled(classes_.size(), 0);
    for (Vertex v = 0; v < members_.size(); ++v) {
      const std::uint32_t c = class_of_[v];
      place_[v] = classes_[c].first + filled[c]++;
      members_[place_[v]] = v;
    }
  }

  void refine(std::uint32_t splitter) {
    const Class from = classes_[splitter];
    std::vector<Graph::Use> uses;
    for (std::uint32_t k = from.first; k < from.first + from.size; ++k)
      uses.insert(uses.end(), graph_.uses[members_[k]].begin(), graph_.uses[members_[k]].end());
    std::sort(uses.begin(), uses.end(), [](const Graph::Use& a, const Graph::Use& b) {
      return std::pair(a.position, a.user) < std::pair(b.position, b.user);
    });
    for (std::size_t k = 0; k < uses.size();) {
      std::vector<std::uint32_t> touched;
      const std::uint32_t position = uses[k].position;
      for (; k < uses.size() && uses[k].position == position; ++k) mark(uses[k].user, touched);
      for (const std::uint32_t c : touched) split(c);
    }
  }

  void mark(Vertex v, std::vector<std::uint32_t>& touched) {
    Class& c = classes_[class_of_[v]];
    if (c.marked == 0) touched.push_back(class_of_[v]);
    const std::uint32_t to = c.first + c.marked++;
    const Vertex other = members_[to];
    std::swap(members_[to], members_[place_[v]]);
    place_[other] = place_[v];
    place_[v] = to;
  }

  void split(std::uint32_t c) {
    const std::uint32_t marked = classes_[c].marked, size = classes_[c].size, first = classes_[c].first;
    classes_[c].marked = 0;
    if (marked == size) return;
    // The smaller half becomes the new class. If the whole class is pending, both halves are now.
    const bool front = marked <= size - marked;
    const auto fresh = static_cast<std::uint32_t>(classes_.size());
    classes_.push_back(front ? Class{first, marked, 0} : Class{first + marked, size - marked, 0});
    classes_[c] = front ? Class{first + marked, size - marked, 0} : Class{first, marked, 0};
    for (std::uint32_t k = 0; k < classes_[fresh].size; ++k)
      class_of_[members_[classes_[fresh].first + k]] = fresh;
    pending_.push_back(fresh);
  }

  const Graph& graph_;
  std::vector<std::uint32_t> class_of_;
  std::vector<Vertex> members_;       // class by class
  std::vector<std::uint32_t> place_;  // by vertex, in members_
  std::vector<Class> classes_;
  std::vector<std::uint32_t> pending_;
};

}  // namespace

bool may_have_equal_states(const Module& module) {
  return std::count_if(module.states.begin(), module.states.end(),
                       [](const State& state) { return !state.is_settable; }) > 1;
}

std::vector<StateId> equal_states(const Module& module) {
  std::vector<StateId> leads(module.states.size());
  std::iota(leads.begin(), leads.end(), StateId{0});
  const Graph graph = graph_of(module);
  const Partition partition(graph);
  std::unordered_map<std::uint32_t, StateId> first;
  for (StateId s = 0; s < leads.size(); ++s) leads[s] = first.emplace(partition.class_of(s), s).first->second;
  return leads;
}

Module join_states(Module module, const std::vector<StateId>& leads) {
  ModuleBuilder builder(std::move(module));
  for (auto& slot : builder.module().functions) {
    const std::shared_ptr<const Function> function = slot;
    Rewriter rewriter(builder, *function);
    for (ValueId id = 0; id < function->values.size(); ++id) {
      const Value& value = function->value(id);
      if (value.kind == ValueKind::kState) rewriter.map(id, rewriter.to().state(leads[value.index]));
    }
    for (const Node& node : function->nodes) rewriter.copy(node);
    for (const Output& output : function->outputs) rewriter.to().output(output.name, rewriter(output.value));
    for (const Update& update : function->updates)
      if (leads[update.state] == update.state) rewriter.to().update(update.state, rewriter(update.value));
    slot = std::make_shared<const Function>(rewriter.to().finish());
  }
  return builder.finish();
}

}  // namespace cohort
