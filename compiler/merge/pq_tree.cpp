// Whether a set fits, and reading the tree. A reduction goes through
//   mark_full    from the leaves up: which nodes lie in the set as a whole
//   find_apex    from the lowest partial nodes up to where they meet: the lowest node with all the set below
//   it fits         whether the apex and the paths down from it can be brought into order rebuild      which
//   does that (pq_rebuild.cpp)
// Nodes that have all their leaves outside the set are never visited.
#include "compiler/merge/pq_tree.h"

#include <algorithm>

namespace cohort {

PqTree::PqTree(std::uint32_t element_count) : leaf_count_(element_count), nodes_(element_count) {
  marks_.resize(element_count);
  if (element_count == 0) return;
  root_ = element_count == 1 ? 0 : make_node(false);
  for (NodeId leaf = 0; leaf < element_count && root_ != leaf; ++leaf) attach(root_, leaf, 1);
}

bool PqTree::reduce(std::span<const std::uint32_t> set) {
  mark_full(set);
  bool done = true;
  if (!tips_.empty()) {
    const NodeId apex = find_apex();
    done = apex != kNone && fits(apex);
    if (done) rebuild(apex);
  }
  clear_marks();
  return done;
}

void PqTree::touch(NodeId x) {
  if (marks_[x].touched) return;
  marks_[x].touched = true;
  touched_.push_back(x);
}

// Marks full nodes and leaves in `tips_` the other nodes that have full children. A full node has at least
// two children, so there are fewer of them than leaves in the set.
void PqTree::mark_full(std::span<const std::uint32_t> set) {
  const auto fill = [&](NodeId x) {
    touch(x);
    if (!marks_[x].full) full_.push_back(x);
    marks_[x].full = true;
  };
  for (const NodeId leaf : set) fill(leaf);
  for (std::size_t i = 0; i < full_.size(); ++i) {
    const NodeId x = full_[i], parent = nodes_[x].parent;
    if (parent == kNone) continue;
    touch(parent);
    Mark& mark = marks_[parent];
    marks_[x].next_full = mark.first_full;
    mark.first_full = x;
    if (++mark.full_count == nodes_[parent].count) fill(parent);
  }
  steps_ += touched_.size();
  for (const NodeId x : touched_)
    if (!marks_[x].full) tips_.push_back(x);
}

// Climbs from all tips by turns, each step linking a node to its parent as a partial child, until one tip is
// left. Taking turns bounds how far one goes beyond the apex by what the others have to climb. A tip that
// cannot be below the apex stays where it is. kNone if the tips do not meet.
PqTree::NodeId PqTree::find_apex() {
  std::size_t left = tips_.size();
  NodeId x = tips_[0];
  for (std::size_t i = 0; left > 1; ++i) {
    if (i == tips_.size()) return kNone;
    ++steps_;
    const NodeId tip = tips_[i], parent = nodes_[tip].parent;
    if (parent == kNone || !full_side(tip)) continue;
    Mark& mark = marks_[parent];
    if (mark.partial_count == 2) return kNone;
    mark.partial[mark.partial_count++] = tip;
    if (mark.touched) {
      --left;
    } else {
      touch(parent);
      tips_.push_back(parent);
    }
  }
  while (nodes_[x].parent != kNone && marks_[nodes_[x].parent].touched) x = nodes_[x].parent;
  while (marks_[x].full_count == 0 && marks_[x].partial_count == 1) x = marks_[x].partial[0];
  return x;
}

// To which side a partial node's full leaves can be brought, as far as its own children decide.
std::optional<PqTree::Side> PqTree::full_side(NodeId x) const {
  const Mark& mark = marks_[x];
  if (mark.partial_count > 1) return std::nullopt;
  if (!nodes_[x].ordered) return 1;
  for (const Side side : {0u, 1u}) {
    std::uint32_t full = 0;
    NodeId child = nodes_[x].end[side];
    for (; marks_[child].full; child = nodes_[child].beside[1 - side]) ++full;
    if (full == mark.full_count && (mark.partial_count == 0 || child == mark.partial[0])) return side;
  }
  return std::nullopt;
}

// Whether the apex's children can be brought into the order empty, partial, full, partial, empty.
bool PqTree::fits_inside(NodeId apex) const {
  const Mark& mark = marks_[apex];
  if (!nodes_[apex].ordered) return true;
  std::array<NodeId, 2> next_to_full{};
  if (mark.full_count == 0) {
    next_to_full = {mark.partial[0], nodes_[mark.partial[0]].beside[0]};
    if (next_to_full[1] != mark.partial[1]) next_to_full[1] = nodes_[mark.partial[0]].beside[1];
  } else {
    std::uint32_t full = 1;
    for (const Side side : {0u, 1u}) {
      NodeId child = nodes_[mark.first_full].beside[side];
      for (; child != kNone && marks_[child].full; child = nodes_[child].beside[side]) ++full;
      next_to_full[side] = child;
    }
    if (full != mark.full_count) return false;
  }
  return std::all_of(mark.partial.begin(), mark.partial.begin() + mark.partial_count, [&](NodeId partial) {
    return partial == next_to_full[0] || partial == next_to_full[1];
  });
}

bool PqTree::fits(NodeId apex) const {
  if (!fits_inside(apex)) return false;
  for (NodeId x : marks_[apex].partial)
    for (; x != kNone; x = marks_[x].partial[0])
      if (!full_side(x)) return false;
  return true;
}

void PqTree::clear_marks() {
  for (const NodeId x : touched_) marks_[x] = {};
  touched_.clear();
  full_.clear();
  tips_.clear();
}

void PqTree::arrange() {
  // A node is reached first from its smallest leaf, so the children of a P node line up in ascending order.
  std::vector<bool> reached(nodes_.size());
  for (NodeId leaf = 0; leaf < leaf_count_; ++leaf)
    for (NodeId x = leaf; x != root_ && !reached[x]; x = nodes_[x].parent) {
      reached[x] = true;
      const NodeId parent = nodes_[x].parent;
      if (nodes_[parent].ordered) continue;
      detach(x);
      attach(parent, x, 1);
    }
  std::vector<NodeId> preorder, first_leaf(nodes_.size());
  for (NodeId x = root_; x != kNone; x = next_in_preorder(x)) preorder.push_back(x);
  std::for_each(preorder.rbegin(), preorder.rend(), [&](NodeId x) {
    const std::array<NodeId, 2>& end = nodes_[x].end;
    if (nodes_[x].ordered && first_leaf[end[1]] < first_leaf[end[0]]) mirror(x);
    first_leaf[x] = x < leaf_count_ ? x : first_leaf[end[0]];
  });
}

PqTree::NodeId PqTree::next_in_preorder(NodeId x) const {
  if (nodes_[x].count > 0) return nodes_[x].end[0];
  while (x != kNone && nodes_[x].beside[1] == kNone) x = nodes_[x].parent;
  return x == kNone ? kNone : nodes_[x].beside[1];
}

std::vector<std::uint32_t> PqTree::order() const {
  std::vector<std::uint32_t> leaves;
  for (NodeId x = root_; x != kNone; x = next_in_preorder(x))
    if (x < leaf_count_) leaves.push_back(x);
  return leaves;
}

std::string PqTree::to_text() const {
  std::string text;
  for (NodeId x = root_; x != kNone;) {
    if (x >= leaf_count_) {
      text += nodes_[x].ordered ? '[' : '(';
      x = nodes_[x].end[0];
      continue;
    }
    text += std::to_string(x);
    for (; x != kNone && nodes_[x].beside[1] == kNone; x = nodes_[x].parent)
      if (nodes_[x].parent != kNone) text += nodes_[nodes_[x].parent].ordered ? ']' : ')';
    if (x == kNone) break;
    text += ' ';
    x = nodes_[x].beside[1];
  }
  return text;
}

}  // namespace cohort
