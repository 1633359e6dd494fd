// Bringing a set's leaves side by side, after pq_tree.cpp has found that they can be, and lists of children.
#include <utility>

#include "compiler/merge/pq_tree.h"

namespace cohort {

void PqTree::rebuild(NodeId apex) { nodes_[apex].ordered ? rebuild_q(apex) : rebuild_p(apex); }

// (empty... partial full... partial) ⇒ (empty... [partial (full...) partial]), where partial children become
// their own children, in order. Without partial children: (empty... (full...)).
void PqTree::rebuild_p(NodeId apex) {
  const Mark mark = marks_[apex];
  const NodeId full = take_full(apex);
  if (mark.partial_count == 0) return attach(apex, full, 1);
  const Split first = split(mark.partial[0]);
  if (full != kNone) attach(first.node, full, first.full_side);
  if (mark.partial_count == 2) {
    const Split second = split(mark.partial[1]);
    detach(second.node);
    attach(first.node, second.node, first.full_side);
    splice(first.node, second, 1 - first.full_side);
  }
  if (nodes_[apex].count > 1) return;
  const NodeId only = nodes_[apex].end[0];
  detach(only);
  substitute(apex, only);
  release(apex);
}

// [empty... partial full... partial empty...]: the children of partial children take their places.
void PqTree::rebuild_q(NodeId apex) {
  const Mark mark = marks_[apex];
  std::array<Side, 2> inward{};
  for (std::uint32_t i = 0; i < mark.partial_count; ++i) {
    const NodeId back = nodes_[mark.partial[i]].beside[1];
    inward[i] = back != kNone && marks_[back].touched ? 1 : 0;
  }
  for (std::uint32_t i = 0; i < mark.partial_count; ++i) {
    const Split joined = splice(apex, split(mark.partial[i]), inward[i]);
    apex = joined.node;
    if (joined.full_side != inward[i]) inward[1] = 1 - inward[1];  // the list was mirrored
  }
}

// Makes one Q node of the partial nodes on the way down from `top`, in top's place.
PqTree::Split PqTree::split(NodeId top) {
  path_.clear();
  for (NodeId x = top; x != kNone; x = marks_[x].partial[0]) path_.push_back({x, *full_side(x)});
  Split below{kNone, 1};
  for (std::size_t i = path_.size(); i-- > 0;) {
    const Split x = path_[i];
    if (!nodes_[x.node].ordered)
      below = split_p(x.node, below);
    else
      below = below.node == kNone ? x : splice(x.node, below, x.full_side);
  }
  return below;
}

// (empty... below full...) ⇒ [(empty...) below (full...)], where `below` gives its children; without it, a
// pair.
PqTree::Split PqTree::split_p(NodeId x, Split below) {
  const NodeId full = take_full(x);
  if (below.node == kNone)
    below = {make_node(true), 1};
  else
    detach(below.node);
  substitute(x, below.node);
  const NodeId empty = take_rest(x);
  if (empty != kNone) attach(below.node, empty, 1 - below.full_side);
  if (full != kNone) attach(below.node, full, below.full_side);
  return below;
}

// Takes the full children away from a P node: one as it is, several under a new P node, kNone without any.
PqTree::NodeId PqTree::take_full(NodeId x) {
  const Mark mark = marks_[x];
  const NodeId group = mark.full_count > 1 ? make_node(false) : mark.first_full;
  for (NodeId child = mark.first_full; child != kNone; child = marks_[child].next_full) {
    detach(child);
    if (child != group) attach(group, child, 1);
  }
  return group;
}

// What is left of a P node that has no place in the tree any more: itself, its only child, or kNone.
PqTree::NodeId PqTree::take_rest(NodeId x) {
  if (nodes_[x].count > 1) return x;
  const NodeId only = nodes_[x].end[0];
  if (only != kNone) detach(only);
  release(x);
  return only;
}

// Puts the children of a Q node in its own place among those of its parent, also a Q node, the full ones
// toward that side. Gives the node that has them all and the side on which `toward` is now.
PqTree::Split PqTree::splice(NodeId parent, Split child, Side toward) {
  const bool keeps_child = nodes_[child.node].count > nodes_[parent].count;
  const auto [kept, gone] = keeps_child ? std::pair(child.node, parent) : std::pair(parent, child.node);
  for (NodeId x = nodes_[gone].end[0]; x != kNone; x = nodes_[x].beside[1], ++steps_)
    if (x != kept) nodes_[x].parent = kept;
  const bool mirrored = child.full_side != toward;
  if (mirrored) mirror(gone);

  const Node outer = nodes_[parent], inner = nodes_[child.node];
  if (keeps_child) substitute(parent, child.node);
  for (const Side side : {0u, 1u}) {
    const NodeId neighbour = inner.beside[side];
    nodes_[inner.end[side]].beside[side] = neighbour;
    if (neighbour != kNone) nodes_[neighbour].beside[1 - side] = inner.end[side];
    nodes_[kept].end[side] = neighbour == kNone ? inner.end[side] : outer.end[side];
  }
  nodes_[kept].count = outer.count + inner.count - 1;
  release(gone);
  return {kept, keeps_child && mirrored ? 1 - toward : toward};
}

PqTree::NodeId PqTree::make_node(bool ordered) {
  NodeId x = static_cast<NodeId>(nodes_.size());
  if (free_.empty()) {
    nodes_.emplace_back();
    marks_.emplace_back();
  } else {
    x = free_.back();
    free_.pop_back();
    nodes_[x] = {};
  }
  nodes_[x].ordered = ordered;
  return x;
}

void PqTree::attach(NodeId parent, NodeId x, Side side) {
  Node& node = nodes_[parent];
  nodes_[x].parent = parent;
  nodes_[x].beside[side] = kNone;
  nodes_[x].beside[1 - side] = node.end[side];
  (node.count == 0 ? node.end[1 - side] : nodes_[node.end[side]].beside[side]) = x;
  node.end[side] = x;
  ++node.count;
}

void PqTree::detach(NodeId x) {
  const std::array<NodeId, 2> beside = nodes_[x].beside;
  Node& parent = nodes_[nodes_[x].parent];
  for (const Side side : {0u, 1u})
    (beside[side] == kNone ? parent.end[side] : nodes_[beside[side]].beside[1 - side]) = beside[1 - side];
  --parent.count;
}

// Puts x, which has no place in the tree, where `old` is.
void PqTree::substitute(NodeId old, NodeId x) {
  const Node& place = nodes_[old];
  nodes_[x].parent = place.parent;
  nodes_[x].beside = place.beside;
  if (place.parent == kNone) root_ = x;
  for (const Side side : {0u, 1u}) {
    if (place.beside[side] != kNone)
      nodes_[place.beside[side]].beside[1 - side] = x;
    else if (place.parent != kNone)
      nodes_[place.parent].end[side] = x;
  }
}

// Reverses the list of children.
void PqTree::mirror(NodeId x) {
  for (NodeId child = nodes_[x].end[0]; child != kNone; child = nodes_[child].beside[0])
    std::swap(nodes_[child].beside[0], nodes_[child].beside[1]);
  std::swap(nodes_[x].end[0], nodes_[x].end[1]);
}

}  // namespace cohort
